import type { Clock } from "../util/deps.ts";
import { type Access, type Start, startRequest } from "./anthropic-client.ts";
import { Collector } from "./anthropic-collect.ts";
import type { ServiceWords } from "./anthropic-error.ts";
import { knownModel } from "./known.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { RETRY_BUDGET, waitBefore, type Fault, type RetryBudget } from "./retry.ts";
import { Watchdog, type Patience } from "./watchdog.ts";

export interface AnthropicDeps {
  access: Access;
  clock: Clock;
  random(): number;
  budget?: RetryBudget;
  /** How long a silent request is waited for. */
  patience?: Partial<Patience>;
  /** Who else speaks to the service, and what it is called then. Default: the SDK to the Messages API. */
  start?: Start;
  service?: ServiceWords;
  /** What the service calls the model. Default: the model's id. */
  named?: string;
}

const STALL_MS = 50_000;
const FIRST_MS = 120_000;
/** A server of one's own may have to load a model and read a long prompt before its first byte. */
const FIRST_OWN_MS = 10 * 60_000;
const STOPPED: Fault = { kind: "aborted", message: "Stopped.", retryable: false };

/** A model of the Messages API, through its SDK. */
export function anthropicModel(id: string, deps: AnthropicDeps): Model {
  const { contextWindow, maxOutput } = knownModel(id);
  return { id, contextWindow, maxOutput, stream: (request, signal) => stream(id, request, signal, deps) };
}

/** Attempts until a whole reply, a fault that no repeat can mend, or the end of the budget. */
async function* stream(
  id: string,
  request: ModelRequest,
  signal: AbortSignal,
  deps: AnthropicDeps,
): AsyncGenerator<ModelEvent> {
  const budget = deps.budget ?? RETRY_BUDGET;
  let waited = 0;
  for (let attempt = 1; ; attempt++) {
    const collector = new Collector();
    const fault = yield* once(id, request, signal, deps, collector);
    if (fault === undefined) return yield whole(collector, id, attempt);
    const wait = signal.aborted ? undefined : waitBefore(fault, attempt, waited, budget, deps.random());
    if (wait === undefined) return yield failed(fault, collector, attempt, signal);
    if (fault.retryAfterMs === undefined) waited += wait;
    yield {
      type: "retrying",
      attempt: attempt + 1,
      of: budget.attempts,
      inMs: wait,
      reason: fault.message,
      discarded: collector.shown,
    };
    // Stopped meanwhile: the next attempt ends before it calls anyone.
    await deps.clock.sleep(wait, signal);
  }
}

function whole(collector: Collector, model: string, attempts: number): ModelEvent {
  const reply = collector.reply();
  if (reply === undefined) throw new Error("a whole reply was promised");
  const { messageId, usage } = collector;
  return { type: "reply", ...reply, usage, model, attempts, ...(messageId === undefined ? {} : { messageId }) };
}

function failed(fault: Fault, collector: Collector, attempts: number, signal: AbortSignal): ModelEvent {
  const { kind, message, retryable } = signal.aborted ? STOPPED : fault;
  const tried = attempts > 1 && retryable ? ` (tried ${attempts} times)` : "";
  return {
    type: "failed",
    kind,
    message: message + tried,
    retryable,
    partial: collector.blocks(),
    usage: collector.usage,
  };
}

/** One request: deltas as they come; gives the fault, or undefined for a whole reply. */
async function* once(
  id: string,
  request: ModelRequest,
  signal: AbortSignal,
  { access, clock, patience, start = startRequest, service, named = id }: AnthropicDeps,
  collector: Collector,
): AsyncGenerator<ModelEvent, Fault | undefined> {
  const { CutError, faultOf, StalledError } = await import("./anthropic-error.ts");
  const at = { model: named, ...access, now: clock.now(), service };
  const firstMs = access.baseUrl === undefined ? FIRST_MS : FIRST_OWN_MS;
  const watchdog = new Watchdog({ firstMs, stallMs: STALL_MS, ...patience }, signal);
  try {
    const hearing = { alive: () => watchdog.alive(), head: () => undefined };
    const events = await start({ named, request }, access, watchdog.signal, hearing);
    for await (const event of events) {
      const shown = collector.take(event);
      if (shown !== undefined) yield shown;
      if (event.type === "message_stop") watchdog.soon();
    }
    if (collector.reply() === undefined) throw new CutError("The reply ended before it was whole.");
    return signal.aborted ? STOPPED : undefined;
  } catch (error) {
    if (signal.aborted) return STOPPED;
    // However the stream ended: what is whole needs no repeat.
    if (collector.reply() !== undefined) return undefined;
    return faultOf(watchdog.bit ? new StalledError(watchdog.words) : error, at);
  } finally {
    watchdog.end();
  }
}
