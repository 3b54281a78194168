import { type ContentBlock, type ReplyBlock, text } from "./block.ts";
import type { Message, RequestBlock, ToolResultBlock } from "./message.ts";
import { isBlank, requestBlocks, resultBlock, spokenBlocks, wellFormed } from "./message-blocks.ts";
import type { Item, SessionState } from "./state.ts";

/**
 * The conversation in the API's shape, derived from the fold, never stored. Whatever the history, what comes out is valid: roles alternate,
 * every call has exactly one result, results stand together in the calls' order at the start of the user message behind their reply, no
 * text is blank, no message empty (L4). What is said does not depend on what comes later, so a request extends the one before it (C1);
 * the exception is a reply that broke off, which counts only once the person has spoken behind it.
 */
export function toMessages(state: SessionState): Message[] {
  const messages: Message[] = [];
  if (state.summary !== undefined) put(messages, "user", said([text(summaryText(state.summary))]));
  const items = state.items.slice(state.firstItem);
  for (const [i, item] of items.entries()) {
    switch (item.kind) {
      case "prompt":
        put(messages, "user", said(item.content));
        break;
      case "note":
        if (!isBlank(item.text)) put(messages, "user", said([text(`<note>\n${item.text}\n</note>`)]));
        break;
      case "reply":
        putReply(messages, state, item, items[i + 1]);
        break;
    }
  }
  return messages;
}

function putReply(
  messages: Message[],
  state: SessionState,
  item: Item & { kind: "reply" },
  next: Item | undefined,
): void {
  // A reply that broke off is asked for again; only words of the person behind it make it part of the talk.
  if (item.cut !== undefined && (next === undefined || next.kind === "reply")) return;
  const blocks = item.cut === undefined ? requestBlocks(item.blocks) : spokenBlocks(item.blocks);
  if (blocks.length === 0) return;
  if (messages.length === 0) put(messages, "user", [text("(What was said before is left out.)")]);
  put(messages, "assistant", blocks);
  put(messages, "user", resultsOf(blocks, state));
}

/** One result a call, in the calls' order. */
function resultsOf(blocks: readonly RequestBlock[], state: SessionState): ToolResultBlock[] {
  return blocks.flatMap((block) =>
    block.type === "tool_use" ? [resultBlock(block.id, state.calls.get(block.id), state.cleared.has(block.id))] : [],
  );
}

/** Neighbours of one role become one message. */
function put(messages: Message[], role: Message["role"], content: readonly RequestBlock[]): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content: [...content] });
}

function said(content: readonly ContentBlock[]): ContentBlock[] {
  return wellFormed(content);
}

function summaryText(summary: string): string {
  return `<summary>\nWhat was said before, in short:\n\n${summary}\n</summary>`;
}

/** The calls of a reply, in order. */
export function callsOf(blocks: readonly ReplyBlock[]): (ReplyBlock & { type: "tool_use" })[] {
  return blocks.flatMap((block) => (block.type === "tool_use" ? [block] : []));
}
