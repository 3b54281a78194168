import { type ContentBlock, type ReplyBlock, text } from "./block.ts";
import type { RequestBlock, ToolResultBlock } from "./message.ts";
import type { CallState } from "./state.ts";

/** White space as any server may see it: JavaScript's, and the separators that others count too. */
const SPACE = "[\\s\\u0085\\u001c-\\u001f]";
const BLANK = new RegExp(`^${SPACE}*$`, "u");
const MAX_INPUT_SHOWN = 200;

/** True for a text that the API would refuse as a block. */
export function isBlank(value: string): boolean {
  return BLANK.test(value);
}

/** A person's or a result's blocks without blank texts and lone surrogates. */
export function wellFormed(content: readonly ContentBlock[]): ContentBlock[] {
  return content.flatMap((block): ContentBlock[] => {
    if (block.type === "image") return [block];
    if (block.type === "document")
      return [block.title === undefined ? block : { ...block, title: block.title.toWellFormed() }];
    return isBlank(block.text) ? [] : [text(block.text.toWellFormed())];
  });
}

/**
 * A finished reply as it goes back: thinking untouched and in place (L6), white space cut off its end, blank texts and thinking that
 * nothing follows left out, as the API refuses both. Empty when nothing is left.
 */
export function requestBlocks(blocks: readonly ReplyBlock[]): RequestBlock[] {
  const kept: RequestBlock[] = blocks.flatMap((block): RequestBlock[] => {
    switch (block.type) {
      case "text":
        return isBlank(block.text) ? [] : [text(block.text.toWellFormed())];
      case "tool_use":
        return [{ type: "tool_use", id: block.id, name: validName(block.name), input: inputOf(block) }];
      case "other":
        return [{ type: "other", raw: deepWellFormed(block.raw) }];
      case "thinking":
      case "redacted_thinking":
        return [block];
    }
  });
  while (kept.at(-1)?.type === "thinking" || kept.at(-1)?.type === "redacted_thinking") kept.pop();
  return trimmedEnd(kept);
}

/** What was said in a reply that broke off: its texts alone. Its calls never ran, its thinking has no signature. */
export function spokenBlocks(blocks: readonly ReplyBlock[]): RequestBlock[] {
  return requestBlocks(blocks.filter((block) => block.type === "text"));
}

function trimmedEnd(blocks: RequestBlock[]): RequestBlock[] {
  const last = blocks.at(-1);
  if (last?.type !== "text") return blocks;
  let end = last.text.length;
  while (end > 0 && isBlank(last.text.charAt(end - 1))) end--;
  return end === last.text.length ? blocks : [...blocks.slice(0, -1), text(last.text.slice(0, end))];
}

/** Whatever the model called it, the name goes back in signs that the API takes. */
function validName(name: string): string {
  const valid = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 128);
  return valid === "" ? "unknown" : valid;
}

function inputOf(block: ReplyBlock & { type: "tool_use" }): Record<string, unknown> {
  if (block.broken !== undefined) return {};
  return Object.fromEntries(Object.entries(block.input).map(([k, v]) => [k.toWellFormed(), deepWellFormed(v)]));
}

function deepWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(deepWellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k.toWellFormed(), deepWellFormed(v)]));
}

/** A call's one result. Without any it was interrupted; a cleared one says what was called. */
export function resultBlock(callId: string, call: CallState | undefined, isCleared: boolean): ToolResultBlock {
  const result = call?.result;
  if (call === undefined || result === undefined) {
    return {
      type: "tool_result",
      tool_use_id: callId,
      content: [text("Interrupted before it had a result.")],
      is_error: true,
    };
  }
  const failed = result.status !== "ok";
  const content = isCleared ? [text(clearedText(call))] : resultContent(result.content, failed);
  return { type: "tool_result", tool_use_id: callId, content, ...(failed ? { is_error: true } : {}) };
}

/** Never empty. The API takes only text in an error. */
function resultContent(content: readonly ContentBlock[], failed: boolean): ContentBlock[] {
  const blocks = wellFormed(content).map((b) => (failed && b.type !== "text" ? text(`(${b.type} left out)`) : b));
  return blocks.length === 0 ? [text("(no output)")] : blocks;
}

function clearedText(call: CallState): string {
  const input = JSON.stringify(deepWellFormed(call.input));
  const shown = input.length > MAX_INPUT_SHOWN ? `${input.slice(0, MAX_INPUT_SHOWN).toWellFormed()}…` : input;
  return `(The result of ${validName(call.tool)} ${shown} was cleared to make room. Call it again if you need it.)`;
}
