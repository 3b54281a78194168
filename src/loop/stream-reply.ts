import type { ReplyBlock, ToolUseBlock } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { uniqueCallIds } from "../events/ids.ts";
import { promptTokens } from "../events/usage.ts";
import type { ModelEvent } from "../model/model.ts";
import type { LoopDeps, Stop } from "./deps.ts";

export interface Reply {
  calls: readonly ToolUseBlock[];
  stopReason: string;
  /** Neither a call nor a word: not an answer. */
  blank: boolean;
}

/** Asks the model for one reply: deltas live, then `reply.completed` or `reply.cut` as a fact, before any call runs (L3). */
export async function* streamReply(
  deps: LoopDeps,
  turn: number,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Reply | Stop> {
  const model = deps.model();
  const startedAt = deps.clock.now();
  yield { type: "reply.started", turn };
  for await (const event of model.stream(deps.request(deps.log.state, model), signal)) {
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
        if (event.usage !== undefined && promptTokens(event.usage) + event.usage.output > 0) {
          const { usage, reason } = event;
          yield await deps.log.append({ type: "reply.voided", turn, model: model.id, usage, reason });
        }
        if (event.discarded) yield { type: "reply.discarded", reason: event.reason };
        yield {
          type: "request.retrying",
          attempt: event.attempt,
          of: event.of,
          inMs: event.inMs,
          reason: event.reason,
        };
        break;
      case "reply":
        return yield* completed(deps, turn, event, deps.clock.now() - startedAt);
      case "failed":
        return yield* failed(deps, turn, model.id, event);
    }
  }
  throw new Error(`model ${model.id} ended its stream without a reply or a failure`);
}

async function* completed(
  deps: LoopDeps,
  turn: number,
  reply: Extract<ModelEvent, { type: "reply" }>,
  durationMs: number,
): AsyncGenerator<SessionEvent, Reply> {
  const blocks = uniqueCallIds(reply.blocks, deps.log.state);
  const { model, usage, stopReason, attempts, messageId } = reply;
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
  });
  const calls = blocks.filter((b) => b.type === "tool_use");
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

function hasWords(block: ReplyBlock): boolean {
  return block.type === "other" || (block.type === "text" && block.text.trim() !== "");
}
