import type { MemoryScope } from "../events/memory-event.ts";

/** A file of instructions that is in force, as the model gets it. */
export interface MemoryFile {
  /** Absolute. */
  path: string;
  /** As it is named to the model and to people: relative to the folder where it lies below it, `~/…` below the home. */
  shown: string;
  scope: MemoryScope;
  /** Without the head of a rule; cut where it is too long, what can't be seen written out. */
  text: string;
  /** SHA-256 of the text, hex. */
  hash: string;
  /** Characters of the whole, where it was cut. */
  of?: number;
  /** The file that imports it, as shown. */
  by?: string;
}

/** Of one file, and of all of them together. */
export const MOST_FILE_CHARS = 24_000;
export const MOST_CHARS = 80_000;
export const MOST_FILES = 80;
/** So deep an import may lie behind a file that is read by itself. */
export const MOST_DEPTH = 5;
