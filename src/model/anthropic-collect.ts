import type Anthropic from "@anthropic-ai/sdk";
import type { ReplyBlock } from "../events/block.ts";
import type { Usage } from "../events/event.ts";
import type { ModelEvent } from "./model.ts";

/** One block on its way. Pieces are joined once at the end, so that 20,000 of them cost no quadratic work. */
interface Open {
  start: Anthropic.RawContentBlockStartEvent["content_block"];
  pieces: string[];
  signature: string[];
  stopped: boolean;
}

/** Makes a reply out of a stream's raw events. */
export class Collector {
  readonly #open: Open[] = [];
  #usage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #stopReason: string | undefined;
  #messageId: string | undefined;
  #stopped = false;
  #shown = false;

  /** Takes one event and gives what the screen may show of it. Events of kinds that we don't know are ignored. */
  take(event: Anthropic.RawMessageStreamEvent): ModelEvent | undefined {
    switch (event.type) {
      case "message_start":
        this.#messageId = event.message.id;
        this.#count(event.message.usage);
        return undefined;
      case "content_block_start":
        return this.#start(event);
      case "content_block_delta":
        return this.#delta(event);
      case "content_block_stop": {
        const open = this.#open[event.index];
        if (open !== undefined) open.stopped = true;
        return undefined;
      }
      case "message_delta":
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
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
  get usage(): Usage {
    return this.#usage;
  }
  get messageId(): string | undefined {
    return this.#messageId;
  }

  /** The whole reply, or undefined when the stream broke off: then every word may be missing its end. */
  reply(): { blocks: ReplyBlock[]; stopReason: string } | undefined {
    const whole = this.#stopReason !== undefined && (this.#stopped || this.#all().every((o) => o.stopped));
    return whole && this.#stopReason !== undefined
      ? { blocks: this.blocks(), stopReason: this.#stopReason }
      : undefined;
  }

  /** What has arrived; a call whose input is not whole is marked as broken. */
  blocks(): ReplyBlock[] {
    return this.#all().map(finish);
  }

  #all(): Open[] {
    return this.#open.filter((o) => o !== undefined);
  }

  /** Some servers put the first words, or all of an input, into the start itself. */
  #start({ index, content_block: start }: Anthropic.RawContentBlockStartEvent): ModelEvent | undefined {
    this.#open[index] = { start, pieces: [], signature: [], stopped: false };
    if (start.type === "tool_use") {
      const json = JSON.stringify(start.input ?? {});
      this.#shown = true;
      return { type: "input", callId: start.id, tool: start.name, json: json === "{}" ? "" : json };
    }
    const text = start.type === "text" ? start.text : "";
    if (text === "" || text === undefined) return undefined;
    this.#shown = true;
    return { type: "text", text };
  }

  #delta({ index, delta }: Anthropic.RawContentBlockDeltaEvent): ModelEvent | undefined {
    const open = this.#open[index];
    if (open === undefined) return undefined;
    switch (delta.type) {
      case "text_delta":
        open.pieces.push(delta.text);
        this.#shown = true;
        return { type: "text", text: delta.text };
      case "thinking_delta":
        open.pieces.push(delta.thinking);
        this.#shown = true;
        return { type: "thinking", text: delta.thinking };
      case "signature_delta":
        open.signature.push(delta.signature);
        return undefined;
      case "input_json_delta":
        open.pieces.push(delta.partial_json);
        if (open.start.type !== "tool_use") return undefined;
        this.#shown = true;
        return { type: "input", callId: open.start.id, tool: open.start.name, json: delta.partial_json };
      default:
        return undefined;
    }
  }

  #count(
    usage:
      | Partial<
          Record<
            "input_tokens" | "output_tokens" | "cache_read_input_tokens" | "cache_creation_input_tokens",
            number | null
          >
        >
      | undefined,
  ): void {
    const { input, output, cacheRead, cacheWrite } = this.#usage;
    this.#usage = {
      input: usage?.input_tokens ?? input,
      output: usage?.output_tokens ?? output,
      cacheRead: usage?.cache_read_input_tokens ?? cacheRead,
      cacheWrite: usage?.cache_creation_input_tokens ?? cacheWrite,
    };
  }
}

function finish({ start, pieces, signature }: Open): ReplyBlock {
  const joined = pieces.join("");
  switch (start.type) {
    case "text":
      return { type: "text", text: (start.text ?? "") + joined };
    case "thinking":
      return {
        type: "thinking",
        thinking: (start.thinking ?? "") + joined,
        signature: (start.signature ?? "") + signature.join(""),
      };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: start.data };
    case "tool_use":
      return { type: "tool_use", id: start.id, name: start.name, ...inputOf(joined, start.input) };
    default: {
      // A server-side tool's block streams its input too; it goes back whole.
      const raw = joined === "" ? start : { ...start, ...inputOf(joined, {}) };
      return { type: "other", raw };
    }
  }
}

function inputOf(json: string, whole: unknown): { input: Record<string, unknown>; broken?: string } {
  if (json === "") return isObject(whole) ? { input: whole } : { input: {} };
  try {
    const parsed: unknown = JSON.parse(json);
    return isObject(parsed) ? { input: parsed } : { input: {}, broken: json };
  } catch {
    return { input: {}, broken: json };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
