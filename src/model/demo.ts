import type { ReplyBlock } from "../events/block.ts";
import type { Clock } from "../util/deps.ts";
import { readTalk } from "./demo-talk.ts";
import { nextLine } from "./demo-tour.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { estimateTokens, playBlocks, stoppedReply } from "./play.ts";

/** Slow enough to read along. */
const WORD_MS = 35;

/**
 * The built-in demo (M3): plays a guided tour over a folder of notes with the session's real tools, without a key or a network. It proposes
 * one file, and says that it is a demo. `wordMs`: its pace; 0 for no wait at all.
 */
export function demoModel(deps: { clock: Clock; wordMs?: number | undefined }): Model {
  return {
    id: "demo",
    contextWindow: 200_000,
    maxOutput: 32_000,
    stream: (request, signal) => play(request, signal, deps),
  };
}

async function* play(
  request: ModelRequest,
  signal: AbortSignal,
  { clock, wordMs = WORD_MS }: { clock: Clock; wordMs?: number | undefined },
): AsyncGenerator<ModelEvent> {
  const talk = readTalk(request.messages);
  const line = nextLine(
    talk,
    request.tools.map((t) => t.name),
  );
  const blocks: ReplyBlock[] = [
    { type: "text", text: line.text },
    ...line.calls.map(({ name, input }, i) => ({
      type: "tool_use" as const,
      id: `toolu_demo_${talk.replies + 1}_${i + 1}`,
      name,
      input,
    })),
  ];
  const usage = { input: estimateTokens(request.messages), output: 0, cacheRead: 0, cacheWrite: 0 };
  const shown = yield* playBlocks(blocks, { clock, signal, ...(wordMs === 0 ? {} : { wordMs }) });
  if (signal.aborted) return yield stoppedReply(shown, usage);
  const stopReason = line.calls.length > 0 ? "tool_use" : "end_turn";
  const output = estimateTokens(blocks);
  yield { type: "reply", blocks, usage: { ...usage, output }, stopReason, model: "demo", attempts: 1 };
}
