import { z } from "zod";
import type { ReplyBlock } from "../events/block.ts";
import type { Clock } from "../util/deps.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";

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
 * Plays turns from a script. Which turn comes next is read off the request (its number of assistant messages), so that a
 * resumed session goes on where it stopped.
 */
export function scriptedModel(script: z.input<typeof Script>, deps: { id?: string; clock: Clock }): Model {
  const parsed = Script.parse(script);
  return {
    id: deps.id ?? "scripted",
    contextWindow: 200_000,
    maxOutput: 32_000,
    stream: (request, signal) => play(parsed, request, signal, deps.id ?? "scripted", deps.clock),
  };
}

async function* play(
  script: Script,
  request: ModelRequest,
  signal: AbortSignal,
  id: string,
  clock: Clock,
): AsyncGenerator<ModelEvent> {
  const played = request.messages.filter((m) => m.role === "assistant").length;
  const turn = script.turns[script.loop ? played % script.turns.length : played];
  const usage = { input: estimate(request.messages), output: 0, cacheRead: 0, cacheWrite: 0 };
  if (turn === undefined) {
    const message = `The script has no turn ${played + 1}: it has ${script.turns.length}.`;
    yield { type: "failed", kind: "script", message, retryable: false, partial: [], usage };
    return;
  }
  const blocks: ReplyBlock[] = [];
  if (turn.thinking !== undefined) {
    yield { type: "thinking", text: turn.thinking };
    blocks.push({ type: "thinking", thinking: turn.thinking, signature: "scripted" });
  }
  let shown = "";
  for (const piece of (turn.text ?? "").match(/\S+\s*|\s+/g) ?? []) {
    if (turn.deltaMs !== undefined) await clock.sleep(turn.deltaMs, signal);
    if (signal.aborted) break;
    shown += piece;
    yield { type: "text", text: piece };
  }
  if (shown !== "") blocks.push({ type: "text", text: shown });
  if (signal.aborted) {
    yield { type: "failed", kind: "aborted", message: "Stopped.", retryable: false, partial: blocks, usage };
    return;
  }
  yield* calls(turn, played, blocks);
  const output = turn.usage?.output ?? estimate(blocks);
  const sum = { ...usage, input: turn.usage?.input ?? usage.input, output };
  if (turn.fail !== undefined) {
    yield { type: "failed", kind: "server", ...turn.fail, partial: blocks, usage: sum };
    return;
  }
  const stopReason = turn.stopReason ?? (turn.calls.length > 0 ? "tool_use" : "end_turn");
  yield { type: "reply", blocks, usage: sum, stopReason, model: id, attempts: 1 };
}

function* calls(turn: Turn, played: number, blocks: ReplyBlock[]): Generator<ModelEvent> {
  for (const [i, call] of turn.calls.entries()) {
    const id = call.id ?? `toolu_script_${played + 1}_${i + 1}`;
    yield { type: "input", callId: id, tool: call.name, json: call.broken ?? JSON.stringify(call.input) };
    blocks.push({
      type: "tool_use",
      id,
      name: call.name,
      input: call.broken === undefined ? call.input : {},
      ...(call.broken === undefined ? {} : { broken: call.broken }),
    });
  }
}

/** Tokens, by the usual 3.5 characters each. */
function estimate(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 3.5);
}
