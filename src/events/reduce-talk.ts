import { called } from "./called.ts";
import type { Draft } from "./draft.ts";
import type { LogEventOf, Usage } from "./event.ts";
import { NO_USAGE as NONE, sumOf } from "./usage.ts";
import { uniqueCallIds } from "./ids.ts";
import { partKey } from "./message-part.ts";
import { touch } from "./reduce-calls.ts";
import { judgedAnew } from "./reduce-work.ts";
import type { SessionState } from "./state.ts";

/** A `start` begins a query: the person has seen what went wrong before, so failures are counted anew (S4). */
export function promptSubmitted(draft: Draft, event: LogEventOf<"prompt.submitted">): void {
  const { state } = draft;
  draft.items().push({ kind: "prompt", seq: event.seq, when: event.when, content: event.content });
  touch(draft, event.touched ?? []);
  if (event.when === "steer") {
    if (state.query !== undefined) state.query = { ...state.query, spokenSeq: event.seq };
    return;
  }
  state.prompts++;
  judgedAnew(draft);
  // The person's next message may be another matter: it is tried once more.
  if (state.compaction !== undefined) state.compaction = { ...state.compaction, helpless: 0 };
  state.query = {
    startSeq: event.seq,
    startedAt: event.at,
    turn: 0,
    usage: NONE,
    // A copy, since a fold goes on writing into the one map.
    usageBefore: new Map(state.usage),
    workedMs: 0,
    spokenSeq: event.seq,
    warned: [],
    filesBefore: state.marks.files,
    checkRound: 0,
  };
  if (state.failures.size > 0) draft.failures().clear();
}

/** Ids are unique on arrival (L4); a log of doubtful origin gets the same treatment here, so that no history breaks the pairing. */
export function replyCompleted(draft: Draft, event: LogEventOf<"reply.completed">): void {
  const blocks = uniqueCallIds(event.blocks, draft.state);
  draft.items().push({
    kind: "reply",
    seq: event.seq,
    turn: event.turn,
    blocks,
    model: draft.state.model,
    stopReason: event.stopReason,
  });
  for (const block of blocks) {
    if (block.type !== "tool_use") continue;
    const { name, input } = called(block);
    draft.calls().set(block.id, {
      callId: block.id,
      tool: name,
      input,
      replySeq: event.seq,
      turn: event.turn,
      attempt: 0,
    });
  }
  count(draft, event);
}

/** Its calls never count: nothing of them ran (L3). */
export function replyCut(draft: Draft, event: LogEventOf<"reply.cut">): void {
  draft.items().push({
    kind: "reply",
    seq: event.seq,
    turn: event.turn,
    blocks: event.blocks,
    model: draft.state.model,
    stopReason: "cut",
    cut: event.reason,
  });
  count(draft, event);
}

/** It counts as spent; the conversation knows nothing of it. */
export function replyVoided(draft: Draft, { model, usage }: LogEventOf<"reply.voided">): void {
  spend(draft, model, usage, 0);
}

/** It is paid for; the conversation and the limits of a message know nothing of it. */
export function asideAsked(draft: Draft, { model, usage }: LogEventOf<"aside.asked">): void {
  const before = draft.state.usage.get(model);
  draft.usage().set(model, { ...sumOf(before ?? NONE, usage), replies: (before?.replies ?? 0) + 1 });
}

function spend(draft: Draft, model: string, usage: Usage, replies: 0 | 1): void {
  const { state } = draft;
  // What a fork took over was spent by the session that it comes from.
  if (state.seq < (state.forkedFrom?.seq ?? 0)) return;
  const before = state.usage.get(model);
  draft.usage().set(model, { ...sumOf(before ?? NONE, usage), replies: (before?.replies ?? 0) + replies });
  if (state.query !== undefined) state.query = { ...state.query, usage: sumOf(state.query.usage, usage) };
}

function count(draft: Draft, { model, usage, seq }: LogEventOf<"reply.completed" | "reply.cut">): void {
  const { state } = draft;
  spend(draft, model, usage, 1);
  const context = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  // A reply that broke off before its figures came tells nothing.
  if (context === 0) return;
  state.contextTokens = context;
  state.sizedAt = seq;
  if (state.compaction?.judged === false) state.compaction = judged(state.compaction, context);
}

