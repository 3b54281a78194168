import { type TrustRow, trustRows } from "../../session/trust-words.ts";
import type { TrustLook } from "../../session/trust.ts";
import { visible } from "../../util/visible.ts";
import type { Key } from "../input/key.ts";
import { line, type Line, truncate, wrap } from "../render/spans.ts";
import type { Style } from "../theme.ts";
import type { Choice } from "./panel.ts";

/** `without`: the folder is opened, and nothing that it brings is used. */
export type TrustAnswer = "trust" | "without" | "leave";

/** The question that a folder is opened with (H5), before there is a session. */
export interface TrustPrompt {
  look: TrustLook;
  /** Row of the choices; -1: none yet. */
  chosen: number;
  /** First row of the body on screen. */
  scroll: number;
  /** Rows of the body that were on screen, at the width that they had then. */
  seen: { width: number; rows: ReadonlySet<number> };
  hint?: string | undefined;
}

/** What fits a size. */
export interface TrustLayout {
  rows: Line[];
  caret: { x: number; y: number };
  /** Of the body: all rows, the first that is shown, and how many are. */
  total: number;
  from: number;
  window: number;
  /** Rows that a yes still waits for. */
  unseen: number;
}

const CHOICES: readonly (Choice & { id: TrustAnswer })[] = [
  { id: "trust", label: "Trust it", more: "what is listed is used, until what runs changes" },
  { id: "without", label: "Open it without", more: "nothing of it runs or is read as instructions" },
  { id: "leave", label: "Leave" },
];
const BARE: typeof CHOICES = [
  { id: "without", label: "Open it" },
  { id: "leave", label: "Leave" },
];

/** Nothing is chosen beforehand: Enter alone answers nothing. */
export function openTrust(look: TrustLook): TrustPrompt {
  return { look, chosen: -1, scroll: 0, seen: { width: 0, rows: new Set() } };
}

/** What can be answered, in order; number n is the n-th. */
export function trustChoices({ survey, keeps }: TrustLook): typeof CHOICES {
  if (survey.parts.length === 0) return BARE;
  const once = "what is listed is used, for this start only";
  return keeps ? CHOICES : CHOICES.map((choice) => (choice.id === "trust" ? { ...choice, more: once } : choice));
}

/** The question in one row, and what it is about. */
export function trustHead({ folder, survey }: TrustLook): [title: string, path: string, words: string] {
  const words =
    survey.parts.length === 0
      ? ""
      : "It brings what is listed here. Before you trust it, nothing of it runs, is read as instructions or reaches the network.";
  return ["Do you trust this folder?", visible(folder, ""), words];
}

/** The frame of a layout is on the terminal. */
export function trustShown(prompt: TrustPrompt, { from, window }: TrustLayout, width: number): TrustPrompt {
  const before = prompt.seen.width === width ? prompt.seen.rows : [];
  const rows = new Set([...before, ...Array.from({ length: window }, (_, n) => from + n)]);
  return { ...prompt, seen: { width, rows } };
}

/** One key that counts. `done`: the answer. */
export function trustKey(
  prompt: TrustPrompt,
  key: Key,
  { total, window, unseen }: Pick<TrustLayout, "total" | "window" | "unseen">,
): { prompt: TrustPrompt; done?: TrustAnswer } {
  const base = { ...prompt, hint: undefined };
  const choices = trustChoices(prompt.look);
  const to = (row: number) => ({ prompt: { ...base, scroll: Math.max(0, Math.min(total - window, row)) } });
  const page = Math.max(1, window - 1);
  switch (key.name) {
    case "escape":
      return { prompt: base, done: "leave" };
    case "up":
      return { prompt: { ...base, chosen: Math.max(0, (base.chosen < 0 ? choices.length : base.chosen) - 1) } };
    case "down":
      return { prompt: { ...base, chosen: Math.min(choices.length - 1, base.chosen + 1) } };
    case "pagedown":
    case "space":
      return to(prompt.scroll + page);
    case "pageup":
      return to(prompt.scroll - page);
    case "home":
      return to(0);
    case "end":
      return to(total);
    case "return":
      return answered(base, choices[base.chosen]?.id, unseen);
    default:
      return /^[1-9]$/.test(key.name) ? answered(base, choices[Number(key.name) - 1]?.id, unseen) : { prompt };
  }
}

