import type { Entry } from "./entry.ts";

export interface Transcript {
  /** Takes entries; they are on the way to the screen. */
  append(entries: readonly Entry[]): void;
  /** Rows of what was appended since the last time, for `out.above`; empty when there is nothing new. */
  take(width: number): string[];
  /** Rows of the newest entries, at most `rows`: to paint the screen anew (Ctrl-L). */
  newest(width: number, rows: number): string[];
  readonly size: number;
}

/** How many entries stay in memory; the log holds all of them. */
const KEPT = 200;

/** What was said and done, append-only. `draw` makes the rows of an entry, the blank row before it included. */
export function createTranscript(draw: (entry: Entry, width: number) => readonly string[]): Transcript {
  let kept: Entry[] = [];
  let fresh: Entry[] = [];
  let size = 0;
  return {
    append(entries) {
      fresh.push(...entries);
      size += entries.length;
    },
    take(width) {
      const rows = fresh.flatMap((entry) => draw(entry, width));
      kept = [...kept, ...fresh].slice(-KEPT);
      fresh = [];
      return rows;
    },
    newest(width, rows) {
      const out: string[] = [];
      for (let i = kept.length - 1; i >= 0 && out.length < rows; i--) {
        const entry = kept[i];
        if (entry !== undefined) out.unshift(...draw(entry, width));
      }
      return out.slice(-rows);
    },
    get size() {
      return size;
    },
  };
}
