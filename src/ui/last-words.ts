import type { LoadOptions } from "../events/load.ts";
import { readTail } from "../events/read-tail.ts";
import type { Boot, Past } from "./boot.ts";
import { newestLines } from "./render/transcript.ts";
import { paint } from "./render/spans.ts";
import type { Theme } from "./theme.ts";

/** How much of a log's end is read: first what a screenful mostly takes, then more where that is too little. */
const TAILS = [64, 1024].map((kb) => kb * 1024);

/**
 * The newest rows of a session before its log is read in whole, which takes a second for a very long one. They stand in the frame
 * above the composer, so that the screen, which knows all, prints them in their own place.
 */
export function showLastWords(boot: Pick<Boot, "show" | "out">, log: LoadOptions, theme: Theme): void {
  for (const bytes of TAILS) {
    const tail = readTail(log, bytes);
    if (tail === undefined) return;
    const { state, whole } = tail;
    const past: Past = (width, rows) => paint(newestLines(state, width, rows), theme);
    const { columns, rows } = boot.out;
    if (!whole && bytes !== TAILS.at(-1) && past(Math.max(1, columns - 1), rows).length < rows) continue;
    return boot.show(past);
  }
}
