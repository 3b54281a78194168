import type { ContentBlock, ReplyBlock } from "./block.ts";

/** What a call brought back, as the API takes it. Never without content; only text when `is_error` (the API refuses more). */
export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: ContentBlock[];
  is_error?: boolean;
}

/** A block of a request. `other` still has to be unwrapped by the model (L6); `tool_use` comes without `broken`. */
export type RequestBlock = ReplyBlock | ContentBlock | ToolResultBlock;

/** A message as the API takes it. `tool_result` blocks come first in a user message (L4). Derived, never stored. */
export interface Message {
  role: "user" | "assistant";
  content: RequestBlock[];
}
