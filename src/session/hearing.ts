import type { SessionEvent } from "../events/event.ts";
import type { RateLimit } from "../events/live-event.ts";

/** Hands on what comes, and tells of the service's limits. */
export async function* hearing<R>(
  events: AsyncGenerator<SessionEvent, R>,
  told: (limits: readonly RateLimit[]) => void,
): AsyncGenerator<SessionEvent, R> {
  try {
    for (;;) {
      const step = await events.next();
      if (step.done === true) return step.value;
      if (step.value.type === "limits.told") told(step.value.limits);
      yield step.value;
    }
  } finally {
    // Left halfway, it has to end as well; at its end that does nothing.
    await events.return(undefined as R);
  }
}

/** Runs it to its end. */
export async function drained(run: AsyncGenerator<SessionEvent, unknown>): Promise<void> {
  while ((await run.next()).done !== true);
}
