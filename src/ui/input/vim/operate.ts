import { before, type EditorState, lineEnd, lineStart } from "../editor/buffer.ts";
import { edit, type EditorEnv } from "../editor/edit.ts";
import type { Range } from "./object.ts";
import { isEmptyLine, lineHead } from "./text.ts";
import type { Vim } from "./state.ts";

/** Draft and keys after a command. `insert`: it goes on in insert mode. */
export interface Done {
  vim: Vim;
  editor: EditorState;
  insert?: boolean;
}

const INDENT = "  ";

/** In normal mode the cursor stands on a sign, never behind the last one of its line. */
export function settled(editor: EditorState): EditorState {
  const { text, cursor } = editor;
  const behind = cursor === lineEnd(text, cursor) && !isEmptyLine(text, cursor);
  return behind ? { ...editor, cursor: before(text, cursor) } : editor;
}

/** d, c, y, >, < on a piece of the text. */
export function operate(vim: Vim, editor: EditorState, operator: string, range: Range, env: EditorEnv): Done {
  const { text } = editor;
  const { from, to, lines } = lined(text, /[<>]/.test(operator) ? { ...range, lines: true } : range);
  if (operator === ">" || operator === "<") {
    const moved = shifted(text.slice(from, to), operator === ">");
    const next = edit(editor, { op: "replace", from, to, text: moved }, env);
    return { vim, editor: edit(next, { op: "go", to: lineHead(next.text, from) }, env) };
  }
  if (operator === "y") {
    const copied = edit(editor, { op: "copy", text: text.slice(from, to) }, env);
    const stays = lines && from >= lineStart(text, editor.cursor);
    return kept(vim, stays ? copied : edit(copied, { op: "go", to: from }, env), lines);
  }
  const next = edit(editor, { op: "replace", from, to, text: "", kill: true }, env);
  if (operator === "c") return { ...kept(vim, next, lines), insert: true };
  return kept(vim, lines ? withoutLine(next, text, from, to) : next, lines);
}

/** Whole lines begin and end as lines do. */
export function lined(text: string, range: Range): Range {
  if (!range.lines) return range;
  return { from: lineStart(text, range.from), to: lineEnd(text, range.to), lines: true };
}

function kept(vim: Vim, editor: EditorState, lines: boolean): Done {
  return { vim: { ...vim, lines: lines ? editor.kills : undefined }, editor };
}

/** The line end that belonged to deleted lines goes in the same step of undo. */
function withoutLine(editor: EditorState, before: string, from: number, to: number): EditorState {
  const first = to < before.length ? from : Math.max(0, from - 1);
  const text = editor.text.slice(0, first) + editor.text.slice(to < before.length ? from + 1 : from);
  return { ...editor, text, cursor: lineHead(text, Math.min(first === from ? from : first, text.length)) };
}

function shifted(text: string, right: boolean): string {
  return text
    .split("\n")
    .map((line) => (right ? (line === "" ? "" : INDENT + line) : line.replace(/^(?: {1,2}|\t)/, "")))
    .join("\n");
}

/** p and P; `over`: in place of a selection, which is kept in its turn. */
export function putBack(
  vim: Vim,
  editor: EditorState,
  after: boolean,
  count: number,
  env: EditorEnv,
  over?: Range,
): Done {
  const piece = editor.kills[0];
  if (piece === undefined) return { vim, editor };
  const lines = vim.lines === editor.kills;
  const { text, cursor } = editor;
  const all = lines ? Array.from({ length: count }, () => piece).join("\n") : piece.repeat(count);
  if (over !== undefined) return overSelection({ vim, editor }, over, lines, all, env);
  if (lines) {
    const at = after ? lineEnd(text, cursor) : lineStart(text, cursor);
    const next = edit(editor, { op: "replace", from: at, to: at, text: after ? `\n${all}` : `${all}\n` }, env);
    return { vim, editor: edit(next, { op: "go", to: lineHead(next.text, after ? at + 1 : at) }, env) };
  }
  const here = edit(editor, { op: "move", to: "right" }, env).cursor;
  const at = after && !isEmptyLine(text, cursor) ? Math.min(lineEnd(text, cursor), here) : cursor;
  const next = edit(editor, { op: "replace", from: at, to: at, text: all }, env);
  return { vim, editor: edit(next, { op: "go", to: before(next.text, at + all.length) }, env) };
}

function overSelection({ vim, editor }: Done, over: Range, lines: boolean, all: string, env: EditorEnv): Done {
  const { from, to } = lined(editor.text, over);
  const text = lines && !over.lines ? `\n${all}\n` : all;
  const next = edit(editor, { op: "replace", from, to, text, kill: true, cursor: from }, env);
  return kept(vim, next, over.lines);
}

/** ~, u and U of a piece. */
export function recased(editor: EditorState, { from, to }: Range, how: "~" | "u" | "U", env: EditorEnv): EditorState {
  const of = (sign: string) => (sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase());
  const piece = editor.text.slice(from, to);
  const text = how === "~" ? Array.from(piece, of).join("") : how === "u" ? piece.toLowerCase() : piece.toUpperCase();
  return text === piece ? editor : edit(editor, { op: "replace", from, to, text }, env);
}

/** J: lines `from` and the next ones become one, with a blank between. */
export function joined(editor: EditorState, from: number, count: number, env: EditorEnv): EditorState {
  const { text } = editor;
  const start = lineStart(text, from);
  const pieces = text.slice(start).split("\n");
  const taken = pieces.slice(0, count);
  if (taken.length < 2) return editor;
  let at = 0;
  const whole = taken.reduce((all, piece) => {
    const next = piece.trimStart();
    const gap = next === "" || next.startsWith(")") || /(^|\s)$/.test(all) ? "" : " ";
    at = all.length;
    return all + gap + next;
  });
  const to = start + taken.join("\n").length;
  return edit(editor, { op: "replace", from: start, to, text: whole, cursor: start + at }, env);
}
