import { z } from "zod";
import { ReplyBlock } from "../events/block.ts";
import { StopReason, Usage } from "../events/event.ts";
import type { Clock } from "../util/deps.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { playBlocks, playedReplies, stoppedReply } from "./play.ts";

/** What is needed of a `reply.completed` event. */
const Reply = z.object({
  type: z.literal("reply.completed"),
  blocks: z.array(ReplyBlock),
  usage: Usage,
  stopReason: StopReason,
  messageId: z.string().optional(),
});
const Other = z.object({ type: z.string().refine((type) => type !== "reply.completed") });
export type RecordedReply = z.infer<typeof Reply>;

/** The replies among a session's events, in order. Throws a ZodError for what is no event. */
export function repliesOf(events: readonly unknown[]): RecordedReply[] {
  return events.flatMap((event) => {
    const parsed = z.union([Reply, Other]).parse(event);
    return "blocks" in parsed ? [parsed] : [];
  });
}

/**
 * The events of a recording: a JSON array, or a line each, as `agent -p --output-format stream-json` prints them.
 * @throws Error naming the line that is none.
 */
export function parseRecording(text: string): unknown[] {
  if (text.trimStart().startsWith("[")) {
    const all: unknown = JSON.parse(text);
    return Array.isArray(all) ? all : [];
  }
  return text.split("\n").flatMap((line, i): unknown[] => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch (error) {
      throw new Error(`line ${i + 1} is no JSON`, { cause: error });
    }
  });
}

/** Answers with the replies of a recorded session, in their order (M4); tools run for real. */
export function recordedModel(
  replies: readonly RecordedReply[],
  deps: { id?: string; clock: Clock; wordMs?: number },
): Model {
  const id = deps.id ?? "recorded";
  return {
    id,
    contextWindow: 200_000,
    maxOutput: 32_000,
    stream: (request, signal) => play(replies, request, signal, { ...deps, id }),
  };
}

async function* play(
  replies: readonly RecordedReply[],
  request: ModelRequest,
  signal: AbortSignal,
  { id, clock, wordMs }: { id: string; clock: Clock; wordMs?: number },
): AsyncGenerator<ModelEvent> {
  const played = playedReplies((i) => replies[i]?.blocks, request.messages);
  const reply = replies[played];
  if (reply === undefined) {
    const message = `The recording has no reply ${played + 1}: it has ${replies.length}.`;
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    yield { type: "failed", kind: "script", message, retryable: false, partial: [], usage };
    return;
  }
  const { blocks, usage, stopReason, messageId } = reply;
  const shown = yield* playBlocks(blocks, { clock, signal, wordMs });
  if (signal.aborted) return yield stoppedReply(shown, usage);
  const named = messageId === undefined ? {} : { messageId };
  yield { type: "reply", blocks, usage, stopReason, model: id, attempts: 1, ...named };
}
