import type { Clock } from "../util/deps.ts";
import type { Task } from "./suite.ts";

const MINUTE = 60_000;
/** For laying out, copying and proving on a busy machine. */
const SLACK = 10 * MINUTE;
const SETUP = 5 * MINUTE;
const JUDGE = 5 * MINUTE;

/** The longest that a trial of this task can take where all that it waits for keeps its own limits, in milliseconds; undefined where it has none. */
export function mostMs({
  limits,
  prompts,
  setup,
  graders,
}: Pick<Task, "limits" | "prompts" | "setup" | "graders">): number | undefined {
  if (limits.minutes === undefined) return undefined;
  const grading = graders.map((g) => ("command" in g ? g.timeout * 1000 : "rubric" in g ? JUDGE : 0));
  const work = limits.minutes * MINUTE * prompts.length;
  return work + (setup === undefined ? 0 : SETUP) + grading.reduce((a, b) => a + b, 0) + SLACK;
}

/**
 * Runs something that should end by itself, with a signal that comes when it did not within so many milliseconds; some seconds later it is
 * left behind, since the other trials of this process are to go on. `late`: it was not in time, whatever it still gave.
 */
export async function inTime<T>(
  run: (signal: AbortSignal) => Promise<T>,
  { ms, signal, clock, graceMs = 10_000 }: { ms: number; signal: AbortSignal; clock: Clock; graceMs?: number },
): Promise<{ late: false; value: T } | { late: true }> {
  const end = new AbortController();
  const over = new AbortController();
  const running = run(AbortSignal.any([signal, end.signal])).then((value) => ({ late: false as const, value }));
  const timer = (async () => {
    await clock.sleep(ms, over.signal);
    if (!over.signal.aborted) end.abort();
    await clock.sleep(graceMs, over.signal);
    return { late: true as const };
  })();
  // Nobody waits for it when it is late.
  running.catch(() => undefined);
  try {
    const first = await Promise.race([running, timer]);
    return end.signal.aborted ? { late: true } : first;
  } finally {
    over.abort();
  }
}
