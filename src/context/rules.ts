import type { ContentBlock } from "../events/block.ts";
import type { LogBodyOf } from "../events/event.ts";
import { startOf, withoutHalves } from "../util/halves.ts";
import { type Part, partKey } from "../events/message-part.ts";
import type { CallState, SessionState } from "../events/state.ts";
import { headAndTail } from "./head-tail.ts";
import { charsOf, contentChars, resultChars } from "./size.ts";

export type Rule = NonNullable<LogBodyOf<"context.cleared">["rule"]>;

/** A part of the conversation that a rule takes out. */
export interface Taken {
  part: Part & { callId: string };
  /** Characters that are won. */
  won: number;
  /** Goes to a file that the note names; without it nothing is lost that is not elsewhere. */
  whole?: string;
  note(this: void, file: string): string;
}

/** Replies whose results nothing is taken of, newest first. */
export const LAST_TURNS = 3;
/** What a result at least holds for its clearing to be worth a note. */
const LEAST = 800;
/** Of the window: the most that one new result takes, and all of one reply together. */
const ONE_RESULT = 0.1;
const ONE_REPLY = 0.25;
const MAX_INPUT = 200;

/** Results that hold the person's own words, or little. */
const KEPT_TOOLS: ReadonlySet<string> = new Set(["AskUser", "TodoWrite"]);

/** New results that no request held yet, each cut to its share where they are too large for the window. Costs the cache nothing. */
export function overBudget(state: SessionState, windowChars: number): Taken[] {
  const last = state.items.findLast((item) => item.kind === "reply");
  if (last === undefined || last.seq < state.sizedAt) return [];
  const found = callsOf(state, last).flatMap((call) => {
    const whole = textOnly(call.result?.content ?? []);
    return whole === undefined || isTaken(state, call) ? [] : [{ call, whole }];
  });
  const share = shareOf(
    found.map(({ whole }) => whole.length),
    windowChars * ONE_REPLY,
  );
  const most = Math.max(LEAST, Math.floor(Math.min(windowChars * ONE_RESULT, share)));
  return found
    .filter(({ whole }) => whole.length > most * 1.1)
    .map(({ call, whole }) => ({
      part: { callId: call.callId },
      won: whole.length - most,
      whole,
      note: (file) => headAndTail(whole, most, file),
    }));
}

/** The length to which all are cut for their sum to fit. */
function shareOf(lengths: readonly number[], most: number): number {
  let left = most;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [i, length] of sorted.entries()) {
    const share = left / (sorted.length - i);
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

/** Pictures and documents in older results: they were looked at. */
export function usedPictures(state: SessionState): Taken[] {
  return olderCalls(state).flatMap((call) => {
    if (isTaken(state, call) || call.result?.status !== "ok") return [];
    return call.result.content.flatMap((block, at): Taken[] => {
      const part = { callId: call.callId, at };
      if (block.type === "text" || state.mended.has(partKey(part))) return [];
      const what = block.type === "image" ? "picture" : "document";
      const note = `(A ${what} was here and is left out after its use. ${nameOf(call)} shows it again.)`;
      return [{ part, won: charsOf(block) - note.length, note: () => note }];
    });
  });
}

/** Older reads of a file that was read again later, unchanged: the later one says it. */
export function repeatedReads(state: SessionState): Taken[] {
  const reads = sentCalls(state).flatMap((call) => {
    const touch = call.result?.status === "ok" ? call.result.touched.find((t) => t.how === "read") : undefined;
    return call.tool === "Read" && touch !== undefined ? [{ call, touch, same: JSON.stringify(call.input) }] : [];
  });
  const older = new Set(olderCalls(state).map((call) => call.callId));
  return reads.flatMap(({ call, touch, same }, i): Taken[] => {
    if (isTaken(state, call) || !older.has(call.callId)) return [];
    const again = reads
      .slice(i + 1)
      .find(
        (r) =>
          r.touch.path === touch.path && r.touch.hash === touch.hash && (r.same === same || r.touch.partial !== true),
      );
    if (again === undefined || isTaken(state, again.call)) return [];
    const note = `(Left out: ${nameOf(call)} was read again further down, and the file had not changed. The result there holds it.)`;
    const won = resultChars(call, state) - note.length;
    return won <= 0 ? [] : [{ part: { callId: call.callId }, won, note: () => note }];
  });
}

/** Older results, the oldest first: the calls stay, a file holds what they brought. */
export function oldResults(state: SessionState): Taken[] {
  return olderCalls(state).flatMap((call): Taken[] => {
    const { result } = call;
    if (result === undefined || isTaken(state, call) || KEPT_TOOLS.has(call.tool)) return [];
    const chars = resultChars(call, state);
    if (chars < LEAST) return [];
    const whole = result.content.map((b) => (b.type === "text" ? b.text : `(a ${b.type})`)).join("\n");
    return [{ part: { callId: call.callId }, won: chars - 350, whole, note: (file) => clearedNote(call, file) }];
  });
}

function clearedNote(call: CallState, file: string): string {
  return `(The result of ${nameOf(call)} was cleared to make room. It is in ${file}: Read or Grep that where you need it again.)`;
}

/** Tool and input, in short, without half a pair. */
function nameOf({ tool, input }: CallState): string {
  const words = withoutHalves(JSON.stringify(input));
  const shown = words.length > MAX_INPUT ? `${startOf(words, MAX_INPUT)}…` : words;
  return `${withoutHalves(tool)} ${shown}`;
}

function isTaken({ cleared, mended }: SessionState, { callId }: CallState): boolean {
  return cleared.has(callId) || mended.has(partKey({ callId }));
}

function textOnly(content: readonly ContentBlock[]): string | undefined {
  const texts = content.flatMap((b) => (b.type === "text" ? [b.text] : []));
  return texts.length === content.length && contentChars(content) > LEAST ? texts.join("\n") : undefined;
}

/** Calls whose results are sent, in order. */
function sentCalls(state: SessionState): CallState[] {
  return repliesOf(state).flatMap((item) => callsOf(state, item));
}

/** The same without those of the last turns. */
function olderCalls(state: SessionState): CallState[] {
  return repliesOf(state)
    .slice(0, -LAST_TURNS)
    .flatMap((item) => callsOf(state, item));
}

type Reply = Extract<SessionState["items"][number], { kind: "reply" }>;

function repliesOf({ items, firstItem }: SessionState): Reply[] {
  return items.slice(firstItem).filter((item) => item.kind === "reply" && item.cut === undefined) as Reply[];
}

function callsOf({ calls }: SessionState, { blocks }: Reply): CallState[] {
  return blocks.flatMap((block) => {
    const call = block.type === "tool_use" ? calls.get(block.id) : undefined;
    return call?.result === undefined ? [] : [call];
  });
}
