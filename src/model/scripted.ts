import { z } from "zod";
import type { ReplyBlock } from "../events/block.ts";
import type { Clock } from "../util/deps.ts";
import { systemClock } from "../util/system.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import { estimateTokens, playBlocks, playedReplies, stoppedReply } from "./play.ts";

const Turn = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z
    .array(
      z.strictObject({
        name: z.string(),
        input: z.record(z.string(), z.unknown()).default({}),
        id: z.string().optional(),
        /** Raw text of an input that was cut off. */
        broken: z.string().optional(),
      }),
    )
    .default([]),
  stopReason: z.string().optional(),
  usage: z.strictObject({ input: z.number(), output: z.number() }).partial().optional(),
  /** Milliseconds between two pieces of text. */
  deltaMs: z.number().optional(),
  /** Ends the reply with a failure after what stands above was streamed. */
  fail: z.strictObject({ message: z.string(), retryable: z.boolean().default(false) }).optional(),
});

/** Turns in a file (M4). `loop` starts over behind the last turn; without it the script says that it is at its end. */
export const Script = z.strictObject({ turns: z.array(Turn), loop: z.boolean().default(false) });
export type Script = z.infer<typeof Script>;
type Turn = z.infer<typeof Turn>;

/**
 * Plays turns from a script. Which turn comes next is read off the request (what the conversation holds), so that a
 * resumed session goes on where it stopped.
 */
export function scriptedModel(
  script: z.input<typeof Script>,
  { id = "scripted", clock = systemClock }: { id?: string; clock?: Clock } = {},
): Model {
  const parsed = Script.parse(script);
  return {
    id,
    contextWindow: 200_000,
    maxOutput: 32_000,
    stream: (request, signal) => play(parsed, request, signal, id, clock),
  };
}

async function* play(
  script: Script,
  request: ModelRequest,
  signal: AbortSignal,
  id: string,
  clock: Clock,
): AsyncGenerator<ModelEvent> {
  const turnAt = (i: number): Turn | undefined => script.turns[script.loop ? i % script.turns.length : i];
  const played = playedReplies((i) => {
    const turn = turnAt(i);
    return turn === undefined ? undefined : blocksOf(turn, i);
  }, request.messages);
  const turn = turnAt(played);
  const usage = { input: estimateTokens(request.messages), output: 0, cacheRead: 0, cacheWrite: 0 };
  if (turn === undefined) {
    const message = `The script has no turn ${played + 1}: it has ${script.turns.length}.`;
    yield { type: "failed", kind: "script", message, retryable: false, partial: [], usage };
    return;
  }
  const blocks = yield* playBlocks(blocksOf(turn, played), { clock, signal, wordMs: turn.deltaMs });
  if (signal.aborted) return yield stoppedReply(blocks, usage);
  const output = turn.usage?.output ?? estimateTokens(blocks);
  const sum = { ...usage, input: turn.usage?.input ?? usage.input, output };
  if (turn.fail !== undefined) {
    yield { type: "failed", kind: "server", ...turn.fail, partial: [...blocks], usage: sum };
    return;
  }
  const stopReason = turn.stopReason ?? (turn.calls.length > 0 ? "tool_use" : "end_turn");
  yield { type: "reply", blocks: [...blocks], usage: sum, stopReason, model: id, attempts: 1 };
}

function blocksOf(turn: Turn, played: number): ReplyBlock[] {
  const calls = turn.calls.map(({ id, name, input, broken }, i) => ({
    type: "tool_use" as const,
    id: id ?? `toolu_script_${played + 1}_${i + 1}`,
    name,
    input: broken === undefined ? input : {},
    ...(broken === undefined ? {} : { broken }),
  }));
  return [
    ...(turn.thinking === undefined
      ? []
      : [{ type: "thinking" as const, thinking: turn.thinking, signature: "scripted" }]),
    ...(turn.text === undefined || turn.text === "" ? [] : [{ type: "text" as const, text: turn.text }]),
    ...calls,
  ];
}
