import { startOf, withoutHalves } from "../util/halves.ts";
import { type ContentBlock, type ReplyBlock, text } from "./block.ts";
import { mediaFacts, mediaNote } from "./media.ts";
import type { RequestBlock, ToolResultBlock } from "./message.ts";
import { type Part, partKey } from "./message-part.ts";
import type { CallState } from "./state.ts";

/** A block of a request, and the part of the conversation that it comes from. */
export interface Placed<B extends RequestBlock = RequestBlock> {
  block: B;
  /** Without: the program's own words. */
  part?: Part;
  /** Of a result: where each block inside comes from. */
  inner?: readonly Part[];
  /** A note in place of what the API would refuse: what it stands for, in short. */
  unfit?: readonly { part: Part; note: string; what: "picture" | "document" }[];
}
/** Notes that stand in place of parts, by `partKey`. */
export type Mended = ReadonlyMap<string, string>;

/** White space as any server may see it: JavaScript's, and the separators that others count too. */
const SPACE = "[\\s\\u0085\\u001c-\\u001f]";
const BLANK = new RegExp(`^${SPACE}*$`, "u");
const MAX_INPUT_SHOWN = 200;
const MAX_TITLE = 500;
/** Kinds that the API gives a meaning of their own: none of them can be one that we don't know. */
const NOT_OTHER = new Set([
  "text",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "image",
  "document",
  "search_result",
  "other",
]);

/** True for a text that the API would refuse as a block. */
export function isBlank(value: string): boolean {
  return BLANK.test(value);
}

/** A person's or a result's blocks as the API takes them: no blank text, no half a pair, nothing that it would refuse. */
export function contentBlocks(content: readonly ContentBlock[], whole: Part, mended: Mended): Placed<ContentBlock>[] {
  const all = mended.get(partKey(whole));
  if (all !== undefined) return [{ block: text(all), part: whole }];
  return content.flatMap((block, at): Placed<ContentBlock>[] => {
    const part = { ...whole, at };
    const note = mended.get(partKey(part));
    if (note !== undefined) return [{ block: text(note), part }];
    if (block.type === "text") {
      const words = withoutHalves(block.text);
      return isBlank(words) ? [] : [{ block: words === block.text ? block : text(words), part }];
    }
    const why = mediaFacts(block).unfit;
    if (why === undefined) return [{ block: block.type === "document" ? titled(block) : block, part }];
    const instead = mediaNote(block, why);
    const what = block.type === "image" ? "picture" : "document";
    return [{ block: text(instead), part, unfit: [{ part, note: instead, what }] }];
  });
}

/** A title has 1 to 500 characters. */
function titled(block: ContentBlock & { type: "document" }): ContentBlock {
  const { title, ...rest } = block;
  if (title === undefined) return block;
  const fit = startOf(withoutHalves(title), MAX_TITLE);
  if (fit === title) return block;
  return isBlank(fit) ? rest : { ...rest, title: fit };
}

/**
 * A finished reply as it goes back: thinking untouched and in place (L6), white space cut off its end, blank texts and thinking that
 * nothing follows left out, as the API refuses both. Empty when nothing is left.
 */
export function replyBlocks(
  blocks: readonly ReplyBlock[],
  whole: Part,
  { mended, thinking }: { mended: Mended; thinking: boolean },
): Placed[] {
  const all = mended.get(partKey(whole));
  if (all !== undefined) return [{ block: text(all), part: whole }];
  // Thinking stands for the reply as it was: beside a note it may be refused in turn.
  const isWhole = blocks.every((_, at) => !mended.has(partKey({ ...whole, at })));
  const kept = blocks.flatMap((block, at): Placed[] => {
    const part = { ...whole, at };
    const note = mended.get(partKey(part));
    const isThought = block.type === "thinking" || block.type === "redacted_thinking";
    if (isThought) return thinking && isWhole ? [{ block, part }] : [];
    const sent = note === undefined ? sentBack(block) : text(note);
    return sent === undefined ? [] : [{ block: sent, part }];
  });
  while (kept.at(-1)?.block.type === "thinking" || kept.at(-1)?.block.type === "redacted_thinking") kept.pop();
  return trimmedEnd(kept);
}

