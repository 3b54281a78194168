/** Time, ids and randomness arrive as arguments, so that a test can fix them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`, or at once with an aborted signal (never rejects). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Makes a fresh id, `prefix_` followed by at least 80 random bits. */
export type MakeId = (prefix: string) => string;
