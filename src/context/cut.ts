import { isPause } from "../events/messages.ts";
import type { Item, SessionState } from "../events/state.ts";
import { contentChars, resultChars } from "./size.ts";

/** Turns that a summary leaves whole where they fit, and the share of the window that they may take. */
const LAST_TURNS = 3;
const LAST_SHARE = 0.2;

/** What a compaction drops and what it keeps. */
export interface Cut {
  /** Index of the first item that stays. */
  index: number;
  /** Its seq, or what comes next where nothing stays. */
  keptFrom: number;
  dropped: { from: number; to: number; prompts: number; replies: number; results: number };
  /** Characters of what is dropped, as it is sent now. */
  chars: number;
}

/**
 * Where a conversation is cut: the last turns stay whole, the newest of them whatever its size, a call that waits for its result with them.
 * `nothing`: none of it stays, but for what waits. Undefined where nothing would be dropped.
 */
export function cutOf(state: SessionState, windowChars: number, nothing = false): Cut | undefined {
  const { items, firstItem } = state;
  const wanted = nothing ? items.length : lastTurns(state, windowChars * LAST_SHARE);
  const index = movedBack(state, Math.min(wanted, openFrom(state)));
  const gone = items.slice(firstItem, index);
  const first = gone[0];
  if (first === undefined) return undefined;
  const replies = gone.flatMap((item) => (item.kind === "reply" ? [item] : []));
  return {
    index,
    keptFrom: items[index]?.seq ?? state.seq + 1,
    dropped: {
      from: first.seq,
      to: gone.at(-1)?.seq ?? first.seq,
      prompts: gone.filter((item) => item.kind === "prompt").length,
      replies: replies.length,
      results: replies.flatMap(({ blocks }) => blocks.filter((b) => b.type === "tool_use")).length,
    },
    chars: gone.reduce((sum, item) => sum + itemChars(state, item), 0),
  };
}

/** From the newest turn back while it fits; a message of the person's ahead of the turns that stay belongs to them. */
function lastTurns(state: SessionState, most: number): number {
  const { items, firstItem } = state;
  let [index, turns, chars] = [items.length, 0, 0];
  for (let i = items.length - 1; i >= firstItem; i--) {
    const item = items[i];
    if (item === undefined) break;
    chars += itemChars(state, item);
    if (turns > 0 && (chars > most || turns === LAST_TURNS)) break;
    index = i;
    if (item.kind === "reply") turns++;
  }
  return index;
}

/** Results of the service's own tools stay with their calls: what it paused in is one message. */
function movedBack({ items, firstItem, mended }: SessionState, index: number): number {
  let at = index;
  while (at > firstItem && at < items.length && items[at]?.kind === "reply" && isPause(items[at - 1], mended)) at--;
  return at;
}

/** The newest reply, where a call of it waits for its result. */
function openFrom({ items, calls }: SessionState): number {
  const last = items.findLastIndex((item) => item.kind === "reply");
  const item = items[last];
  const waits =
    item?.kind === "reply" &&
    item.blocks.some((block) => block.type === "tool_use" && calls.get(block.id)?.result === undefined);
  return waits ? last : items.length;
}

function itemChars(state: SessionState, item: Item): number {
  switch (item.kind) {
    case "note":
      return item.text.length;
    case "prompt":
      return contentChars(item.content);
    case "reply":
      return item.blocks.reduce(
        (sum, block) =>
          sum +
          (block.type === "text" ? block.text.length : JSON.stringify(block).length) +
          (block.type === "tool_use" ? resultChars(state.calls.get(block.id), state) : 0),
        0,
      );
  }
}
