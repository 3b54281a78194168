import { after, before, cleanText, type EditorState } from "../editor/buffer.ts";
import { edit, type EditorEnv } from "../editor/edit.ts";
import { begin } from "./insert.ts";
import { reach } from "./motion.ts";
import { noted } from "./normal.ts";
import { objectAt, type Range } from "./object.ts";
import { type Done, joined, lined, operate, putBack, recased, settled } from "./operate.ts";
import type { Command } from "./parse.ts";
import type { Change, Vim } from "./state.ts";
import { lineBy } from "./text.ts";

/** What is selected, with the sign under the cursor; undefined outside of visual mode. */
export function selection({ mode, anchor }: Vim, { text, cursor }: EditorState): Range | undefined {
  if (mode !== "visual" && mode !== "lines") return undefined;
  const [from, last] = anchor < cursor ? [anchor, cursor] : [cursor, anchor];
  return lined(text, { from, to: mode === "lines" ? last : after(text, last), lines: mode === "lines" });
}

/** One whole command of a visual mode; undefined where it can't be done. */
export function visual(
  vim: Vim,
  editor: EditorState,
  keys: string,
  command: Command,
  env: EditorEnv,
): Done | undefined {
  const { name, count } = command;
  const range = selection(vim, editor);
  if (range === undefined) return undefined;
  const to = reach(editor.text, editor.cursor, command, vim.find);
  if (to !== undefined) return { vim: noted(vim, command), editor: edit(editor, { op: "go", to: to.to }, env) };
  if (/^[ia]./.test(name)) {
    const object = objectAt(editor.text, editor.cursor, name, count);
    if (object === undefined) return undefined;
    const last = Math.max(object.from, object.lines ? object.to : before(editor.text, object.to));
    const mode = object.lines ? "lines" : "visual";
    return { vim: { ...vim, mode, anchor: object.from }, editor: edit(editor, { op: "go", to: last }, env) };
  }
  if (name === "o") {
    return { vim: { ...vim, anchor: editor.cursor }, editor: edit(editor, { op: "go", to: vim.anchor }, env) };
  }
  if (name === "v" || name === "V") {
    const mode = name === "v" ? "visual" : "lines";
    return mode === vim.mode
      ? { vim: { ...vim, mode: "normal" }, editor: settled(editor) }
      : { vim: { ...vim, mode }, editor };
  }
  return onRange(vim, editor, range, { keys, took: tookOf(editor, range) }, command, env);
}

/** A visual command on a piece of the text, which "." takes from the cursor on. Leads to normal mode, or to insert mode. */
export function onRange(
  vim: Vim,
  editor: EditorState,
  range: Range,
  change: Change,
  command: Command,
  env: EditorEnv,
): Done | undefined {
  const done = act({ ...vim, mode: "normal" }, editor, range, command, env);
  if (done === undefined) return undefined;
  if (done.insert === true) return begin(done.vim, done.editor, editor, change, 1);
  const copies = /^[yY]$/.test(command.name);
  return { vim: copies ? done.vim : { ...done.vim, change }, editor: settled(done.editor) };
}

function act(vim: Vim, editor: EditorState, range: Range, command: Command, env: EditorEnv): Done | undefined {
  const { name, count, char } = command;
  const whole = { ...range, lines: true };
  switch (name) {
    case "d":
    case "x":
      return operate(vim, editor, "d", range, env);
    case "D":
    case "X":
      return operate(vim, editor, "d", whole, env);
    case "c":
    case "s":
      return operate(vim, editor, "c", range, env);
    case "C":
    case "S":
    case "R":
      return operate(vim, editor, "c", whole, env);
    case "y":
      return operate(vim, editor, "y", range, env);
    case "Y":
      return operate(vim, editor, "y", whole, env);
    case ">":
    case "<":
      return operate(vim, editor, name, range, env);
    case "~":
    case "u":
    case "U":
      return { vim, editor: edit(recased(editor, range, name, env), { op: "go", to: range.from }, env) };
    case "J":
      return { vim, editor: joined(editor, range.from, Math.max(2, linesIn(editor, range)), env) };
    case "r":
      return char === undefined ? undefined : { vim, editor: filled(editor, range, char, env) };
    case "p":
    case "P":
      return putBack(vim, editor, false, count, env, range);
    default:
      return undefined;
  }
}

function linesIn({ text }: EditorState, { from, to }: Range): number {
  return text.slice(from, to).split("\n").length;
}

function filled(editor: EditorState, { from, to }: Range, char: string, env: EditorEnv): EditorState {
  const { text: sign } = cleanText(char);
  let text = "";
  for (let at = from; at < to; at = after(editor.text, at)) text += editor.text[at] === "\n" ? "\n" : sign;
  return edit(editor, { op: "replace", from, to, text, cursor: from }, env);
}

/** Lines or signs of a piece, for "." */
function tookOf(editor: EditorState, range: Range): NonNullable<Change["took"]> {
  if (range.lines) return { lines: true, count: linesIn(editor, range) };
  let count = 0;
  for (let at = range.from; at < range.to; at = after(editor.text, at)) count++;
  return { lines: false, count };
}

/** As much as a repeated visual command takes from the cursor on. */
export function tookFrom({ text, cursor }: EditorState, { lines, count }: NonNullable<Change["took"]>): Range {
  if (lines) return lined(text, { from: cursor, to: lineBy(text, cursor, count - 1) ?? text.length, lines });
  let to = cursor;
  for (let n = 0; n < count && to < text.length; n++) to = after(text, to);
  return { from: cursor, to, lines };
}