/** Most of what a compaction was to win has to be won by the service's own figures; else it did not help. */
const HELPED = 0.8;

type Compaction = NonNullable<SessionState["compaction"]>;

function judged(compaction: Compaction, context: number): Compaction {
  const helpless = context > compaction.before * HELPED ? compaction.helpless + 1 : 0;
  return { ...compaction, judged: true, helpless };
}

export function cleared(draft: Draft, event: LogEventOf<"context.cleared">): void {
  for (const callId of event.callIds) draft.cleared().add(callId);
  for (const { note, ...part } of event.parts ?? []) draft.mended().set(partKey(part), note);
  draft.state.contextTokens = event.after;
  draft.state.sizedAt = event.seq;
}

export function mended(draft: Draft, event: LogEventOf<"context.mended">): void {
  for (const { note, ...part } of event.parts) draft.mended().set(partKey(part), note);
  if (event.thinking === true) draft.state.thinkingFrom = event.seq;
}

/** `keptFrom` is the seq of the first item that is still sent behind the summary. */
export function compacted(draft: Draft, event: LogEventOf<"context.compacted">): void {
  const { state } = draft;
  const first = state.items.findIndex((item) => item.seq >= event.keptFrom);
  state.firstItem = Math.max(state.firstItem, first < 0 ? state.items.length : first);
  state.summary = event.summary;
  state.contextTokens = event.after;
  state.sizedAt = event.seq;
  const helpless = state.compaction?.helpless ?? 0;
  state.compaction = { seq: event.seq, before: event.before, judged: false, helpless };
  if (event.handoff !== undefined) draft.touched().clear();
  if (event.model !== undefined && event.usage !== undefined) spend(draft, event.model, event.usage, 1);
}

/** The whole of it is sent again, up to the window: whoever wants it back wants it not summed up at once. */
export function restored(draft: Draft, event: LogEventOf<"context.restored">): void {
  const { state } = draft;
  const first = state.items.findIndex((item) => item.seq >= event.keptFrom);
  state.firstItem = first < 0 ? state.items.length : first;
  if (event.summary === undefined) delete state.summary;
  else state.summary = event.summary;
  for (const part of event.parts ?? []) {
    if (part.at === undefined) draft.cleared().delete(part.callId);
    draft.mended().delete(partKey(part));
  }
  state.contextTokens = event.after;
  state.sizedAt = event.seq;
  state.compaction = { seq: event.seq, before: event.before, judged: true, helpless: 0, restored: true };
}

export function pinned({ state }: Draft, { id, text, seq }: LogEventOf<"context.pinned">): void {
  state.pins = [...state.pins.filter((pin) => pin.id !== id), { id, text, seq }];
}

export function unpinned({ state }: Draft, { id }: LogEventOf<"context.unpinned">): void {
  state.pins = state.pins.filter((pin) => pin.id !== id);
}

/** The model no longer knows any file, so it has to read before it edits (T4). */
export function reset(draft: Draft, { seq }: LogEventOf<"context.reset">): void {
  const { state } = draft;
  state.resets = [...state.resets, seq];
  state.pins = [];
  delete state.compaction;
  state.firstItem = state.items.length;
  delete state.summary;
  state.contextTokens = 0;
  draft.touched().clear();
}

/** What the model knew of files since then it knows no more, so it has to read before it edits (T4). A query that was cut off by this is over. */
export function rewound(draft: Draft, event: LogEventOf<"context.rewound">): void {
  const { state } = draft;
  const items = draft.items();
  const end = items.findIndex((item) => item.seq >= event.to);
  if (end >= 0) items.length = end;
  const first = items.findIndex((item) => item.seq >= event.keptFrom);
  state.firstItem = first < 0 ? items.length : first;
  if (event.summary === undefined) delete state.summary;
  else state.summary = event.summary;
  state.contextTokens = 0;
  state.resets = state.resets.filter((seq) => seq < event.to);
  state.pins = state.pins.filter((pin) => pin.seq < event.to);
  delete state.compaction;
  draft.touched().clear();
  if (state.query !== undefined && state.query.startSeq >= event.to) {
    state.query = {
      ...state.query,
      ended: state.query.ended === "waiting" ? "interrupted" : (state.query.ended ?? "interrupted"),
    };
  }
}
