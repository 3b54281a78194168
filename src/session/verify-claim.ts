/** The event's number in the log, and what is wrong there. */
export interface Breach {
  seq: number;
  what: string;
}

/** One thing that a log proves, or does not. */
export interface Claim {
  name: string;
  /** What holds, with counts. */
  text: string;
  breaches: readonly Breach[];
  /** Why it could not be looked at; then it neither holds nor fails. */
  skipped?: string;
}

/** "1 write", "3 writes". */
export function count(n: number, word: string): string {
  return n === 1 ? `1 ${word}` : `${n.toLocaleString("en-US")} ${word}s`;
}
