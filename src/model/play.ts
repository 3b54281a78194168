import type { ReplyBlock } from "../events/block.ts";
import { requestBlocks } from "../events/message-blocks.ts";
import type { Clock } from "../util/deps.ts";
import type { Message, ModelEvent } from "./model.ts";

/** How replies that are known beforehand are streamed. */
export interface Pace {
  clock: Clock;
  signal: AbortSignal;
  /** Milliseconds between two words; none: at once. */
  wordMs?: number | undefined;
}

/** Streams whole blocks as a model would. Gives what was shown, which is less than all once the signal is aborted. */
export async function* playBlocks(
  blocks: readonly ReplyBlock[],
  pace: Pace,
): AsyncGenerator<ModelEvent, readonly ReplyBlock[]> {
  const shown: ReplyBlock[] = [];
  for (const block of blocks) {
    if (pace.signal.aborted) break;
    shown.push(yield* playBlock(block, pace));
  }
  return shown;
}

async function* playBlock(block: ReplyBlock, pace: Pace): AsyncGenerator<ModelEvent, ReplyBlock> {
  switch (block.type) {
    case "text":
      return { type: "text", text: yield* playWords("text", block.text, pace) };
    case "thinking":
      return { ...block, thinking: yield* playWords("thinking", block.thinking, pace) };
    case "tool_use":
      yield { type: "input", callId: block.id, tool: block.name, json: block.broken ?? JSON.stringify(block.input) };
      return block;
    case "redacted_thinking":
    case "other":
      return block;
  }
}

async function* playWords(
  type: "text" | "thinking",
  words: string,
  { clock, signal, wordMs }: Pace,
): AsyncGenerator<ModelEvent, string> {
  let shown = "";
  for (const piece of words.match(/\S+\s*|\s+/g) ?? []) {
    if (wordMs !== undefined) await clock.sleep(wordMs, signal);
    if (signal.aborted) break;
    shown += piece;
    yield { type, text: piece };
  }
  return shown;
}

/** The end of a reply that the person stopped. */
export function stoppedReply(
  partial: readonly ReplyBlock[],
  usage: Extract<ModelEvent, { type: "failed" }>["usage"],
): ModelEvent {
  const shown = partial.filter((b) => b.type !== "text" || b.text !== "");
  return { type: "failed", kind: "aborted", message: "Stopped.", retryable: false, partial: shown, usage };
}

/** Tokens, by the usual 3.5 characters each. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 3.5);
}

/**
 * How many of these replies the conversation holds already: the place of the next one, read off the request alone, so that a resumed session
 * goes on where it stopped. Replies without a call that followed each other without a word between (`pause_turn`) stand in one message.
 */
export function playedReplies(
  replyAt: (index: number) => readonly ReplyBlock[] | undefined,
  messages: readonly Message[],
): number {
  let next = 0;
  for (const { role, content } of messages) {
    if (role !== "assistant") continue;
    let left = content.length;
    let goesOn = true;
    do {
      const blocks = replyAt(next) ?? [];
      next++;
      left -= requestBlocks(blocks).length;
      goesOn = blocks.length > 0 && blocks.every((b) => b.type !== "tool_use");
    } while (left > 0 && goesOn);
  }
  return next;
}
