/** What a key can mean on a screen of its own: the pager (T-5) and the review of changes. */
export type PageAction =
  | "half-up"
  | "half-down"
  /** To the message before, or the section. */
  | "turn-before"
  | "turn-next"
  | "find"
  | "find-next"
  | "find-before"
  | "to-scrollback"
  | "copy"
  | "file-before"
  | "file-next"
  | "take-all"
  | "take-none"
  | "comment";
type Keys = Readonly<
  Record<
    string,
    PageAction | "up" | "down" | "page-up" | "page-down" | "first" | "last" | "pick" | "toggle" | "editor" | "escape"
  >
>;

const BOTH: Keys = {
  j: "down",
  down: "down",
  k: "up",
  up: "up",
  b: "page-up",
  pageup: "page-up",
  "ctrl+b": "page-up",
  pagedown: "page-down",
  "ctrl+f": "page-down",
  "ctrl+d": "half-down",
  "ctrl+u": "half-up",
  g: "first",
  home: "first",
  "shift+g": "last",
  end: "last",
  q: "escape",
  "ctrl+o": "escape",
  "ctrl+g": "escape",
};
export const PAGER_KEYS: Keys = {
  ...BOTH,
  return: "down",
  "ctrl+n": "down",
  "ctrl+e": "down",
  "ctrl+p": "up",
  "ctrl+y": "up",
  space: "page-down",
  d: "half-down",
  u: "half-up",
  "[": "turn-before",
  "]": "turn-next",
  "/": "find",
  n: "find-next",
  "shift+n": "find-before",
  v: "editor",
  s: "to-scrollback",
  c: "copy",
};
export const REVIEW_KEYS: Keys = {
  ...BOTH,
  return: "pick",
  // Where nothing is chosen it is a page down, as in the pager.
  space: "toggle",
  tab: "file-next",
  "]": "file-next",
  "shift+tab": "file-before",
  "[": "file-before",
  a: "take-all",
  n: "take-none",
  c: "comment",
  e: "editor",
};
