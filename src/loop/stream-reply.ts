import type { ReplyBlock, ToolUseBlock } from "../events/block.ts";
import { called } from "../events/called.ts";
import type { SessionEvent, Usage } from "../events/event.ts";
import { uniqueCallIds } from "../events/ids.ts";
import { promptTokens } from "../events/usage.ts";
import type { Model, ModelEvent } from "../model/model.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { fallBack, mayFallBack, standingBy } from "./fallback.ts";
import { mending } from "./mending.ts";
import { DECLINED } from "./say.ts";

export interface Reply {
  calls: readonly ToolUseBlock[];
  stopReason: string;
  /** Neither a call nor a word: not an answer. */
  blank: boolean;
}

type Failed = Extract<ModelEvent, { type: "failed" }>;

/**
 * Asks the model for one reply: deltas live, then `reply.completed` or `reply.cut` as a fact, before any call runs (L3). A model that can't
 * be had gives way to the one that stands by (S10), for the rest of the query.
 */
export async function* streamReply(
  deps: LoopDeps,
  turn: number,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Reply | Stop> {
  const model = deps.model();
  const spare = standingBy(deps, model);
  const outcome = yield* mending({ deps, turn, signal }, () => ask({ deps, turn, signal }, model, spare !== undefined));
  if (!("partial" in outcome)) return outcome;
  if (spare === undefined || !mayFallBack(outcome)) return yield* failed(deps, turn, model.id, outcome);
  yield* voided({ deps, turn }, model.id, outcome.usage, outcome.message);
  if (outcome.partial.length > 0) yield { type: "reply.discarded", reason: outcome.message };
  yield* fallBack(deps, spare, outcome.message);
  const second = yield* mending({ deps, turn, signal }, () => ask({ deps, turn, signal }, spare, false));
  if (!("partial" in second)) return second;
  const message = `${second.message} (${model.id} before it: ${outcome.message})`;
  return yield* failed(deps, turn, spare.id, second.kind === "aborted" ? second : { ...second, message });
}

interface Asking {
  deps: LoopDeps;
  turn: number;
  signal: AbortSignal;
}

/** One model's reply, or why there is none. */
async function* ask(
  { deps, turn, signal }: Asking,
  model: Model,
  standby: boolean,
): AsyncGenerator<SessionEvent, Reply | Failed> {
  const startedAt = deps.clock.now();
  const request = deps.request(deps.log.state, model);
  yield { type: "reply.started", turn };
  for await (const event of model.stream(standby ? { ...request, standby } : request, signal)) {
    switch (event.type) {
      case "text":
        yield { type: "text.delta", text: event.text };
        break;
      case "thinking":
        yield { type: "thinking.delta", text: event.text };
        break;
      case "input":
        yield { type: "input.delta", callId: event.callId, tool: event.tool, json: event.json };
        break;
      case "limits":
        yield { type: "limits.told", limits: event.limits };
        break;
      case "retrying":
        yield* retrying({ deps, turn }, model.id, event);
        break;
      case "reply":
        return yield* completed(deps, turn, event, deps.clock.now() - startedAt);
      case "failed":
        return event;
    }
  }
  throw new Error(`model ${model.id} ended its stream without a reply or a failure`);
}

async function* retrying(
  at: Pick<Asking, "deps" | "turn">,
  model: string,
  { attempt, of, inMs, reason, discarded, usage }: Extract<ModelEvent, { type: "retrying" }>,
): AsyncGenerator<SessionEvent, void> {
  yield* voided(at, model, usage, reason);
  if (discarded) yield { type: "reply.discarded", reason };
  yield { type: "request.retrying", attempt, of, inMs, reason };
}

/** What an attempt used that is asked for anew is paid for all the same. */
async function* voided(
  { deps, turn }: Pick<Asking, "deps" | "turn">,
  model: string,
  usage: Usage | undefined,
  reason: string,
): AsyncGenerator<SessionEvent, void> {
  if (usage !== undefined && promptTokens(usage) + usage.output > 0)
    yield await deps.log.append({ type: "reply.voided", turn, model, usage, reason });
}

async function* completed(
  deps: LoopDeps,
  turn: number,
  reply: Extract<ModelEvent, { type: "reply" }>,
  durationMs: number,
): AsyncGenerator<SessionEvent, Reply> {
  const blocks = uniqueCallIds(reply.blocks, deps.log.state);
  const { model, usage, stopReason, attempts, messageId, brokeOff } = reply;
  if (stopReason === "refusal" && blocks.some((b) => b.type === "tool_use")) {
    // What it declined is not to be acted on: a reply that broke off has no calls that run.
    yield await deps.log.append({ type: "reply.cut", turn, model, blocks, usage, reason: DECLINED });
    return { calls: [], stopReason, blank: false };
  }
  yield await deps.log.append({
    type: "reply.completed",
    turn,
    model,
    ...(messageId === undefined ? {} : { messageId }),
    blocks,
    usage,
    stopReason,
    durationMs,
    attempts,
    ...(brokeOff === undefined ? {} : { brokeOff }),
  });
  const calls = blocks.filter((b) => b.type === "tool_use").map(called);
  return { calls, stopReason, blank: calls.length === 0 && !blocks.some(hasWords) };
}

async function* failed(
  deps: LoopDeps,
  turn: number,
  model: string,
  event: Extract<ModelEvent, { type: "failed" }>,
): AsyncGenerator<SessionEvent, Stop> {
  const { partial, usage, message } = event;
  if (partial.length > 0 || usage.input > 0) {
    const blocks = uniqueCallIds(partial, deps.log.state);
    yield await deps.log.append({ type: "reply.cut", turn, model, blocks, usage, reason: message });
  }
  return event.kind === "aborted" ? { reason: "interrupted" } : { reason: "api-error", detail: message };
}

/** Whether it says anything: what is only thought is no answer. */
export function hasWords(block: ReplyBlock): boolean {
  return block.type === "other" || (block.type === "text" && block.text.trim() !== "");
}
