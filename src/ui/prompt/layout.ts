import type { Question } from "../../permissions/asker.ts";
import { cleanRow, exact } from "../render/clean.ts";
import { type BodyRow, free, must } from "../render/body-row.ts";
import { CURSOR } from "../render/choice-part.ts";
import { questionBody, questionTitle } from "../render/question.ts";
import { line, type Line, type Span, truncate, widthOf, wrap } from "../render/spans.ts";
import { several } from "../render/units.ts";
import { fateOf, settledBy } from "./conflicts.ts";
import { beforeCaret, type Field } from "./field.ts";
import { openable, type Opened, openedRows } from "./opened.ts";
import { keptParts, partsOf } from "./parts.ts";
import { mayEdit, type OptionKind, optionKinds, optionNumber, tabOf } from "./options.ts";
import { hasParts, type PermissionPrompt, type PromptSight } from "./permission.ts";
import { typingHint, typingLabel } from "./typing.ts";

export interface PromptLayout {
  rows: Line[];
  /** Where the real cursor stands: in what is typed, or on the chosen option. */
  caret: { x: number; y: number };
  sight: PromptSight;
  /** What is on screen now; added to `seen` once the frame is flushed. */
  visible: readonly string[];
  /** The scroll that was used, so that it stays in bounds and follows the cursor. */
  scroll: number;
}

/** A question whose keys go to the draft: how to give them back to it. */
export const WRITING = "You are writing: keys go to your text · Ctrl-Y answers";

/** Draws a question into at most `max` rows; the body scrolls, title and options stay. */
export function layoutPrompt(prompt: PermissionPrompt, width: number, max: number, focused: boolean): PromptLayout {
  if (prompt.opened !== undefined) return layoutOpened(prompt, prompt.opened, width, max);
  const options = optionRows(prompt, width);
  const room = max - options.length;
  // Why a key did nothing stands even in the body's last row: the next key takes it away.
  const urgent = prompt.typing !== undefined || prompt.hint !== undefined || !focused;
  const hint = room >= (urgent ? 0 : 6) ? hintRows(prompt, width, focused, Math.max(1, room - 2)) : [];
  const apart = room >= 3;
  const title = apart ? [questionTitle(prompt.question, width, prompt.place)] : [];
  const body = apart ? bodyOf(prompt, width) : [...titleBody(prompt, width), ...bodyOf(prompt, width)];
  const left = Math.max(hint.length > 0 ? 0 : 1, room - hint.length - title.length);
  const scrolls = body.length > left && left >= 2;
  const window = Math.min(body.length, scrolls ? left - 1 : left);
  const scroll = scrollFor(prompt, body, window);
  const shown = body.slice(scroll, scroll + window);
  const names = namesOf(body, width);
  const visible = names.slice(scroll, scroll + window).filter((name) => name !== "");
  const unseen = unseenOf(body, names, new Set([...prompt.seen, ...visible]));
  const more: Line[] = scrolls ? [scrollRow(scroll, window, body.length, unseen.length, width)] : [];
  const rows = [...title, ...shown.map((b) => b.row), ...more, ...options, ...hint];
  const optionY = title.length + shown.length + more.length;
  return {
    rows,
    caret: caretOf(prompt, optionY, rows.length - 1, width),
    sight: { rows: body.length, window, unseen: unseenOf(body, names, prompt.seen) },
    visible,
    scroll,
  };
}

/** The title where there is no row for it alone: whole, to be scrolled to, and to be seen before a yes. */
function titleBody({ question, place }: PermissionPrompt, width: number): BodyRow[] {
  return must("title", wrap(questionTitle(question, Infinity, place), { width }));
}

/** A file that is looked at takes the question's place; its rows count for nothing. */
function layoutOpened(prompt: PermissionPrompt, opened: Opened, width: number, max: number): PromptLayout {
  const { rows, sight } = openedRows(prompt.question, opened, width, max);
  const caret = { x: 0, y: Math.max(0, rows.length - 1) };
  return { rows, caret, sight: { ...sight, unseen: [] }, visible: [], scroll: prompt.scroll };
}

const bodies = new WeakMap<Question, { key: string; body: BodyRow[] }>();

