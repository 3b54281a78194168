import type { Clock } from "../util/deps.ts";
import { span } from "../util/words.ts";
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

/** How much is tried before it is handed over to the person. */
export interface RetryBudget {
  attempts: number;
  /** Milliseconds spent in vain, in all: waits, and attempts that stalled. A wait that the service itself asks for doesn't count. */
  waitMs: number;
  /** Milliseconds: a longer wait than that, where the service asks for it, is told instead of sat out. */
  askedMs: number;
}

const HOUR_MS = 60 * 60_000;
/** A limit that comes back within hours is waited for where the person sees it and can stop it. Below two minutes without such a wait. */
export const RETRY_BUDGET: RetryBudget = { attempts: 9, waitMs: 5 * 60_000, askedMs: 6 * HOUR_MS };
/** Where nobody looks on, a program that hangs for hours is worse than one that says why it ended. */
export const UNWATCHED_ASKED_MS = 10 * 60_000;

const FIRST_MS = 500;
const MOST_MS = 32_000;

/** While another model stands by, this much is tried: less than a quarter of a minute. */
export function standbyBudget(budget: RetryBudget): RetryBudget {
  return { attempts: Math.min(3, budget.attempts), waitMs: budget.waitMs, askedMs: Math.min(15_000, budget.askedMs) };
}

/**
 * Milliseconds to wait before attempt `done + 1`, or undefined to give up. Exponential with up to a quarter of jitter taken off, as the
 * service's own clients do; what the service asks for is obeyed.
 */
export function waitBefore(
  fault: Fault,
  done: number,
  spentMs: number,
  budget: RetryBudget,
  random: number,
): number | undefined {
  if (!fault.retryable || done >= budget.attempts) return undefined;
  if (fault.retryAfterMs !== undefined) return fault.retryAfterMs > budget.askedMs ? undefined : fault.retryAfterMs;
  const wait = Math.round(Math.min(MOST_MS, FIRST_MS * 2 ** (done - 1)) * (1 - random / 4));
  return spentMs + wait > budget.waitMs ? undefined : wait;
}

/** Names the wait that was asked for where it is too long to be sat out; else undefined. */
export function tooLongWords({ retryAfterMs = 0 }: Fault, { askedMs }: RetryBudget): string | undefined {
  return retryAfterMs > askedMs ? `It asks to wait for ${span(retryAfterMs)}, more than is waited here.` : undefined;
}

const SLICE_MS = 60_000;

/** Waits by the clock on the wall, so that a machine that slept meanwhile doesn't wait on. At once with an aborted signal. */
export async function waitFor(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const until = clock.now() + ms;
  for (let left = ms; left > 0 && !signal.aborted;) {
    const slice = left > 2 * SLICE_MS ? SLICE_MS : left;
    await clock.sleep(slice, signal);
    left = Math.min(left - slice, until - clock.now());
  }
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
