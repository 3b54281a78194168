import { withoutHalves } from "../util/halves.ts";
import { text } from "./block.ts";
import type { Message } from "./message.ts";
import {
  contentBlocks,
  isBlank,
  type Mended,
  type Placed,
  replyBlocks,
  resultBlock,
  spokenBlocks,
} from "./message-blocks.ts";
import { partKey } from "./message-part.ts";
import type { Item, SessionState } from "./state.ts";

/** A message of a request, each block with where it comes from. */
export interface PlacedMessage {
  role: Message["role"];
  content: Placed[];
}

/**
 * The conversation in the API's shape, derived from the fold, never stored. Whatever the history, what comes out is valid: roles alternate,
 * every call has exactly one result, results stand together in the calls' order at the start of the user message behind their reply, no
 * text is blank, no message empty, no picture or document is one that the API refuses (L4). What is said does not depend on what comes
 * later, so a request extends the one before it (C1); the exception is a reply that broke off, which counts only once the person has
 * spoken behind it. What `context.mended` named is a note.
 */
export function toMessages(state: SessionState): Message[] {
  return placedMessages(state).map(({ role, content }) => ({ role, content: content.map((p) => p.block) }));
}

/** The same, with where each block comes from: what a refusal is about is found by it. */
export function placedMessages(state: SessionState): PlacedMessage[] {
  const messages: PlacedMessage[] = [];
  const { summary, mended } = state;
  if (summary !== undefined) put(messages, "user", [{ block: text(withoutHalves(summaryText(summary))) }]);
  const items = state.items.slice(state.firstItem);
  let paused = false;
  for (const [i, item] of items.entries()) {
    switch (item.kind) {
      case "prompt":
        put(messages, "user", contentBlocks(item.content, { seq: item.seq }, mended));
        break;
      case "note":
        if (!isBlank(item.text))
          put(messages, "user", contentBlocks([text(noteText(item.text))], { seq: item.seq }, mended));
        break;
      case "reply":
        putReply(messages, state, item, { next: items[i + 1], paused });
        paused = isPause(item, mended);
        break;
    }
  }
  return messages;
}

function putReply(
  messages: PlacedMessage[],
  state: SessionState,
  item: Item & { kind: "reply" },
  { next, paused }: { next: Item | undefined; paused: boolean },
): void {
  // A reply that broke off is asked for again; only words of the person behind it make it part of the talk.
  if (item.cut !== undefined && (next === undefined || next.kind === "reply")) return;
  const whole = { seq: item.seq };
  // A thought can be read by the model alone that had it: another one is not sent it, and the first one finds it again.
  const how = { mended: state.mended, thinking: item.seq >= state.thinkingFrom && item.model === state.model };
  const blocks =
    item.cut === undefined ? replyBlocks(item.blocks, whole, how) : spokenBlocks(item.blocks, whole, state.mended);
  if (blocks.length === 0) return;
  if (messages.length === 0) put(messages, "user", [{ block: text("(What was said before is left out.)") }]);
  // Replies are one message behind a pause alone: what is thought in one belongs to that one.
  if (messages.at(-1)?.role === "assistant" && !paused) put(messages, "user", [{ block: text("(Go on.)") }]);
  put(messages, "assistant", blocks);
  put(messages, "user", resultsOf(blocks, state));
}

/** A reply that the service wants to go on with by itself: nothing of ours comes between, and nothing of it is a note. */
export function isPause(item: Item | undefined, mended: Mended): boolean {
  if (item?.kind !== "reply" || item.cut !== undefined || item.stopReason !== "pause_turn") return false;
  const { seq, blocks } = item;
  const isWhole = !mended.has(partKey({ seq })) && blocks.every((_, at) => !mended.has(partKey({ seq, at })));
  return isWhole && !blocks.some((block) => block.type === "tool_use");
}

/** One result a call, in the calls' order. */
function resultsOf(blocks: readonly Placed[], { calls, cleared, mended }: SessionState): Placed[] {
  return blocks.flatMap(({ block }) =>
    block.type === "tool_use"
      ? [resultBlock(block.id, calls.get(block.id), { isCleared: cleared.has(block.id), mended })]
      : [],
  );
}

/** Neighbours of one role become one message. */
function put(messages: PlacedMessage[], role: Message["role"], content: readonly Placed[]): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content: [...content] });
}

/** What a note names (files, commands) can neither end it nor begin another one. */
function noteText(words: string): string {
  return `<note>\n${words.replace(TAG, "\\u{3c}")}\n</note>`;
}

function summaryText(summary: string): string {
  return `<summary>\nWhat was said before, in short:\n\n${summary.replace(TAG, "\\u{3c}")}\n</summary>`;
}

const TAG = /<(?=\s*\/?\s*(?:note|summary)\b)/gi;
