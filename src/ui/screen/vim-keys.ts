import { edit } from "../input/editor/edit.ts";
import type { Key } from "../input/key.ts";
import { settled } from "../input/vim/operate.ts";
import { freshVim } from "../input/vim/state.ts";
import { vimKey } from "../input/vim/vim.ts";
import { composerKey, envOf, type KeyContext } from "./composer-keys.ts";
import { openMenu } from "./menu-keys.ts";
import type { ScreenState } from "./state.ts";

/**
 * What the composer takes before anything that stops or closes is thought of: a character that is jumped to, and with the Vim keys on all
 * that they have a meaning for (IN-7). undefined: the key is for the screen.
 */
export function ownKey(state: ScreenState, key: Key, context: KeyContext): ScreenState | undefined {
  const { editor, vim } = state;
  const env = envOf(context);
  const escape = key.name === "escape";
  if (escape && openMenu(state) !== undefined) return undefined;
  if (escape && editor.last.kind === "jump")
    return { ...state, editor: edit(editor, { op: "go", to: editor.cursor }, env) };
  if (vim === undefined || editor.last.kind === "jump") return undefined;
  const step = vimKey(vim, editor, key, env);
  if (step === undefined) return undefined;
  const next: ScreenState = { ...state, vim: step.vim, editor: step.editor };
  if (step.pass !== undefined) return resting(next, composerKey(next, step.pass, key, context));
  if (step.editor.text === editor.text) return next;
  return { ...next, menu: {}, history: { entries: state.history.entries } };
}

/** After a key of the composer's own: in normal mode the cursor stands on a sign, and what is selected is still there. */
export function resting(before: ScreenState, after: ScreenState): ScreenState {
  const { vim, editor } = after;
  if (vim === undefined || vim.mode === "insert" || editor === before.editor) return after;
  const changed = editor.text !== before.editor.text && vim.mode !== "normal";
  return { ...after, vim: changed ? { ...vim, mode: "normal", pending: "" } : vim, editor: settled(editor) };
}

/** On or off; says which. */
export function toggledVim(state: ScreenState): ScreenState {
  return { ...state, vim: state.vim === undefined ? freshVim() : undefined };
}
