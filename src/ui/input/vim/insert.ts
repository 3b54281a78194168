import { before, type EditorState, lineEnd, lineStart } from "../editor/buffer.ts";
import { edit, type EditorEnv } from "../editor/edit.ts";
import type { Change, Vim } from "./state.ts";
import { lineHead } from "./text.ts";
import type { Done } from "./operate.ts";

/** i a I A o O: where insert mode begins, with what the command itself puts in. */
export function opened(editor: EditorState, name: string, env: EditorEnv): EditorState {
  const { text, cursor } = editor;
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  const to = {
    i: cursor,
    a: cursor < end ? edit(editor, { op: "move", to: "right" }, env).cursor : cursor,
    I: lineHead(text, cursor),
    A: end,
    o: end,
    O: start,
  }[name];
  if (to === undefined) return editor;
  const there = edit(editor, { op: "go", to }, env);
  if (name === "o") return edit(there, { op: "replace", from: end, to: end, text: "\n" }, env);
  if (name === "O") return edit(there, { op: "replace", from: start, to: start, text: "\n", cursor: start }, env);
  return there;
}

/** Insert mode begins in `editor`; `before`: the draft ahead of the command that leads there. */
export function begin(vim: Vim, editor: EditorState, before: EditorState, change: Change, count: number): Done {
  const { text, cursor } = editor;
  const inserting = {
    head: text.slice(0, cursor),
    tail: text.slice(cursor),
    undo: before.undo.at(-1),
    count,
    between: /[oO]$/.test(change.keys) ? "\n" : "",
    change,
  };
  // What is typed now belongs to no step of before.
  return { vim: { ...vim, mode: "insert", inserting }, editor: { ...editor, last: { kind: "none", at: 0 } } };
}

/** Esc: what was typed is one step of undo, comes as often as was counted, and is what "." does again. */
export function end(vim: Vim, editor: EditorState, env: EditorEnv): Done {
  const { inserting, ...rest } = vim;
  const normal: Vim = { ...rest, mode: "normal", pending: "" };
  const left = (of: EditorState): EditorState => {
    const at = of.cursor > lineStart(of.text, of.cursor) ? before(of.text, of.cursor) : of.cursor;
    return edit(of, { op: "go", to: at }, env);
  };
  if (inserting === undefined) return { vim: normal, editor: left(editor) };
  const text = typed(editor, inserting);
  const more = text === "" ? "" : (inserting.between + text).repeat(inserting.count - 1);
  const at = inserting.head.length + text.length;
  const whole = more === "" ? editor : edit(editor, { op: "replace", from: at, to: at, text: more }, env);
  const change: Change = { ...inserting.change, text };
  return { vim: { ...normal, change }, editor: left(oneStep(whole, inserting)) };
}

function typed({ text }: EditorState, { head, tail }: NonNullable<Vim["inserting"]>): string {
  const fits = text.length >= head.length + tail.length && text.startsWith(head) && text.endsWith(tail);
  return fits ? text.slice(head.length, text.length - tail.length) : "";
}

function oneStep(editor: EditorState, { undo }: NonNullable<Vim["inserting"]>): EditorState {
  const at = undo === undefined ? -1 : editor.undo.lastIndexOf(undo);
  if (undo !== undefined && at < 0) return editor;
  return { ...editor, undo: editor.undo.slice(0, at + 2) };
}
