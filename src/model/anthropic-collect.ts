import type Anthropic from "@anthropic-ai/sdk";
import type { ReplyBlock } from "../events/block.ts";
import type { Usage } from "../events/event.ts";
import {
  type Delta,
  finished,
  fits,
  grow,
  impliedStart,
  openBlock,
  type OpenBlock,
  sizeOf,
} from "./anthropic-block.ts";
import type { ModelEvent } from "./model.ts";
import { CutError } from "./stream-error.ts";

/** A reply, or what of one is worth keeping. */
export interface Collected {
  blocks: ReplyBlock[];
  stopReason: string;
}

/** So much text is gone on from when its reply breaks off (ADR 16): less costs less to ask for anew than a seam. */
const KEPT_CHARS = 4000;
/** Tokens of what came without its figures, by the usual characters each. */
const CHARS_PER_TOKEN = 3.5;

/** Makes a reply out of a stream's raw events. */
export class Collector {
  /** In the order in which they began. */
  readonly #blocks: OpenBlock[] = [];
  /** The newest of each index: some servers use one twice. */
  readonly #at = new Map<number, OpenBlock>();
  /** Pieces of an input ahead of their call's beginning. */
  readonly #early = new Map<number, Delta[]>();
  #usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #counted = false;
  #stopReason: string | undefined;
  #messageId: string | undefined;
  #begun = false;
  #stopped = false;
  #shown = false;

  /**
   * Takes one event and gives what the screen may show of it. Events of kinds that we don't know are ignored.
   * @throws CutError for what is no event, and for a second reply in the same stream.
   */
  take(event: Anthropic.RawMessageStreamEvent): ModelEvent | undefined {
    if (typeof event !== "object" || event === null) throw new CutError("A part of the reply could not be read.");
    switch (event.type) {
      case "message_start":
        return this.#begin(event);
      case "content_block_start":
        return this.#start(event);
      case "content_block_delta":
        return this.#delta(event);
      case "content_block_stop": {
        const block = this.#at.get(event.index);
        if (block !== undefined) block.stopped = true;
        return undefined;
      }
      case "message_delta":
        this.#stopReason = event.delta?.stop_reason ?? this.#stopReason;
        this.#counted ||= typeof event.usage?.output_tokens === "number";
        this.#count(event.usage);
        return undefined;
      case "message_stop":
        this.#stopped = true;
        return undefined;
      default:
        return undefined;
    }
  }

