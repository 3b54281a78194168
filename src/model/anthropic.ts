import type { Clock } from "../util/deps.ts";
import { type Access, type Start, startRequest } from "./anthropic-client.ts";
import { Collector, type Collected } from "./anthropic-collect.ts";
import type { ServiceWords } from "./anthropic-error.ts";
import { AnswerHead } from "./answer-head.ts";
import { knownModel, type Known } from "./known.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { rateLimits } from "./rate-limits.ts";
import { patienceFor } from "./patience.ts";
import {
  RETRY_BUDGET,
  standbyBudget,
  tooLongWords,
  waitBefore,
  waitFor,
  type Fault,
  type RetryBudget,
} from "./retry.ts";
import { CutError, StalledError } from "./stream-error.ts";
import { Watchdog, type Patience } from "./watchdog.ts";

export interface AnthropicDeps {
  access: Access;
  clock: Clock;
  random(): number;
  budget?: Partial<RetryBudget>;
  /** How long a silent request is waited for. */
  patience?: Partial<Patience>;
  /** Who else speaks to the service, and what it is called then. Default: the SDK to the Messages API. */
  start?: Start;
  service?: ServiceWords;
  /** What the service calls the model. Default: the model's id. */
  named?: string;
  /** Its limits, where the person's settings know more than the program. */
  known?: Known;
}

const STOPPED: Fault = { kind: "aborted", message: "Stopped.", retryable: false };

/** A model of the Messages API, through its SDK. */
export function anthropicModel(id: string, deps: AnthropicDeps): Model {
  const known = deps.known ?? knownModel(id);
  const { contextWindow, maxOutput } = known;
  return { id, contextWindow, maxOutput, stream: (request, signal) => stream(id, request, signal, { ...deps, known }) };
}

/** Attempts until a whole reply, a fault that no repeat can mend, or the end of the budget. */
async function* stream(
  id: string,
  request: ModelRequest,
  signal: AbortSignal,
  deps: AnthropicDeps,
): AsyncGenerator<ModelEvent> {
  const budget = budgetOf(request, deps);
  let spent = 0;
  for (let attempt = 1; ; attempt++) {
    const collector = new Collector();
    const since = deps.clock.now();
    const fault = yield* once({ id, request, attempt }, signal, deps, collector);
    if (fault === undefined) return yield whole(collector, id, attempt);
    const kept = fault.retryable && !signal.aborted ? collector.kept() : undefined;
    if (kept !== undefined) return yield { ...replyOf(kept, collector, id, attempt), brokeOff: fault.message };
    if (fault.kind === "stalled") spent += Math.max(0, deps.clock.now() - since);
    const wait = signal.aborted ? undefined : waitBefore(fault, attempt, spent, budget, deps.random());
    if (wait === undefined) return yield failed(fault, collector, { attempt, budget, signal });
    if (fault.retryAfterMs === undefined) spent += wait;
    yield {
      type: "retrying",
      attempt: attempt + 1,
      of: budget.attempts,
      inMs: wait,
      reason: fault.message,
      discarded: collector.shown,
      usage: collector.usage,
    };
    // Stopped meanwhile: the next attempt ends before it calls anyone.
    await waitFor(wait, deps.clock, signal);
  }
}

function budgetOf({ standby }: ModelRequest, deps: AnthropicDeps): RetryBudget {
  const budget = { ...RETRY_BUDGET, ...deps.budget };
  return standby === true ? standbyBudget(budget) : budget;
}

function whole(collector: Collector, model: string, attempts: number): ModelEvent {
  const reply = collector.reply();
  if (reply === undefined) throw new Error("a whole reply was promised");
  return replyOf(reply, collector, model, attempts);
}

function replyOf(
  reply: Collected,
  { messageId, usage }: Collector,
  model: string,
  attempts: number,
): Extract<ModelEvent, { type: "reply" }> {
  return { type: "reply", ...reply, usage, model, attempts, ...(messageId === undefined ? {} : { messageId }) };
}

function failed(
  fault: Fault,
  collector: Collector,
  { attempt, budget, signal }: { attempt: number; budget: RetryBudget; signal: AbortSignal },
): ModelEvent {
  const { kind, message, retryable } = signal.aborted ? STOPPED : fault;
  const long = signal.aborted ? undefined : tooLongWords(fault, budget);
  const tried = attempt > 1 && retryable && long === undefined ? ` (tried ${attempt} times)` : "";
  const words = `${tried === "" ? message : message.replace(/\.$/, "")}${tried}`.replace(/(?<![.!?])$/, ".");
  return {
    type: "failed",
    kind,
    message: long === undefined ? words : `${words} ${long}`,
    retryable,
    partial: collector.blocks(),
    usage: collector.usage,
  };
}

/** One request: deltas as they come; gives the fault, or undefined for a whole reply. */
async function* once(
  { id, request, attempt }: { id: string; request: ModelRequest; attempt: number },
  signal: AbortSignal,
  { access, clock, patience, start = startRequest, service, named = id, known }: AnthropicDeps,
  collector: Collector,
): AsyncGenerator<ModelEvent, Fault | undefined> {
  const { faultOf } = await import("./anthropic-error.ts");
  const at = { model: named, ...access, now: clock.now(), service };
  const watchdog = new Watchdog({ ...patienceFor(request, access.baseUrl, attempt), ...patience }, signal);
  const answer = new AnswerHead();
  const hearing = {
    alive: (piece?: Uint8Array) => {
      watchdog.alive();
      answer.begins(piece);
    },
    head: (headers: Headers) => void (answer.headers = headers),
  };
  try {
    const events = await start({ named, request, thinking: known?.thinking }, access, watchdog.signal, hearing);
    yield* limitsIn(answer.headers, clock);
    for await (const event of events) {
      const shown = collector.take(event);
      watchdog.progress();
      if (shown !== undefined) yield shown;
      if (event.type === "message_stop") watchdog.soon();
    }
    if (signal.aborted) return STOPPED;
    if (collector.reply() !== undefined) return undefined;
    throw watchdog.bit ? new StalledError(watchdog.words) : (unreadable(collector, answer) ?? new CutError(CUT));
  } catch (error) {
    if (signal.aborted) return STOPPED;
    // However the stream ended: what is whole needs no repeat.
    if (collector.reply() !== undefined) return undefined;
    const told = collector.messageId === undefined ? limitsIn(answer.headers, clock) : [];
    yield* told;
    return withLimits(faultOf(watchdog.bit ? new StalledError(watchdog.words) : error, at), told);
  } finally {
    watchdog.end();
  }
}

const CUT = "The reply ended before it was whole.";

function unreadable(collector: Collector, answer: AnswerHead): Error | undefined {
  return collector.empty ? answer.notAStream() : undefined;
}

type Told = Extract<ModelEvent, { type: "limits" }>;

/** A rate limit with the name of what is used up: the retry says it. */
function withLimits(fault: Fault, [told]: readonly Told[]): Fault {
  const empty = told?.limits.filter((limit) => limit.left < 0.01).map((limit) => limit.name) ?? [];
  if (fault.kind !== "rate-limit" || empty.length === 0) return fault;
  return { ...fault, message: `${fault.message} (used up: ${empty.join(", ")})` };
}

function limitsIn(headers: Headers | undefined, clock: Clock): Told[] {
  const limits = headers === undefined ? [] : rateLimits(headers, clock.now());
  return limits.length === 0 ? [] : [{ type: "limits", limits }];
}
