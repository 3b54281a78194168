import type { ContentBlock } from "../events/block.ts";
import type { RequestBlock } from "../events/message.ts";
import { partKey } from "../events/message-part.ts";
import type { CallState, SessionState } from "../events/state.ts";
import type { ModelRequest } from "../model/model.ts";

/** Characters of one token, where nothing was counted yet. */
export const CHARS_PER_TOKEN = 3.5;
/** What a picture or a document takes, in characters: it is not as long as its bytes. */
const PICTURE = 6000;
const DOCUMENT = 20_000;

/** Characters of what a model reads; a picture counts as what it costs in tokens. */
export function charsOf(block: RequestBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "tool_result":
      return contentChars(block.content);
    case "image":
      return PICTURE;
    case "document":
      return DOCUMENT;
    case "tool_use":
    case "thinking":
    case "redacted_thinking":
    case "other":
      return JSON.stringify(block).length;
  }
}

export function contentChars(content: readonly ContentBlock[]): number {
  return content.reduce((sum, block) => sum + charsOf(block), 0);
}

/** Characters of a whole request. */
export function requestChars({ system, tools, messages }: Pick<ModelRequest, "system" | "tools" | "messages">): number {
  const said = messages.reduce((sum, m) => sum + m.content.reduce((all, block) => all + charsOf(block), 0), 0);
  return said + system.reduce((sum, part) => sum + part.text.length, 0) + JSON.stringify(tools).length;
}

/** Of a result as it is sent: what stands in its place counts, where something does. */
export function resultChars(call: CallState | undefined, { mended, cleared }: SessionState): number {
  if (call?.result === undefined) return 0;
  const note = mended.get(partKey({ callId: call.callId }));
  if (note !== undefined) return note.length;
  if (cleared.has(call.callId)) return 300;
  return call.result.content.reduce(
    (sum, block, at) => sum + (mended.get(partKey({ callId: call.callId, at }))?.length ?? charsOf(block)),
    0,
  );
}

/**
 * Tokens that the next request takes: what the service counted last, and an estimate of what came since. In time of what came since; only
 * where nothing was counted yet the whole request is measured.
 */
export function tokensNow(state: SessionState, request: () => ModelRequest): number {
  if (state.contextTokens === 0) return Math.round(requestChars(request()) / CHARS_PER_TOKEN);
  return state.contextTokens + Math.round(freshChars(state) / CHARS_PER_TOKEN);
}

function freshChars(state: SessionState): number {
  const { items, firstItem, sizedAt } = state;
  let chars = 0;
  for (let i = items.length - 1; i >= firstItem; i--) {
    const item = items[i];
    if (item?.kind === "reply") {
      // Counted itself, its results came behind it.
      if (item.seq >= sizedAt)
        for (const block of item.blocks)
          if (block.type === "tool_use") chars += resultChars(state.calls.get(block.id), state);
      return chars;
    }
    if (item !== undefined && item.seq > sizedAt)
      chars += item.kind === "note" ? item.text.length : contentChars(item.content);
  }
  return chars;
}
