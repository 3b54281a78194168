import type { EditorOp } from "./editor/edit.ts";
import { keyId, type Key } from "./key.ts";
import { PAGER_KEYS, REVIEW_KEYS } from "./page-keys.ts";
import type { PageAction } from "./page-keys.ts";

/** Where a key is meant for. `any` is asked last. */
export type Context = "composer" | "prompt" | "menu" | "search" | "overlay" | "pager" | "review" | "any";

/** Edits of the draft by name. */
const EDITS = {
  "edit.left": { op: "move", to: "left" },
  "edit.right": { op: "move", to: "right" },
  "edit.word-left": { op: "move", to: "word-left" },
  "edit.word-right": { op: "move", to: "word-right" },
  "edit.line-start": { op: "move", to: "line-start" },
  "edit.line-end": { op: "move", to: "line-end" },
  "edit.start": { op: "move", to: "start" },
  "edit.end": { op: "move", to: "end" },
  "edit.delete-left": { op: "delete", to: "left" },
  "edit.delete-right": { op: "delete", to: "right" },
  "edit.kill-line-end": { op: "kill", to: "line-end" },
  "edit.kill-line-start": { op: "kill", to: "line-start" },
  "edit.kill-word-left": { op: "kill", to: "word-left" },
  "edit.kill-word-right": { op: "kill", to: "word-right" },
  "edit.kill-blank-left": { op: "kill", to: "blank-left" },
  "edit.yank": { op: "yank" },
  "edit.yank-pop": { op: "yank-pop" },
  "edit.undo": { op: "undo" },
  "edit.redo": { op: "redo" },
  "edit.transpose": { op: "transpose" },
  "edit.jump": { op: "jump" },
  "edit.newline": { op: "insert", text: "\n" },
} as const satisfies Record<string, EditorOp>;
export type EditAction = keyof typeof EDITS;
/** All of them by name. */
export const EDIT_ACTIONS = Object.keys(EDITS) as readonly EditAction[];

/** Everything else that a key can mean. */
export type AppAction =
  | "send"
  /** Alt+Enter: after the query while working, a line end otherwise. */
  | "send-later"
  | "row-up"
  | "row-down"
  | "delete-right-or-exit"
  /** Ctrl-T: with a draft its characters, without one the list of todos. */
  | "transpose-or-todo"
  /** Ctrl-B: with an empty draft a running command goes to the background. */
  | "left-or-background"
  | "complete"
  | "history-search"
  /** The clipboard's picture. */
  | "paste-image"
  | "stash"
  | "editor"
  | "expand"
  | "help"
  | "escape"
  | "interrupt"
  | "suspend"
  | "mode-next"
  | "repaint"
  | "model"
  | "thinking"
  | "focus-prompt"
  | "yes"
  | "yes-remember"
  | "no"
  | "pick"
  | "up"
  | "down"
  | "page-up"
  | "page-down"
  | "first"
  | "last"
  | "toggle"
  | "note"
  | "explain"
  | "older"
  | "scope"
  | PageAction;
export type Action = EditAction | AppAction;
export type Bindings = Readonly<Record<string, Action>>;
export type Keymap = Readonly<Record<Context, Bindings>>;

const LIST: Bindings = {
  up: "up",
  down: "down",
  "ctrl+p": "up",
  "ctrl+n": "down",
  pageup: "page-up",
  pagedown: "page-down",
  home: "first",
  end: "last",
  return: "pick",
};

