import type { RequestBlock } from "../events/message.ts";
import type { SessionState } from "../events/state.ts";
import { boundsOf, compactOf } from "../loop/bounds.ts";
import type { LoopDeps } from "../loop/deps.ts";

/** What the next request is made of, in tokens. */
export interface ContextSizes {
  /** Of the model's window, or of the smaller one that settings name. */
  window: number;
  /** Where the conversation is made shorter by itself; undefined: it is not. */
  threshold?: number;
  parts: readonly { name: ContextPart; tokens: number }[];
  /** As the service counted the newest request with its reply; undefined: nothing was sent yet, so all of it is an estimate. */
  counted?: number;
}
export type ContextPart = "system" | "tools" | "instructions" | "messages" | "replies" | "results" | "pictures";

const CHARS_PER_TOKEN = 3.5;
/** A picture or a page is not as long as its bytes. */
const PICTURE_CHARS = 1500 * CHARS_PER_TOKEN;

/**
 * Sizes out of the request as it would be sent now. By length, so an estimate; where the service counted the newest request, the parts are
 * scaled to what it said.
 */
export function contextSizes(deps: Pick<LoopDeps, "log" | "model" | "request" | "limits">): ContextSizes {
  const model = deps.model();
  const { state } = deps.log;
  const { system, tools, messages } = deps.request(state, model);
  const chars: Record<ContextPart, number> = {
    system: 0,
    tools: 0,
    instructions: toldChars(state),
    messages: 0,
    replies: 0,
    results: 0,
    pictures: 0,
  };
  for (const part of system) chars.system += part.text.length;
  for (const tool of tools) chars.tools += JSON.stringify(tool).length;
  for (const { role, content } of messages)
    for (const block of content) weigh(block, role === "assistant" ? "replies" : "messages", chars);
  // They are sent as notes among the messages.
  chars.messages = Math.max(0, chars.messages - chars.instructions);
  const all = Object.values(chars).reduce((sum, n) => sum + n, 0);
  const counted = state.contextTokens > 0 ? state.contextTokens : undefined;
  const perChar = counted === undefined || all === 0 ? 1 / CHARS_PER_TOKEN : counted / all;
  const names = Object.keys(chars) as ContextPart[];
  const parts = names.map((name) => ({ name, tokens: Math.round(chars[name] * perChar) }));
  const { window, threshold } = boundsOf(deps);
  return {
    window,
    ...(compactOf(deps).auto ? { threshold } : {}),
    parts,
    ...(counted === undefined ? {} : { counted }),
  };
}

/** What files, notes of the model's and skills say, as far as it is still sent. */
function toldChars({ items, firstItem }: SessionState): number {
  const told = items.slice(firstItem).filter((item) => item.kind === "note" && item.told !== undefined);
  return told.reduce((sum, item) => sum + (item.kind === "note" ? item.text.length : 0), 0);
}

function weigh(block: RequestBlock, as: ContextPart, chars: Record<ContextPart, number>): void {
  switch (block.type) {
    case "text":
      chars[as] += block.text.length;
      return;
    case "image":
    case "document":
      chars.pictures += PICTURE_CHARS;
      return;
    case "tool_result":
      for (const inner of block.content) weigh(inner, "results", chars);
      return;
    default:
      chars[as] += JSON.stringify(block).length;
  }
}
