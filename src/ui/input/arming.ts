import type { InputEvent } from "./key.ts";

/** How long a question must have been on the screen, and the keyboard at rest, before a key answers it (UX P-4). */
export const ARMING_MS = 400;

export interface Arming {
  /** When the frame with the question as it is now was handed to the terminal; undefined while it is not. */
  shownAt?: number | undefined;
  /** When the last key or paste came, whatever it was for. */
  lastAt: number;
}
export const UNARMED: Arming = { lastAt: -Infinity };

/** The question's frame was written, or another question took its place. */
export function questionShown(state: Arming, at: number): Arming {
  return { ...state, shownAt: at };
}
/** The question is gone, or is about to be drawn anew. */
export function questionGone(state: Arming): Arming {
  return { ...state, shownAt: undefined };
}

/**
 * Takes note of an event and says whether it may answer the question. Feed it every key and paste, also those typed
 * while no question was open: the rest before the key is one of the conditions. What does not count goes to the draft.
 */
export function mayAnswer(state: Arming, event: InputEvent): { counts: boolean; state: Arming } {
  if (event.kind !== "key" && event.kind !== "paste") return { counts: false, state };
  const { shownAt, lastAt } = state;
  // A key of before the frame is of before these 400 ms, too.
  const counts =
    event.kind === "key" &&
    event.alone &&
    shownAt !== undefined &&
    event.at - shownAt >= ARMING_MS &&
    event.at - lastAt >= ARMING_MS;
  // The rest before the next key begins with the last byte of this one.
  const until = event.kind === "key" ? (event.until ?? event.at) : event.at;
  return { counts, state: { ...state, lastAt: Math.max(lastAt, until) } };
}
