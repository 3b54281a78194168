import type { SessionEvent } from "../events/event.ts";
import type { QueryResult } from "../session/session.ts";

/** Runs a query's generator to its end and gives every event to `onEvent`, in order. */
export async function drain<R = QueryResult>(
  query: AsyncGenerator<SessionEvent, R>,
  onEvent: (event: SessionEvent) => void | Promise<void>,
): Promise<R> {
  for (;;) {
    const step = await query.next();
    if (step.done === true) return step.value;
    await onEvent(step.value);
  }
}
