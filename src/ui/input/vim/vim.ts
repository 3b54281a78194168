import type { EditorState } from "../editor/buffer.ts";
import { edit, type EditorEnv } from "../editor/edit.ts";
import type { Key } from "../key.ts";
import { end } from "./insert.ts";
import { normal, repeated } from "./normal.ts";
import { type Done, settled } from "./operate.ts";
import { type Command, parse } from "./parse.ts";
import type { Vim } from "./state.ts";
import { onRange, tookFrom, visual } from "./visual.ts";

/** What a key came to. `pass`: the composer's own keys do the rest. */
export interface VimStep {
  vim: Vim;
  editor: EditorState;
  pass?: "row-up" | "row-down" | "history-search";
}

const NAMED: Readonly<Record<string, string>> = {
  left: "h",
  right: "l",
  up: "k",
  down: "j",
  home: "0",
  end: "$",
  backspace: "h",
  delete: "x",
};

/** One key while the Vim keys are on (IN-7). undefined: the key means what it means without them. Pure. */
export function vimKey(vim: Vim, editor: EditorState, key: Key, env: EditorEnv): VimStep | undefined {
  if (vim.mode === "insert") {
    return key.name === "escape" && !key.ctrl && !key.alt ? end(vim, editor, env) : undefined;
  }
  if (key.name === "escape") return escaped(vim, editor);
  const resting = vim.pending === "" ? vim : { ...vim, pending: "" };
  if (key.ctrl && !key.alt && key.name === "r") {
    return { vim: resting, editor: settled(edit(editor, { op: "redo" }, env)) };
  }
  const sign = key.ctrl || key.alt || (key.shift && key.text === undefined) ? undefined : (key.text ?? NAMED[key.name]);
  if (sign === undefined) return undefined;
  const waits = /[fFtTr]$/.test(vim.pending) && key.text !== undefined;
  const keys = vim.pending + (sign === " " && !waits ? "l" : sign);
  const command = parse(keys, vim.mode !== "normal");
  if (command === "more") return { vim: { ...vim, pending: keys }, editor };
  if (command === "none") return { vim: resting, editor };
  return whole(resting, vim.mode === "normal" ? settled(editor) : editor, keys, command, env);
}

/** Esc leaves a command that is not whole, then a selection; then it is not for here. */
function escaped(vim: Vim, editor: EditorState): VimStep | undefined {
  if (vim.mode === "normal" && vim.pending === "") return undefined;
  return { vim: { ...vim, mode: "normal", pending: "" }, editor: settled(editor) };
}

function whole(vim: Vim, editor: EditorState, keys: string, command: Command, env: EditorEnv): VimStep {
  const { name, operator } = command;
  if (name === "/" && operator === undefined) return { vim, editor, pass: "history-search" };
  if ((name === "j" || name === "k") && operator === undefined) return rows(vim, editor, command, env);
  const by = vim.mode === "normal" ? normal : visual;
  const done = name === "." ? again(vim, editor, command, env) : by(vim, editor, keys, command, env);
  return done ?? { vim, editor };
}

/** j and k go by the rows that are seen; at the first and last one the history comes up, as with Up and Down. */
function rows(vim: Vim, editor: EditorState, { name, count }: Command, env: EditorEnv): VimStep {
  const by = name === "j" ? 1 : -1;
  if (vim.mode === "normal" && count === 1) return { vim, editor, pass: by < 0 ? "row-up" : "row-down" };
  const moved = repeated(editor, count, (of) => edit(of, { op: "row", by }, env));
  return { vim, editor: vim.mode === "normal" ? settled(moved) : moved };
}

/** The last change once more, with another count where one was typed. */
function again(vim: Vim, editor: EditorState, { count, counted }: Command, env: EditorEnv): Done | undefined {
  const { change } = vim;
  if (change === undefined) return undefined;
  const { took } = change;
  const keys = counted ? `${count}${change.keys.replace(/^\d+/, "")}` : change.keys;
  const command = parse(keys, took !== undefined);
  if (typeof command === "string") return undefined;
  const done =
    took === undefined
      ? normal(vim, editor, keys, command, env)
      : onRange(vim, editor, tookFrom(editor, took), change, command, env);
  if (done?.vim.mode !== "insert") return done;
  const at = done.editor.cursor;
  const typed = edit(done.editor, { op: "replace", from: at, to: at, text: change.text ?? "" }, env);
  return end(done.vim, typed, env);
}
