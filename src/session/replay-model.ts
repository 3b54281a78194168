import type { ReplyBlock } from "../events/block.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import type { Model, ModelEvent } from "../model/model.ts";

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** How one request of the record ended: its reply, or why there was none. */
interface Outcome {
  voided: readonly LogEventOf<"reply.voided">[];
  reply?: LogEventOf<"reply.completed" | "reply.cut">;
  end?: LogEventOf<"query.finished">;
}

export interface ReplayModelOptions {
  /** The model's words about paths, in those of the run that plays. */
  here: (text: string) => string;
  /** The reply broke off here because the person stopped it. */
  onStopped: () => void;
}

/** A model that answers each request as the record did, in order, whatever it is asked. */
export function replayModel(events: readonly LogEvent[], id: string, options: ReplayModelOptions): Model {
  const outcomes = outcomesOf(events);
  let next = 0;
  return {
    id,
    contextWindow: 1_000_000,
    maxOutput: 32_000,
    stream: (_request, signal) => play(outcomes[next++], signal, options),
  };
}

function outcomesOf(events: readonly LogEvent[]): Outcome[] {
  const outcomes: Outcome[] = [];
  let open: Outcome | undefined;
  let voided: LogEventOf<"reply.voided">[] = [];
  for (const event of events) {
    if (event.type === "turn.started") {
      voided = [];
      open = { voided };
      outcomes.push(open);
    }
    if (open === undefined) continue;
    if (event.type === "reply.voided") voided.push(event);
    if (event.type === "reply.completed" || event.type === "reply.cut") open.reply ??= event;
    if (event.type === "query.finished") open.end ??= event;
  }
  return outcomes;
}

async function* play(
  outcome: Outcome | undefined,
  signal: AbortSignal,
  { here, onStopped }: ReplayModelOptions,
): AsyncGenerator<ModelEvent> {
  await Promise.resolve();
  if (outcome === undefined) {
    const message = "The record has no further reply.";
    yield { type: "failed", kind: "script", message, retryable: false, partial: [], usage: NONE };
    return;
  }
  for (const { reason, usage } of outcome.voided)
    yield { type: "retrying", attempt: 1, of: 1, inMs: 0, reason, discarded: false, usage };
  const { reply, end } = outcome;
  if (reply?.type === "reply.completed") {
    const { usage, stopReason, model, attempts, messageId } = reply;
    const named = messageId === undefined ? {} : { messageId };
    yield { type: "reply", blocks: blocksHere(reply.blocks, here), usage, stopReason, model, attempts, ...named };
    return;
  }
  const partial = blocksHere(reply?.blocks ?? [], here);
  const usage = reply?.usage ?? NONE;
  if (end?.reason === "refused") {
    const model = reply?.model ?? "";
    yield { type: "reply", blocks: partial, usage, stopReason: "refusal", model, attempts: 1 };
    return;
  }
  const stopped = end?.reason === "interrupted" || end === undefined;
  const message = reply?.reason ?? end?.detail ?? "";
  if (stopped) await untilStopped(signal, onStopped);
  const kind = stopped ? ("aborted" as const) : ("server" as const);
  yield { type: "failed", kind, message, retryable: false, partial, usage };
}

async function untilStopped(signal: AbortSignal, onStopped: () => void): Promise<void> {
  onStopped();
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

function blocksHere(blocks: readonly ReplyBlock[], here: (text: string) => string): ReplyBlock[] {
  return blocks.map((b): ReplyBlock => {
    if (b.type === "text") return { ...b, text: here(b.text) };
    return b.type === "tool_use" ? { ...b, input: deep(b.input, here) } : b;
  });
}

function deep(input: Record<string, unknown>, here: (text: string) => string): Record<string, unknown> {
  const mapped = (value: unknown): unknown => {
    if (typeof value === "string") return here(value);
    if (Array.isArray(value)) return value.map(mapped);
    return typeof value === "object" && value !== null ? deep({ ...value }, here) : value;
  };
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, mapped(value)]));
}
