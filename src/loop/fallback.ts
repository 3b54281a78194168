import type { SessionEvent } from "../events/event.ts";
import type { FailureKind, Model } from "../model/model.ts";
import type { LoopDeps } from "./deps.ts";

/** The model that stands by for this one; undefined where none is named, or it is the same. */
export function standingBy(deps: LoopDeps, model: Model): Model | undefined {
  const spare = deps.fallback?.();
  return spare === undefined || spare.id === model.id ? undefined : spare;
}

/** Faults that another model may not have. A key, a request or a name that is refused stays refused: that is told. */
const PASSING: ReadonlySet<FailureKind> = new Set(["overloaded", "rate-limit", "server", "stalled", "network"]);

export function mayFallBack({ kind, retryable }: { kind: FailureKind; retryable: boolean }): boolean {
  return retryable && PASSING.has(kind);
}

/** From here on the session is on the model that stands by. */
export async function* fallBack({ log }: LoopDeps, spare: Model, reason: string): AsyncGenerator<SessionEvent, void> {
  yield await log.append({ type: "model.changed", model: spare.id, by: "fallback", reason });
}

/** With the person's next message the first choice has its turn again. */
export async function* backToFirst({ log }: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const { fellFrom } = log.state;
  if (fellFrom !== undefined) yield await log.append({ type: "model.changed", model: fellFrom, by: "back" });
}
