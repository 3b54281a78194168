import type Anthropic from "@anthropic-ai/sdk";
import type { Clock } from "../util/deps.ts";
import { Collector } from "./anthropic-collect.ts";
import { toParams } from "./anthropic-request.ts";
import { knownModel } from "./known.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { RETRY_BUDGET, waitBefore, type Fault, type RetryBudget } from "./retry.ts";

export interface AnthropicDeps {
  access: { apiKey?: string; authToken?: string; baseUrl?: string };
  clock: Clock;
  random(): number;
  budget?: RetryBudget;
  /** A stream without a byte for so long is dead (it pings every few seconds while it lives). Default 50 s. */
  stallMs?: number;
}

const STALL_MS = 50_000;

/** A model of the Messages API, through its SDK; the SDK is loaded with the first request. */
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
    if (fault === undefined) {
      const reply = collector.reply();
      if (reply === undefined) throw new Error("a whole reply was promised");
      const { messageId, usage } = collector;
      yield {
        type: "reply",
        ...reply,
        usage,
        model: id,
        attempts: attempt,
        ...(messageId === undefined ? {} : { messageId }),
      };
      return;
    }
    const wait = signal.aborted ? undefined : waitBefore(fault, attempt, waited, budget, deps.random());
    if (wait === undefined) return yield failed(fault, collector, attempt, signal);
    waited += wait;
    yield {
      type: "retrying",
      attempt: attempt + 1,
      of: budget.attempts,
      inMs: wait,
      reason: fault.message,
      discarded: collector.shown,
    };
    await deps.clock.sleep(wait, signal);
    if (signal.aborted) return yield failed(fault, new Collector(), attempt, signal);
  }
}

function failed(fault: Fault, collector: Collector, attempts: number, signal: AbortSignal): ModelEvent {
  const { retryable } = fault;
  const message = attempts > 1 && retryable ? `${fault.message} (tried ${attempts} times)` : fault.message;
  const kind = signal.aborted ? "aborted" : fault.kind;
  return {
    type: "failed",
    kind,
    message: signal.aborted ? "Stopped." : message,
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
  deps: AnthropicDeps,
  collector: Collector,
): AsyncGenerator<ModelEvent, Fault | undefined> {
  const { CutError, faultOf, StalledError } = await import("./anthropic-error.ts");
  const where = deps.access.baseUrl === undefined ? "the Messages API" : hostOf(deps.access.baseUrl);
  const watchdog = new Watchdog(deps.stallMs ?? STALL_MS, signal);
  try {
    const client = await openClient(deps, () => watchdog.alive());
    const events = await client.messages.create(toParams(id, request), { signal: watchdog.signal, maxRetries: 0 });
    for await (const event of events) {
      const shown = collector.take(event);
      if (shown !== undefined) yield shown;
    }
    if (signal.aborted) return { kind: "aborted", message: "Stopped.", retryable: false };
    if (watchdog.bit) throw new StalledError(watchdog.words);
    if (collector.reply() === undefined) throw new CutError(`${where} ended the reply before it was whole.`);
    return undefined;
  } catch (error) {
    const really = watchdog.bit && !signal.aborted ? new StalledError(watchdog.words) : error;
    return faultOf(really, id, where, deps.clock.now());
  } finally {
    watchdog.end();
  }
}

/** Ends a request that says nothing for too long: the SDK has no such limit. */
class Watchdog {
  readonly #abort = new AbortController();
  readonly #ms: number;
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  bit = false;

  constructor(ms: number, outer: AbortSignal) {
    this.#ms = ms;
    this.signal = AbortSignal.any([outer, this.#abort.signal]);
    this.alive();
  }

  get words(): string {
    return `No word from the model for ${Math.round(this.#ms / 1000)} s.`;
  }
  alive(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.bit = true;
      this.#abort.abort();
    }, this.#ms);
  }
  end(): void {
    clearTimeout(this.#timer);
    // Frees the connection of a stream that was left halfway.
    this.#abort.abort();
  }
}

async function openClient({ access }: AnthropicDeps, alive: () => void): Promise<Anthropic> {
  const { default: Client } = await import("@anthropic-ai/sdk");
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  return new Client({
    // A local server may want no key; the SDK insists on one.
    apiKey: access.authToken === undefined ? (access.apiKey ?? "none") : null,
    ...(access.authToken === undefined ? {} : { authToken: access.authToken }),
    ...(access.baseUrl === undefined ? {} : { baseURL: access.baseUrl }),
    logger: silent,
    fetch: (url, init) => watchedFetch(url, init, alive),
    maxRetries: 0,
    openTelemetry: false,
  });
}

/** Tells of every piece that arrives: the SDK keeps pings to itself. */
async function watchedFetch(
  url: string | URL | Request,
  init: RequestInit | undefined,
  alive: () => void,
): Promise<Response> {
  const response = await fetch(url, init);
  alive();
  if (response.body === null) return response;
  const watched = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      alive();
      out.enqueue(piece);
    },
  });
  return new Response(response.body.pipeThrough(watched), response);
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
