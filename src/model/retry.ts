import type { FailureKind } from "./model.ts";

/** Why an attempt failed, as far as the policy needs it. */
export interface Fault {
  kind: FailureKind;
  /** One readable line that says what to do. */
  message: string;
  retryable: boolean;
  /** Milliseconds that the service asked to wait. */
  retryAfterMs?: number;
}

/** How much is tried before the person is told. */
export interface RetryBudget {
  attempts: number;
  /** Milliseconds spent waiting, in all; a wait that the service itself asks for doesn't count. */
  waitMs: number;
}
export const RETRY_BUDGET: RetryBudget = { attempts: 10, waitMs: 5 * 60_000 };

const FIRST_MS = 500;
const MOST_MS = 32_000;
/** A longer wait than that is not for a program to sit out. */
export const LONGEST_ASKED_MS = 60 * 60_000;

/**
 * Milliseconds to wait before attempt `done + 1`, or undefined to give up. Exponential with up to a quarter of jitter taken off, as the
 * service's own clients do; what the service asks for is obeyed.
 */
export function waitBefore(
  fault: Fault,
  done: number,
  waited: number,
  budget: RetryBudget,
  random: number,
): number | undefined {
  if (!fault.retryable || done >= budget.attempts) return undefined;
  if (fault.retryAfterMs !== undefined) return fault.retryAfterMs > LONGEST_ASKED_MS ? undefined : fault.retryAfterMs;
  const wait = Math.round(Math.min(MOST_MS, FIRST_MS * 2 ** (done - 1)) * (1 - random / 4));
  return waited + wait > budget.waitMs ? undefined : wait;
}

/** Reads `retry-after-ms` and `retry-after` (seconds or a date); undefined when neither says anything. */
export function retryAfter(headers: { get(name: string): string | null }, now: number): number | undefined {
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const after = headers.get("retry-after");
  if (after === null) return undefined;
  const seconds = Number(after);
  if (after.trim() !== "" && seconds >= 0) return seconds * 1000;
  // A bare or negative number would be read as a year.
  const date = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