/** A body may be thousands of rows: it is laid out once for a width and a choice of parts. */
function bodyOf(prompt: PermissionPrompt, width: number): BodyRow[] {
  const { taken, ways } = prompt.conflicts;
  const choosing = prompt.part !== undefined || prompt.left.size > 0 || taken.size + ways.size > 0;
  const rule = prompt.rules[prompt.scope];
  const why = prompt.explained === undefined ? "" : "why";
  const key = `${why} ${width} ${prompt.part ?? ""} ${[...prompt.left].join(",")} ${[...taken].join(",")} ${[...ways].join(",")} ${rule}`;
  const kept = bodies.get(prompt.question);
  if (kept?.key === key) return kept.body;
  const parts = partsOf(prompt.question).map((part, n) => ({
    at: part.at,
    hunk: part.hunk?.of,
    taken: part.conflict === undefined ? !prompt.left.has(part.key) : taken.has(part.key),
    cursor: n === prompt.part,
    ...(part.conflict === undefined
      ? {}
      : { conflict: part.conflict, fate: fateOf(prompt.question, prompt.conflicts, part.conflict) }),
  }));
  const asked = questionBody(prompt.question, { width, rule, parts: choosing ? parts : undefined });
  const told = prompt.explained?.(width) ?? [];
  const body = told.length === 0 ? asked : [...free([...told, []]), ...asked];
  bodies.set(prompt.question, { key, body });
  return body;
}

/** Names of the rows that must have been seen; "" for the others. Bound to the width: another width, another row. */
function namesOf(body: readonly BodyRow[], width: number): string[] {
  const nth = new Map<string, number>();
  return body.map(({ must }) => {
    if (must === undefined) return "";
    const n = nth.get(must) ?? 0;
    nth.set(must, n + 1);
    return `${width}:${must}:${n}`;
  });
}

/** What was seen whole in the review goes by the thing's own name. */
function unseenOf(body: readonly BodyRow[], names: readonly string[], seen: ReadonlySet<string>): string[] {
  const open = body.flatMap(({ must }, at) =>
    must !== undefined && !seen.has(names[at] ?? "") && !seen.has(must) ? [must] : [],
  );
  return [...new Set(open)];
}

function scrollFor(prompt: PermissionPrompt, body: readonly BodyRow[], window: number): number {
  let scroll = prompt.scroll;
  if (prompt.part !== undefined) {
    const at = body.findIndex(({ row }) => row[0]?.style === "selected" && row[0].text === CURSOR);
    if (at >= 0 && at < scroll) scroll = at;
    if (at >= scroll + window) scroll = at - window + 1;
  }
  return Math.max(0, Math.min(scroll, body.length - window));
}

function scrollRow(scroll: number, window: number, total: number, unseen: number, width: number): Line {
  const place = `rows ${scroll + 1}–${scroll + window} of ${total} · PgDn PgUp`;
  // First, so that a narrow screen tells it too.
  const words = `${unseen} more to see before a yes counts · `;
  const wait = unseen === 0 ? "" : words.length + 20 <= width ? words : `PgDn: ${unseen} more before a yes · `;
  return truncate(
    [
      { text: wait, style: "warning" },
      { text: place, style: "dim" },
    ],
    width,
  );
}

function optionRows(prompt: PermissionPrompt, width: number): Line[] {
  const kinds = optionKinds(prompt.question);
  const rows = kinds.flatMap((kind, at) => [
    optionRow(prompt, kind, prompt.row === at, width),
    ...(kind === "remember" ? savedRows(prompt, width) : []),
  ]);
  const { regenerable, also = [] } = prompt.question;
  const box = prompt.withRegenerable ? "[x]" : "[ ]";
  const own = "  s run it myself, in my own shell · d I have done it";
  return [
    ...rows,
    ...(regenerable === undefined ? [] : [truncate([{ text: `  r ${box} ${cleanRow(regenerable.text)}` }], width)]),
    ...(also.includes("self") ? [truncate(line(own), width)] : []),
  ];
}

/** Where "always" is kept: the file itself (P-1). */
function savedRows({ scope, question: { savedTo } }: PermissionPrompt, width: number): Line[] {
  if (scope === "session" || savedTo === undefined) return [];
  return wrap(line(`    into ${exact(savedTo)}`, "dim"), { width, rest: line("    "), hard: true });
}

function optionRow(prompt: PermissionPrompt, kind: OptionKind, chosen: boolean, width: number): Line {
  const start: Span = { text: `${chosen ? "›" : " "} ${optionNumber(kind)} `, style: chosen ? "selected" : undefined };
  const text: Span = { text: optionText(prompt, kind), style: chosen ? "selected" : undefined };
  return truncate([start, text, ...optionTail(prompt, kind)], width);
}