/** A finished reply as it goes back when nothing of it was mended. */
export function requestBlocks(blocks: readonly ReplyBlock[]): RequestBlock[] {
  return replyBlocks(blocks, { seq: 0 }, { mended: new Map(), thinking: true }).map((p) => p.block);
}

function sentBack(block: ReplyBlock): RequestBlock | undefined {
  switch (block.type) {
    case "text": {
      const words = withoutHalves(block.text);
      return isBlank(words) ? undefined : text(words);
    }
    case "tool_use":
      return { type: "tool_use", id: block.id, name: validName(block.name), input: inputOf(block) };
    case "other":
      return isOther(block.raw) ? { type: "other", raw: deepWellFormed(block.raw) } : undefined;
    case "thinking":
    case "redacted_thinking":
      return block;
  }
}

function isOther(raw: unknown): boolean {
  const type: unknown = typeof raw === "object" && raw !== null ? Reflect.get(raw, "type") : undefined;
  return typeof type === "string" && !NOT_OTHER.has(type);
}

/** What was said in a reply that broke off: its texts alone. Its calls never ran, its thinking has no signature. */
export function spokenBlocks(blocks: readonly ReplyBlock[], whole: Part, mended: Mended): Placed[] {
  const words = blocks.map((block) => (block.type === "text" ? block : text("")));
  return replyBlocks(words, whole, { mended, thinking: false });
}

function trimmedEnd(blocks: Placed[]): Placed[] {
  const last = blocks.at(-1);
  if (last?.block.type !== "text") return blocks;
  const { text: words } = last.block;
  let end = words.length;
  while (end > 0 && isBlank(words.charAt(end - 1))) end--;
  return end === words.length ? blocks : [...blocks.slice(0, -1), { ...last, block: text(words.slice(0, end)) }];
}

/** Whatever the model called it, the name goes back in signs that the API takes. */
function validName(name: string): string {
  const valid = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 128);
  return valid === "" ? "unknown" : valid;
}

function inputOf(block: ReplyBlock & { type: "tool_use" }): Record<string, unknown> {
  if (block.broken !== undefined) return {};
  return Object.fromEntries(Object.entries(block.input).map(([k, v]) => [withoutHalves(k), deepWellFormed(v)]));
}

function deepWellFormed(value: unknown): unknown {
  if (typeof value === "string") return withoutHalves(value);
  if (Array.isArray(value)) return value.map(deepWellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [withoutHalves(k), deepWellFormed(v)]));
}

/** A call's one result. Without any it was interrupted; a cleared one says what was called. */
export function resultBlock(
  callId: string,
  call: CallState | undefined,
  { isCleared, mended }: { isCleared: boolean; mended: Mended },
): Placed<ToolResultBlock> {
  const part = { callId };
  const result = call?.result;
  if (call === undefined || result === undefined) {
    const content = [text("Interrupted before it had a result.")];
    return { block: { type: "tool_result", tool_use_id: callId, content, is_error: true }, part };
  }
  const failed = result.status !== "ok";
  const isNoted = mended.has(partKey(part));
  const inside: Placed<ContentBlock>[] =
    isCleared && !isNoted
      ? [{ block: text(clearedText(call)), part }]
      : resultContent(result.content, failed, part, mended);
  const content = inside.map((p) => p.block);
  const unfit = inside.flatMap((p) => p.unfit ?? []);
  return {
    block: { type: "tool_result", tool_use_id: callId, content, ...(failed ? { is_error: true } : {}) },
    part,
    inner: inside.map((p) => p.part ?? part),
    ...(unfit.length === 0 ? {} : { unfit }),
  };
}

/** Never empty. The API takes only text in an error. */
function resultContent(
  content: readonly ContentBlock[],
  failed: boolean,
  part: Part,
  mended: Mended,
): Placed<ContentBlock>[] {
  const texts = failed ? content.map((b) => (b.type === "text" ? b : text(`(${b.type} left out)`))) : content;
  const blocks = contentBlocks(texts, part, mended);
  return blocks.length === 0 ? [{ block: text("(no output)"), part }] : blocks;
}

function clearedText(call: CallState): string {
  const input = JSON.stringify(deepWellFormed(call.input));
  const shown = input.length > MAX_INPUT_SHOWN ? `${startOf(input, MAX_INPUT_SHOWN)}…` : input;
  return `(The result of ${validName(call.tool)} ${shown} was cleared to make room. Call it again if you need it.)`;
}
