import type { Action } from "../input/keymap.ts";
import type { Key } from "../input/key.ts";
import { windowOf } from "../render/menu.ts";
import { line, type Line, truncate, wrap } from "../render/spans.ts";

/** One thing to choose. */
export interface Choice {
  id: string;
  label: string;
  /** Said behind it, dim. */
  more?: string;
}

/** Rows to read and some choices, in the place of the composer. */
export interface PanelText {
  title: string;
  /** What there is to know before; scrolls where it is long. */
  body(width: number): Line[];
  choices: readonly Choice[];
  /** Nothing is chosen at first, and digits choose: for what changes something. */
  careful?: boolean;
  /** Letters that choose at once, by the choice's id. */
  keys?: Readonly<Record<string, string>>;
}

export interface Panel {
  text: PanelText;
  /** -1: nothing yet. */
  chosen: number;
  /** First row of the body that is shown. */
  scroll: number;
}

/** Opens it on the first choice, or on none where care is needed. */
export function openPanel(text: PanelText): Panel {
  return { text, chosen: text.careful === true ? -1 : 0, scroll: 0 };
}

/** One key. `done`: the person chose, or left without (`id` undefined). */
export function panelKey(
  panel: Panel,
  key: Key,
  action: Action | undefined,
): { panel: Panel; done?: { id: string | undefined } } {
  const { choices, careful } = panel.text;
  const last = choices.length - 1;
  const move = (chosen: number) => ({ panel: { ...panel, chosen: Math.max(0, Math.min(last, chosen)) } });
  const scroll = (by: number) => ({ panel: { ...panel, scroll: Math.max(0, panel.scroll + by) } });
  switch (action) {
    case "up":
      return move(panel.chosen < 0 ? last : panel.chosen - 1);
    case "down":
      return move(panel.chosen + 1);
    case "first":
      return move(0);
    case "last":
      return move(last);
    case "page-up":
      return careful === true ? scroll(-8) : move(panel.chosen - 8);
    case "page-down":
      return careful === true ? scroll(8) : move(panel.chosen + 8);
    case "pick": {
      const id = choices[panel.chosen]?.id;
      return id === undefined ? { panel } : { panel, done: { id } };
    }
    case "escape":
    case "interrupt":
      return { panel, done: { id: undefined } };
    default: {
      const digit = careful === true && /^[1-9]$/.test(key.name) ? choices[Number(key.name) - 1]?.id : undefined;
      const id = digit ?? (key.ctrl || key.alt ? undefined : panel.text.keys?.[key.name]);
      return id === undefined ? { panel } : { panel, done: { id } };
    }
  }
}

/** Title, body, choices and a hint in at most `max` rows. What doesn't fit of the body is counted. */
export function panelRows(
  { text, chosen, scroll }: Panel,
  width: number,
  max: number,
): { rows: Line[]; caret: { x: number; y: number } } {
  const body = text.body(width);
  const room = Math.max(1, max - 2);
  const choices = Math.min(
    text.choices.length,
    body.length === 0 ? room : Math.max(3, room - Math.min(body.length, room - 3)),
  );
  const list = listRows(text, chosen, width, Math.min(choices, room));
  const shown = bodyRows(body, scroll, room - list.length, width);
  const title = truncate(line(text.title, "heading"), width);
  const count = text.choices.length;
  const digits = text.careful !== true ? "" : count === 1 ? "1 or " : `1–${count} or `;
  const keys = count === 1 ? `${digits}Enter` : `${digits}↑↓ Enter`;
  const pages = shown.length < body.length ? "PgUp PgDn read · " : "";
  const hint = truncate(line(`  ${keys} · ${pages}Esc leaves`, "dim"), width);
  const all = max < 3 ? [...list, hint] : [title, ...shown, ...list, hint];
  const rows = all.slice(0, Math.max(1, max)).map((row) => truncate(row, width));
  const [from] = windowOf(Math.max(0, chosen), text.choices.length, list.length);
  const y = (max < 3 ? 0 : 1 + shown.length) + Math.max(0, chosen - from);
  return { rows, caret: { x: 0, y: Math.min(y, rows.length - 1) } };
}

function listRows({ choices, careful }: PanelText, chosen: number, width: number, max: number): Line[] {
  const [from, to] = windowOf(Math.max(0, chosen), choices.length, max);
  return choices.slice(from, to).map(({ label, more }, at) => {
    const here = from + at === chosen;
    const digit = careful === true ? `${from + at + 1} ` : "";
    return truncate(
      [
        { text: here ? "› " : "  ", style: "selected" },
        { text: `${digit}${label}`, style: here ? "selected" : undefined },
        { text: more === undefined ? "" : ` · ${more}`, style: "dim" },
      ],
      width,
    );
  });
}

function bodyRows(body: readonly Line[], scroll: number, max: number, width: number): Line[] {
  if (body.length <= max) return [...body];
  if (max <= 0) return [];
  const from = Math.min(scroll, body.length - (max - 1));
  const left = body.length - (from + max - 1);
  const count = left === 0 ? "  end" : `  + ${left} more rows (PgDn)`;
  return [...body.slice(from, from + max - 1), truncate(line(count, "warning"), width)];
}

/** A paragraph that hangs in by two. */
export function paragraph(words: string, width: number, style?: Parameters<typeof line>[1]): Line[] {
  return wrap(line(words, style), { width, rest: line("  ") });
}