  /** Something of it was shown, so that a repeat must take it back. */
  get shown(): boolean {
    return this.#shown;
  }
  /** Nothing came that belongs to a reply. */
  get empty(): boolean {
    return !this.#begun && this.#blocks.length === 0 && this.#stopReason === undefined;
  }
  /** As the service counted; the output of a reply that broke off ahead of its figures is reckoned by its length. */
  get usage(): Usage {
    if (this.#counted) return this.#usage;
    const chars = this.#blocks.reduce((sum, block) => sum + sizeOf(block), 0);
    return { ...this.#usage, output: Math.max(this.#usage.output, Math.ceil(chars / CHARS_PER_TOKEN)) };
  }
  get messageId(): string | undefined {
    return this.#messageId;
  }

  /** The whole reply, or undefined when the stream broke off: then every word may be missing its end. */
  reply(): Collected | undefined {
    if (this.#early.size > 0) return undefined;
    const closed = this.#blocks.every((b) => b.stopped);
    // The service's farewell ends a reply even where its reason got lost.
    const stopReason = this.#stopReason ?? (this.#stopped && closed ? this.#impliedReason() : undefined);
    if (stopReason === undefined || !(this.#stopped || closed)) return undefined;
    const { length } = this.#blocks;
    // The output limit closes the block that it cuts.
    const cut = (_: OpenBlock, i: number) => stopReason === "max_tokens" && i === length - 1;
    return { blocks: inOrder(this.#blocks).map((b, i) => finished(b, cut(b, i))), stopReason };
  }

  /**
   * What a reply that broke off is still good for (ADR 16): its calls that came whole, with all that stands before them, or else a text so
   * long that it is better gone on with (`broken-off`). Undefined where it has to be asked for anew.
   */
  kept(): Collected | undefined {
    const sorted = this.#blocks.every((b, i) => i === 0 || b.index >= (this.#blocks[i - 1]?.index ?? 0));
    if (this.#early.size > 0 || !sorted) return undefined;
    const blocks = this.blocks();
    const lastCall = blocks.findLastIndex((b) => b.type === "tool_use" && b.broken === undefined);
    const broken = blocks.findIndex((b) => b.type === "tool_use" && b.broken !== undefined);
    // What follows a call that is not whole was said with that call in mind.
    if (lastCall >= 0 && (broken < 0 || broken > lastCall))
      return { blocks: blocks.slice(0, lastCall + 1), stopReason: "tool_use" };
    // A thought without its end has no signature, and can't go back.
    const words = blocks.filter((b, i) => b.type === "text" || (b.type !== "tool_use" && i < blocks.length - 1));
    const chars = words.reduce((sum, b) => sum + (b.type === "text" ? b.text.length : 0), 0);
    return chars < KEPT_CHARS ? undefined : { blocks: words, stopReason: "broken-off" };
  }

  /** What has arrived; a call whose input is not whole is marked as broken. */
  blocks(): ReplyBlock[] {
    return inOrder(this.#blocks).map((block) => finished(block, !block.stopped));
  }

  #impliedReason(): string {
    return this.#blocks.some((b) => b.start.type === "tool_use") ? "tool_use" : "end_turn";
  }

  #begin({ message }: Anthropic.RawMessageStartEvent): undefined {
    if (this.#blocks.length > 0) throw new CutError("The service began the reply a second time.");
    this.#begun = true;
    this.#messageId = message?.id;
    this.#count(message?.usage);
  }

  /** Some servers put the first words, or all of an input, into the start itself. */
  #start({ index, content_block: start }: Anthropic.RawContentBlockStartEvent): ModelEvent | undefined {
    if (this.#stopped) return undefined;
    const there = this.#at.get(index);
    if (there?.implied === true && there.start.type === start.type) {
      there.implied = false;
      return undefined;
    }
    if (there !== undefined && isTwin(there, start)) return undefined;
    const block = openBlock(index, start);
    this.#blocks.push(block);
    this.#at.set(index, block);
    for (const delta of this.#early.get(index) ?? []) grow(block, delta);
    this.#early.delete(index);
    if (start.type === "tool_use") {
      const json = JSON.stringify(start.input ?? {});
      this.#shown = true;
      const early = block.pieces.join("");
      return { type: "input", callId: start.id, tool: start.name, json: early === "" && json !== "{}" ? json : early };
    }
    const text = start.type === "text" ? start.text : "";
    if (text === "" || text === undefined) return undefined;
    this.#shown = true;
    return { type: "text", text };
  }

  #delta({ index, delta }: Anthropic.RawContentBlockDeltaEvent): ModelEvent | undefined {
    if (this.#stopped) return undefined;
    const block = this.#blockFor(index, delta);
    if (block === undefined) return undefined;
    grow(block, delta);
    const shown = shownOf(block, delta);
    if (shown !== undefined) this.#shown = true;
    return shown;
  }

  /** Words of a block that never began make one; an input without a call waits for it. */
  #blockFor(index: number, delta: Delta): OpenBlock | undefined {
    const there = this.#at.get(index);
    if (there !== undefined && fits(there, delta)) return there;
    const start = impliedStart(delta);
    if (start !== undefined) {
      const block = openBlock(index, start, true);
      this.#blocks.push(block);
      this.#at.set(index, block);
      return block;
    }
    if (delta.type !== "input_json_delta") return undefined;
    const early = this.#early.get(index) ?? [];
    early.push(delta);
    this.#early.set(index, early);
    return undefined;
  }

  #count(usage: Counted | undefined): void {
    const { input, output, cacheRead, cacheWrite, cacheWrite1h } = this.#usage;
    const hour = usage?.cache_creation?.ephemeral_1h_input_tokens ?? cacheWrite1h;
    this.#usage = {
      input: usage?.input_tokens ?? input,
      output: usage?.output_tokens ?? output,
      cacheRead: usage?.cache_read_input_tokens ?? cacheRead,
      cacheWrite: usage?.cache_creation_input_tokens ?? cacheWrite,
      ...(hour === undefined || hour === 0 ? {} : { cacheWrite1h: hour }),
    };
  }
}

/** What an event may tell of tokens; later figures take the place of earlier ones. */
type Counted = Partial<
  Record<
    "input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens",
    number | null | undefined
  >
> & { cache_creation?: { ephemeral_1h_input_tokens?: number | null } | null };

/** By their index; those that share one as they began. */
function inOrder(blocks: readonly OpenBlock[]): OpenBlock[] {
  return blocks.toSorted((a, b) => a.index - b.index);
}

/** The same beginning once more, before anything followed it. */
function isTwin(block: OpenBlock, start: OpenBlock["start"]): boolean {
  return block.pieces.length === 0 && !block.stopped && JSON.stringify(block.start) === JSON.stringify(start);
}

function shownOf({ start }: OpenBlock, delta: Delta): ModelEvent | undefined {
  switch (delta.type) {
    case "text_delta":
      return { type: "text", text: delta.text };
    case "thinking_delta":
      return { type: "thinking", text: delta.thinking };
    case "input_json_delta":
      return start.type === "tool_use"
        ? { type: "input", callId: start.id, tool: start.name, json: delta.partial_json }
        : undefined;
    default:
      return undefined;
  }
}