function optionText(prompt: PermissionPrompt, kind: OptionKind): string {
  const { review } = prompt.question;
  if (kind === "no") return review === undefined ? "no" : "no, all of it stays pending";
  const rest = review === undefined ? "" : ", the rest is dropped";
  const part = prompt.left.size > 0 ? `${partWords(prompt)}${rest}` : "";
  const settled = settledBy(prompt.question, prompt.conflicts).length;
  const also = settled === 0 ? "" : `, ${several(settled, "conflict")} settled`;
  if (kind === "yes") return `yes, once${part}${also}`;
  const scope = prompt.scope === "session" ? "yes, for this session" : "yes, always in your rules for this project";
  return `${scope}${part}: `;
}

function partWords(prompt: PermissionPrompt): string {
  const { kept, of } = keptParts(prompt.question, prompt.left);
  return `, only ${kept} of ${several(of, "part")}`;
}

function optionTail(prompt: PermissionPrompt, kind: OptionKind): Span[] {
  const tab = tabOf(prompt) === kind;
  if (kind === "no") return [{ text: tab ? " · Tab: say why and go on" : " · the work stops here", style: "dim" }];
  if (kind === "yes") return tab ? [{ text: " · Tab: add a word", style: "dim" }] : [];
  return [
    { text: exact(prompt.rules[prompt.scope]), style: "code" },
    { text: ` · ←→ ${prompt.scope === "session" ? "always" : "session"}`, style: "dim" },
  ];
}

/** What the last key came to, whole where there is room, and in the last row what is typed or what the keys do. */
function hintRows(prompt: PermissionPrompt, width: number, focused: boolean, most: number): Line[] {
  const said = prompt.hint ?? (focused || prompt.typing !== undefined ? undefined : WRITING);
  const told = said === undefined ? [] : wrap(line(cleanRow(said), "warning"), { width });
  if (prompt.typing === undefined) return told.length > 0 ? told.slice(0, most) : [keysRow(prompt, width)];
  const words = said === undefined ? [truncate(line(typingHint(prompt.typing), "dim"), width)] : told;
  return [...words.slice(0, most - 1), typedRow(typingLabel(prompt.typing), prompt.typing.field, width).row];
}

function keysRow(prompt: PermissionPrompt, width: number): Line {
  if (prompt.part !== undefined) {
    const conflict = partsOf(prompt.question)[prompt.part]?.conflict !== undefined;
    const keys = conflict
      ? "Space: rehearsed over yours · d drops it · b both in a new file · Enter is done"
      : "Space takes in or leaves out · Enter is done";
    return truncate(line(keys, "dim"), width);
  }
  const keys = prompt.question.diffs.length > 0 ? ["Ctrl-O review", "Esc no"] : ["Esc no"];
  const conflicts = prompt.question.review?.conflicts.length ?? 0;
  const settles = conflicts === 0 ? "p parts" : `p settles ${several(conflicts, "conflict")}, picks parts`;
  const files = openable(prompt.question).length;
  if (files > 0) keys.unshift(`o opens ${several(files, "file")} not shown`);
  if (hasParts(prompt)) keys.unshift(settles);
  const edits = mayEdit(prompt);
  if (edits !== undefined) keys.unshift(`e edit ${edits}`);
  keys.unshift(prompt.explained === undefined ? "Ctrl-E explain" : "Ctrl-E less");
  return truncate(line(keys.join(" · "), "dim"), width);
}

/** A label and the end of what is typed, as far as it fits; `x` is the caret's column. */
export function typedRow(label: string, value: Field, width: number): { row: Line; x: number } {
  const before = oneRow(beforeCaret(value));
  const after = oneRow(value.text.slice(beforeCaret(value).length));
  const room = Math.max(1, width - widthOf(label) - 1);
  let head = before;
  while (widthOf(head) > room) head = head.slice(1);
  const row = truncate([{ text: label, style: "accent" }, { text: head + after }], width);
  return { row, x: Math.min(Math.max(0, width - 1), widthOf(label) + widthOf(head)) };
}

/** A command may have lines; each of its signs stays to be seen. */
function oneRow(text: string): string {
  return exact(text).replaceAll("\n", "⏎");
}

function caretOf(prompt: PermissionPrompt, optionY: number, last: number, width: number): { x: number; y: number } {
  if (prompt.typing === undefined) {
    const row = prompt.row ?? 0;
    const kinds = optionKinds(prompt.question);
    const between = kinds.indexOf("remember") >= 0 && kinds[row] === "no" ? savedRows(prompt, width).length : 0;
    return { x: 0, y: optionY + row + between };
  }
  return { x: typedRow(typingLabel(prompt.typing), prompt.typing.field, width).x, y: last };
}
