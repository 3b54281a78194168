import { CHARS_PER_TOKEN, requestChars, tokensNow } from "../context/size.ts";
import { COMPACT, type CompactSettings } from "./compact-settings.ts";
import type { LoopDeps } from "./deps.ts";

/** The window that counts, and where in it a conversation is made shorter, in tokens. */
export interface Bounds {
  window: number;
  threshold: number;
}

type Sized = Pick<LoopDeps, "limits" | "model" | "log" | "request">;

export function compactOf({ limits }: Pick<LoopDeps, "limits">): CompactSettings {
  return limits.compact ?? COMPACT;
}

export function boundsOf(deps: Pick<Sized, "limits" | "model" | "log">): Bounds {
  const { at, window: own } = compactOf(deps);
  const window = Math.min(deps.model().contextWindow, own ?? Infinity);
  // What was brought back is not taken away again before it must be.
  const share = deps.log.state.compaction?.restored === true ? Math.max(at, 0.9) : at;
  return { window, threshold: Math.floor(window * share) };
}

/** Tokens that the next request takes. */
export function sizeNow(deps: Sized): number {
  return tokensNow(deps.log.state, () => deps.request(deps.log.state, deps.model()));
}

/** By what the service counted of what was sent, within what any text has. */
export function charsPerToken(deps: Sized, tokens: number): number {
  const chars = requestChars(deps.request(deps.log.state, deps.model()));
  return tokens <= 0 ? CHARS_PER_TOKEN : Math.min(6, Math.max(2, chars / tokens));
}