/** UX 7 and IN-4. */
export const DEFAULT_KEYMAP: Keymap = {
  composer: {
    return: "send",
    "shift+return": "edit.newline",
    "ctrl+j": "edit.newline",
    "alt+return": "send-later",
    up: "row-up",
    down: "row-down",
    "ctrl+p": "row-up",
    "ctrl+n": "row-down",
    left: "edit.left",
    right: "edit.right",
    "ctrl+b": "left-or-background",
    "ctrl+f": "edit.right",
    "ctrl+left": "edit.word-left",
    "ctrl+right": "edit.word-right",
    "alt+left": "edit.word-left",
    "alt+right": "edit.word-right",
    "alt+b": "edit.word-left",
    "alt+f": "edit.word-right",
    home: "edit.line-start",
    end: "edit.line-end",
    "ctrl+a": "edit.line-start",
    "ctrl+e": "edit.line-end",
    "ctrl+home": "edit.start",
    "ctrl+end": "edit.end",
    backspace: "edit.delete-left",
    "shift+backspace": "edit.delete-left",
    "ctrl+h": "edit.delete-left",
    delete: "edit.delete-right",
    "ctrl+d": "delete-right-or-exit",
    "ctrl+k": "edit.kill-line-end",
    "ctrl+u": "edit.kill-line-start",
    "ctrl+w": "edit.kill-blank-left",
    "alt+backspace": "edit.kill-word-left",
    "ctrl+backspace": "edit.kill-word-left",
    "alt+d": "edit.kill-word-right",
    "alt+delete": "edit.kill-word-right",
    "ctrl+delete": "edit.kill-word-right",
    "ctrl+y": "edit.yank",
    "alt+y": "edit.yank-pop",
    "ctrl+t": "transpose-or-todo",
    "alt+t": "thinking",
    "ctrl+_": "edit.undo",
    "ctrl+/": "edit.undo",
    "ctrl+shift+-": "edit.undo",
    "alt+_": "edit.redo",
    "alt+shift+-": "edit.redo",
    "ctrl+]": "edit.jump",
    tab: "complete",
    "ctrl+r": "history-search",
    "ctrl+s": "stash",
    "ctrl+g": "editor",
    "ctrl+x ctrl+e": "editor",
    "ctrl+o": "expand",
    "ctrl+v": "paste-image",
    "alt+p": "model",
    // Text where something is typed already.
    "?": "help",
  },
  prompt: {
    ...LIST,
    y: "yes",
    "1": "yes",
    "2": "yes-remember",
    "3": "no",
    n: "no",
    space: "toggle",
    tab: "note",
    "ctrl+e": "explain",
    "ctrl+o": "expand",
    "ctrl+y": "focus-prompt",
  },
  menu: { up: "up", down: "down", "ctrl+p": "up", "ctrl+n": "down", tab: "complete", return: "pick" },
  search: { "ctrl+r": "older", up: "older", "ctrl+s": "scope", return: "pick", tab: "pick", "ctrl+g": "escape" },
  overlay: { ...LIST, space: "toggle", "ctrl+g": "escape" },
  pager: PAGER_KEYS,
  review: REVIEW_KEYS,
  any: {
    escape: "escape",
    "ctrl+c": "interrupt",
    "ctrl+z": "suspend",
    "shift+tab": "mode-next",
    "alt+m": "mode-next",
    "ctrl+l": "repaint",
  },
};

/** The action of a key in a context, or of the same key anywhere. */
export function actionOf(keymap: Keymap, context: Context, key: Key): Action | undefined {
  // Only where letters are no text a capital is a key of its own.
  const capital = (context === "pager" || context === "review") && key.shift && key.name.length === 1;
  const id = capital && key.text !== undefined ? `shift+${key.name}` : keyId(key);
  const own = keymap[context];
  if (Object.hasOwn(own, id)) return own[id];
  return Object.hasOwn(keymap.any, id) ? keymap.any[id] : undefined;
}

/** What an edit action does to the draft. */
export function editOf(action: Action): EditorOp | undefined {
  return Object.hasOwn(EDITS, action) ? EDITS[action as EditAction] : undefined;
}

/** The keys of an action in a context, for help. */
export function keysOf(keymap: Keymap, context: Context, action: Action): string[] {
  return Object.keys(keymap[context]).filter((id) => keymap[context][id] === action);
}
