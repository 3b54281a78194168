import type Anthropic from "@anthropic-ai/sdk";
import type { ReplyBlock } from "../events/block.ts";

type Start = Anthropic.RawContentBlockStartEvent["content_block"];
export type Delta = Anthropic.RawContentBlockDelta;

/** One block on its way. Pieces are joined once at the end, so that 20,000 of them cost no quadratic work. */
export interface OpenBlock {
  readonly index: number;
  start: Start;
  readonly pieces: string[];
  readonly signature: string[];
  /** Pieces for fields of a kind of block that we don't know. */
  readonly grown: Map<string, string[]>;
  stopped: boolean;
  /** Its words came without, or ahead of, its beginning. */
  implied: boolean;
}

export function openBlock(index: number, start: Start, implied = false): OpenBlock {
  return { index, start, pieces: [], signature: [], grown: new Map(), stopped: false, implied };
}

/** What a delta's words belong to where its block never began; undefined where that can't be told. */
export function impliedStart(delta: Delta): Start | undefined {
  if (delta.type === "text_delta") return { type: "text", text: "", citations: null };
  if (delta.type === "thinking_delta") return { type: "thinking", thinking: "", signature: "" };
  return undefined;
}

/** Whether a delta is of a kind that this block takes; kinds that we don't know fit everywhere. */
export function fits({ start }: OpenBlock, { type }: Delta): boolean {
  switch (type) {
    case "text_delta":
      return start.type === "text";
    case "thinking_delta":
    case "signature_delta":
      return start.type === "thinking";
    case "input_json_delta":
      return start.type !== "text" && start.type !== "thinking" && start.type !== "redacted_thinking";
    default:
      return true;
  }
}

const KNOWN = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

/** Adds a delta that fits. Those of unknown kinds grow the fields of an unknown block, as every known kind does with its own. */
export function grow(block: OpenBlock, delta: Delta): void {
  switch (delta.type) {
    case "text_delta":
      return void block.pieces.push(delta.text);
    case "thinking_delta":
      return void block.pieces.push(delta.thinking);
    case "signature_delta":
      return void block.signature.push(delta.signature);
    case "input_json_delta":
      return void block.pieces.push(delta.partial_json);
    default:
      if (KNOWN.has(block.start.type)) return;
      for (const [field, value] of Object.entries<unknown>(Object(delta))) {
        if (field === "type" || typeof value !== "string") continue;
        const pieces = block.grown.get(field) ?? [];
        block.grown.set(field, pieces);
        pieces.push(value);
      }
  }
}

/** Characters that have come of it. */
export function sizeOf({ start, pieces }: OpenBlock): number {
  const first = start.type === "text" ? start.text : start.type === "thinking" ? start.thinking : "";
  return (first ?? "").length + pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** The block as it is kept. `cut`: the reply ended in it, so that a call without any input yet never runs. */
export function finished({ start, pieces, signature, grown }: OpenBlock, cut: boolean): ReplyBlock {
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
      return { type: "tool_use", id: String(start.id), name: String(start.name), ...inputOf(joined, start.input, cut) };
    default:
      return { type: "other", raw: unknownBlock(start, joined, grown) };
  }
}

/** A block of a kind that is not ours goes back whole (L6); a server-side tool's streams its input too. */
function unknownBlock(start: object, joined: string, grown: ReadonlyMap<string, string[]>): Record<string, unknown> {
  const raw: Record<string, unknown> = { ...start };
  if (joined !== "") raw["input"] = inputOf(joined, {}, false).input;
  for (const [field, pieces] of grown) {
    const before = raw[field];
    raw[field] = (typeof before === "string" ? before : "") + pieces.join("");
  }
  return raw;
}

function inputOf(json: string, whole: unknown, cut: boolean): { input: Record<string, unknown>; broken?: string } {
  if (json === "") {
    const input = isObject(whole) ? whole : {};
    return cut && Object.keys(input).length === 0 ? { input, broken: "" } : { input };
  }
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
