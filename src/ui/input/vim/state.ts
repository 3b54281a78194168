import type { EditorState } from "../editor/buffer.ts";

export type VimMode = "insert" | "normal" | "visual" | "lines";

/** A character that was looked for in its line. */
export interface Find {
  key: "f" | "F" | "t" | "T";
  char: string;
}
/** What "." does again. */
export interface Change {
  keys: string;
  /** What was typed behind it, where it led to insert mode. */
  text?: string;
  /** What a visual command took: whole lines, or signs. */
  took?: { lines: boolean; count: number };
}
/** How insert mode began. */
export interface Inserting {
  head: string;
  tail: string;
  /** Newest undo step of before the command that led here. */
  undo: EditorState["undo"][number] | undefined;
  count: number;
  /** Stands between repetitions. */
  between: string;
  change: Change;
}

/** The Vim keys' own state beside the draft (IN-7). Immutable. */
export interface Vim {
  mode: VimMode;
  /** Keys of a command that is not whole yet. */
  pending: string;
  /** The selection's other end. */
  anchor: number;
  find?: Find | undefined;
  change?: Change | undefined;
  /** The kill ring whose newest entry is whole lines. */
  lines?: readonly string[] | undefined;
  inserting?: Inserting | undefined;
}

/** A fresh draft is written, not commanded; what "." and ";" repeat stays. */
export function freshVim(vim?: Vim): Vim {
  return {
    mode: "insert",
    pending: "",
    anchor: 0,
    find: vim?.find,
    change: vim?.change,
    lines: vim?.lines,
  };
}

/** In words, for the status (IN-7). */
export function vimWords({ mode, pending }: Vim): string {
  const words = { insert: "INSERT", normal: "NORMAL", visual: "VISUAL", lines: "V-LINE" }[mode];
  return pending === "" ? words : `${words} ${pending}`;
}
