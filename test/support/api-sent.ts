import { isBlank, isRecord, type Block } from "./api-blocks.ts";
import type { SseEvent } from "./api-sse.ts";

/**
 * What a server has answered, so that it can tell a reply that comes back otherwise: thoughts that were changed, emptied, left out one by
 * one or put elsewhere. All thoughts of a reply may be missing; a reply of another server is not judged.
 */
export class SentReplies {
  /** Forms in which each reply may come back. */
  readonly #replies: string[][][] = [];
  readonly #thoughts = new Set<string>();
  /** The newest whole reply ended in a pause, behind which the model has the last word. */
  paused = false;

  /** Remembers a reply that was streamed. `broken`: not to its end. */
  add(events: readonly SseEvent[], broken = false): void {
    const blocks: Block[] = [];
    let reason: unknown;
    for (const { data } of events) {
      if (!isRecord(data)) continue;
      const { type, index, content_block: start, delta } = data;
      if (type === "content_block_start" && isRecord(start)) blocks[Number(index)] = { ...start };
      const block = blocks[Number(index)];
      if (type === "content_block_delta" && isRecord(delta) && block !== undefined) grow(block, delta);
      if (type === "message_delta" && isRecord(delta)) reason = delta["stop_reason"];
    }
    this.paused = reason === "pause_turn" || (reason === undefined && this.paused);
    // What was declined is not acted on, so its calls don't come back.
    const isWhole = reason !== "refusal" && events.some(({ event }) => event === "message_stop");
    this.say(
      blocks.filter((b) => b !== undefined),
      broken || !isWhole,
    );
  }

  /** Remembers a reply by its blocks. */
  say(blocks: readonly Block[], broken = false): void {
    this.#replies.push(broken ? brokenWays(blocks) : waysBack(blocks));
    for (const block of blocks) if (isThought(block)) this.#thoughts.add(keyOf(block));
  }

  /** What is wrong with the model's messages of a request, by what the model said. */
  changed(messages: unknown): string[] {
    if (!Array.isArray(messages)) return [];
    return messages.flatMap((message: unknown, i) => {
      const content = isRecord(message) && message["role"] === "assistant" ? message["content"] : undefined;
      if (!Array.isArray(content)) return [];
      const thoughts = content.filter((b): b is Block => isRecord(b) && isThought(b));
      if (!thoughts.some((b) => this.#thoughts.has(keyOf(b)))) return [];
      if (this.#said(content.map(shapeOf).filter((shape) => shape !== ""))) return [];
      return [
        `messages.${i}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      ];
    });
  }

  /** Whether a message is a reply, or replies one after another, as it is after a pause. */
  #said(shapes: readonly string[]): boolean {
    if (shapes.length === 0) return true;
    return this.#replies
      .flat()
      .some(
        (way) => way.length > 0 && way.every((shape, n) => shape === shapes[n]) && this.#said(shapes.slice(way.length)),
      );
  }
}

/** Forms in which a reply may come back: as it was without a thought at its end; without any thought. */
function waysBack(reply: readonly Block[]): string[][] {
  const shapes = reply
    .map((block) => ({ shape: shapeOf(block), thought: isThought(block) }))
    .filter((s) => s.shape !== "");
  const whole = shapes.slice(0, shapes.findLastIndex((s) => !s.thought) + 1);
  return [whole, whole.filter((s) => !s.thought)].map((way) => way.map((s) => s.shape));
}

/** Of a reply that broke off: what came whole of it, or what it said alone. */
function brokenWays(blocks: readonly Block[]): string[][] {
  const starts = blocks.flatMap((_, n) => waysBack(blocks.slice(0, n + 1)));
  return [...starts, ...waysBack(blocks.filter((b) => b["type"] === "text"))];
}

/** A thought whole, anything else by its kind; nothing of a blank text, which can't come back. */
function shapeOf(block: unknown): string {
  if (!isRecord(block)) return "?";
  if (isThought(block)) return keyOf(block);
  if (block["type"] !== "text") return String(block["type"]);
  // Half a pair alone is nothing either.
  return isBlank(String(block["text"]).replace(/\p{Surrogate}/gu, "")) ? "" : "text";
}

function isThought(block: Block): boolean {
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}

function keyOf({ type, thinking, signature, data }: Block): string {
  return JSON.stringify([type, thinking, signature, data]);
}

function grow(block: Block, delta: Block): void {
  for (const field of ["text", "thinking", "signature"]) {
    const [before, more] = [block[field] ?? "", delta[field]];
    if (typeof before === "string" && typeof more === "string") block[field] = before + more;
  }
}
