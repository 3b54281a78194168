import { after, before, lineEnd, lineStart, type EditorState } from "./buffer.ts";
import { layout, offsetAt } from "./layout.ts";

export type Motion =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  /** To the last blank, as Ctrl-W does in a shell. */
  | "blank-left"
  | "line-start"
  | "line-end"
  | "start"
  | "end";

const WORD = /[\p{L}\p{N}_\u{10f000}-\u{10fffd}]/u;

/** Where a motion leads from the cursor. */
export function target(state: EditorState, to: Motion): number {
  const { text, cursor } = state;
  switch (to) {
    case "left":
      return before(text, cursor);
    case "right":
      return after(text, cursor);
    case "word-left":
      return skipBack(
        text,
        skipBack(text, cursor, (g) => !WORD.test(g)),
        (g) => WORD.test(g),
      );
    case "word-right":
      return skip(
        text,
        skip(text, cursor, (g) => !WORD.test(g)),
        (g) => WORD.test(g),
      );
    case "blank-left":
      return skipBack(
        text,
        skipBack(text, cursor, (g) => /\s/.test(g)),
        (g) => !/\s/.test(g),
      );
    case "line-start":
      return lineStart(text, cursor);
    case "line-end":
      return lineEnd(text, cursor);
    case "start":
      return 0;
    case "end":
      return text.length;
  }
}

function skip(text: string, from: number, while_: (grapheme: string) => boolean): number {
  let at = from;
  while (at < text.length) {
    const next = after(text, at);
    if (!while_(text.slice(at, next))) break;
    at = next;
  }
  return at;
}

function skipBack(text: string, from: number, while_: (grapheme: string) => boolean): number {
  let at = from;
  while (at > 0) {
    const next = before(text, at);
    if (!while_(text.slice(next, at))) break;
    at = next;
  }
  return at;
}

/** The offset one visual row up or down, and the column aimed at; undefined at the first or last row. */
export function vertical(state: EditorState, by: -1 | 1, width: number): { at: number; goal: number } | undefined {
  const { rows, row, x } = layout(state, width);
  const next = rows[row + by];
  if (next === undefined) return undefined;
  const goal = state.goal ?? x;
  return { at: offsetAt(state, next, goal), goal };
}