function answered(
  prompt: TrustPrompt,
  id: TrustAnswer | undefined,
  unseen: number,
): { prompt: TrustPrompt; done?: TrustAnswer } {
  if (id === undefined) return { prompt: { ...prompt, hint: "Choose with a number or the arrows" } };
  if (id === "trust" && unseen > 0)
    return { prompt: { ...prompt, hint: "Not answered: look at all of it first (PgDn or Space scrolls)" } };
  return { prompt, done: id };
}

const LOOKS: Readonly<Record<TrustRow["look"], { style: Style | undefined; indent: number }>> = {
  head: { style: "bold", indent: 0 },
  part: { style: undefined, indent: 2 },
  run: { style: "code", indent: 4 },
  note: { style: "dim", indent: 2 },
  warning: { style: "warning", indent: 0 },
};

/** The body, and which of its rows must have been on screen. */
function bodyRows(look: TrustLook, width: number): { row: Line; must: boolean }[] {
  return trustRows(look).flatMap(({ text, look: as, must }) => {
    const { style, indent } = LOOKS[as];
    const blank = line(" ".repeat(indent));
    const rows = wrap(line(text, style), {
      width,
      first: blank,
      rest: line(" ".repeat(indent + 2)),
      hard: as === "run",
    });
    return rows.map((row) => ({ row, must }));
  });
}

/** The question in at most `max` rows: what it is about, a part of what there is to see, the answers. Pure. */
export function layoutTrust(prompt: TrustPrompt, width: number, max: number): TrustLayout {
  const { look, chosen } = prompt;
  const [title, path, words] = trustHead(look);
  const { choices, caretAt } = choiceRows(look, chosen, width, max);
  const body = bodyRows(look, width);
  const intro = words === "" ? [] : wrap(line(words, "dim"), { width });
  const head = [truncate(line(title, "heading"), width), ...wrap(line(path), { width, hard: true })];
  const hint = hintRows(prompt, width, Math.max(1, max - choices.length - 4));
  const room = max - choices.length - hint.length;
  const heads = [...head, ...intro].length + Math.min(body.length, 4) <= room ? [...head, ...intro] : head.slice(0, 2);
  const kept = heads.slice(0, Math.max(0, room - Math.min(body.length, 2)));
  const space = Math.max(1, room - kept.length);
  const fits = body.length <= space;
  const window = fits ? body.length : Math.max(1, space - 1);
  const from = Math.max(0, Math.min(prompt.scroll, body.length - window));
  const part = body.slice(from, from + window);
  const left = body.length - from - window;
  const count = fits ? [] : [truncate(line(left === 0 ? "  end" : `  + ${left} more rows (PgDn)`, "warning"), width)];
  const rows = [...kept, ...part.map(({ row }) => row), ...count, ...choices, ...hint];
  const seen = prompt.seen.width === width ? prompt.seen.rows : new Set<number>();
  const unseen = body.filter(({ must }, n) => must && !seen.has(n)).length;
  const y = kept.length + part.length + count.length + caretAt;
  return { rows, caret: { x: 0, y }, total: body.length, from, window, unseen };
}

/** The answers with what each means, whole where there is room: it is what the person decides by. */
function choiceRows(look: TrustLook, chosen: number, width: number, max: number): { choices: Line[]; caretAt: number } {
  const blocks = trustChoices(look).map(({ label, more }, at) => {
    const words = line(`${at === chosen ? "› " : "  "}${at + 1} ${label}`, at === chosen ? "selected" : undefined);
    const text = [...words, ...(more === undefined ? [] : line(` · ${more}`, "dim"))];
    return { text, rows: wrap(text, { width, rest: line("    ") }) };
  });
  const whole = blocks.flatMap(({ rows }) => rows).length + 8 <= max;
  const shown = blocks.map(({ text, rows }) => (whole ? rows : [truncate(text, width)]));
  return { choices: shown.flat(), caretAt: shown.slice(0, Math.max(0, chosen)).flat().length };
}

/** Why the last key did nothing, or what the keys do. */
function hintRows({ look, hint }: TrustPrompt, width: number, most: number): Line[] {
  const keys = `1–${trustChoices(look).length} or ↑↓ Enter · Esc leaves`;
  const blank = line("  ");
  const words = line(hint ?? keys, hint === undefined ? "dim" : "warning");
  return wrap(words, { width, first: blank, rest: blank }).slice(0, most);
}
