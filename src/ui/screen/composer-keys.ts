import { expanded } from "../input/editor/buffer.ts";
import { continued, edit, type EditorEnv, fresh } from "../input/editor/edit.ts";
import { historyEntry, recallOp, stepHistory, withEntry } from "../input/editor/history.ts";
import { layout } from "../input/editor/layout.ts";
import type { Key } from "../input/key.ts";
import { type Action, editOf } from "../input/keymap.ts";
import { freshVim } from "../input/vim/state.ts";
import { SIGN_WIDTH } from "../render/composer.ts";
import type { Actions } from "./actions.ts";
import { completed, enterInMenu, moveInMenu } from "./menu-keys.ts";
import { picturePath } from "./pictures.ts";
import { openSearch } from "./search-keys.ts";
import type { ScreenState } from "./state.ts";

export interface KeyContext {
  actions: Actions;
  at: number;
  cols: number;
}

/** One key for the draft: edits it, recalls, completes or sends. */
export function composerKey(
  state: ScreenState,
  action: Action | undefined,
  key: Key,
  context: KeyContext,
): ScreenState {
  const { editor } = state;
  const env = envOf(context);
  if (editor.last.kind === "jump" && key.text !== undefined)
    return edited(state, { op: "insert", text: key.text }, env);
  switch (action) {
    case "send":
      return send(state, context);
    case "send-later":
      return state.busy ? sendLater(state, context) : edited(state, { op: "insert", text: "\n" }, env);
    case "row-up":
    case "row-down":
      return row(state, action === "row-up" ? -1 : 1, context);
    case "help":
      if (editor.text !== "") break;
      context.actions.send("/keys");
      return state;
    case "complete":
      return completed(state, env) ?? state;
    case "paste-image":
      return { ...state, incoming: {} };
    case "history-search":
      return openSearch(state);
    case "transpose-or-todo":
      return editor.text === "" ? { ...state, todo: !state.todo } : edited(state, { op: "transpose" }, env);
    case "delete-right-or-exit":
      return edited(state, { op: "delete", to: "right" }, env);
    case "left-or-background":
      return edited(state, { op: "move", to: "left" }, env);
    case "stash":
      return stashed(state, env);
    case "editor":
      context.actions.editDraft?.();
      return state;
    case "expand":
      return expand(state, context);
    default:
      break;
  }
  const op = action === undefined ? undefined : editOf(action);
  if (op !== undefined) return edited(state, op, env);
  if (key.text !== undefined && !key.ctrl && !key.alt) return edited(state, { op: "insert", text: key.text }, env);
  return state;
}

/** The composer's columns for the editor's own layout. */
export function envOf({ at, cols }: Pick<KeyContext, "at" | "cols">): EditorEnv {
  return { at, width: Math.max(2, cols - 1 - SIGN_WIDTH) };
}

function edited(state: ScreenState, op: Parameters<typeof edit>[1], env: EditorEnv): ScreenState {
  const editor = edit(state.editor, op, env);
  if (editor === state.editor) return state;
  const changed = editor.text !== state.editor.text;
  if (!changed) return { ...state, editor };
  return { ...state, editor, menu: {}, history: { entries: state.history.entries } };
}

/** Pasted text never sends and never answers. */
export function pasted(state: ScreenState, text: string, env: EditorEnv): ScreenState {
  const next = edited(state, { op: "paste", text }, env);
  const { notice } = next.editor;
  if (picturePath(text) !== undefined) return { ...next, incoming: { paste: text } };
  return notice === undefined ? next : { ...next, toast: { text: notice, until: env.at + 4000 } };
}

function send(state: ScreenState, context: KeyContext): ScreenState {
  const { editor } = state;
  const env = envOf(context);
  const longer = continued(editor, env);
  if (longer !== undefined) return { ...state, editor: longer, menu: {}, history: { entries: state.history.entries } };
  const entered = enterInMenu(state, env);
  if (entered !== undefined && "complete" in entered) return entered.complete;
  const text = entered?.run ?? expanded(editor);
  if (text.trim() === "") {
    if (!state.busy) context.actions.goOn();
    return state;
  }
  context.actions.send(text);
  return sent(state);
}

function sendLater(state: ScreenState, context: KeyContext): ScreenState {
  const text = expanded(state.editor);
  if (text.trim() === "") return state;
  context.actions.sendLater(text);
  return sent(state);
}

/** The draft goes into the history, the composer is fresh. */
export function sent(state: ScreenState): ScreenState {
  const vim = state.vim === undefined ? undefined : freshVim(state.vim);
  const sentHere = withEntry(state.sentHere, historyEntry(state.editor));
  return { ...state, editor: fresh(state.editor), vim, history: kept(state), sentHere, menu: {}, again: undefined };
}

function kept({ history, editor }: ScreenState): ScreenState["history"] {
  return { entries: withEntry(history.entries, historyEntry(editor)) };
}

/** Up and Down: rows first, then queued texts, then what was sent before (IN-8, Q-2). */
function row(state: ScreenState, by: -1 | 1, context: KeyContext): ScreenState {
  const env = envOf(context);
  const moved = moveInMenu(state, by);
  if (moved !== undefined) return moved;
  const { rows, row: at } = layout(state.editor, env.width);
  if (rows[at + by] !== undefined) return edited(state, { op: "row", by }, env);
  if (by < 0 && state.editor.text === "") {
    const back = context.actions.takeBack();
    if (back.length > 0) return put(state, back.join("\n\n"), env);
  }
  return recall(state, by, env);
}

function recall(state: ScreenState, by: -1 | 1, env: EditorEnv): ScreenState {
  const { entries } = state.history;
  const step = stepHistory(entries, state.history.recall, by, state.editor);
  if (step === undefined) return state;
  const editor = edit(state.editor, recallOp(step.entry), env);
  // A recalled command is not to open the menu: the next Up would move in it.
  return { ...state, editor, menu: { closed: editor.text }, history: { entries, recall: step.recall } };
}

/** Ctrl-O: the paste at the cursor in full (IN-14), else what was put out. */
function expand(state: ScreenState, context: KeyContext): ScreenState {
  const next = edited(state, { op: "expand" }, envOf(context));
  if (next === state) context.actions.expand();
  return next;
}

/** Ctrl-S: the draft aside, or the one that was put aside back; both change places (IN-17). */
function stashed(state: ScreenState, env: EditorEnv): ScreenState {
  const { editor, stash } = state;
  if (editor.text === "" && stash === undefined)
    return { ...state, toast: { text: "Nothing is put aside", until: env.at + 4000 } };
  const put = edited(state, recallOp(stash ?? { text: "" }), env);
  const aside = editor.text === "" ? undefined : historyEntry(editor);
  const told = aside === undefined ? undefined : { text: "Put aside · Ctrl-S brings it back", until: env.at + 4000 };
  return { ...put, stash: aside, menu: { closed: put.editor.text }, toast: told ?? state.toast };
}

/** Another text in the composer, undoable. */
export function put(state: ScreenState, text: string, env: EditorEnv): ScreenState {
  return { ...state, editor: edit(state.editor, { op: "set", text }, env), menu: { closed: text } };
}

/** The draft goes into the history and the composer is empty; undo brings it back. */
export function cleared(state: ScreenState, env: EditorEnv): ScreenState {
  return put({ ...state, history: kept(state) }, "", env);
}
