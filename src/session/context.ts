import { cutOf } from "../context/cut.ts";
import { requestChars } from "../context/size.ts";
import { textOf } from "../events/block.ts";
import type { LogBodyOf, LogEventOf } from "../events/event.ts";
import { fold, initialState, reduce } from "../events/reduce.ts";
import type { SessionState } from "../events/state.ts";
import { boundsOf, charsPerToken, sizeNow } from "../loop/bounds.ts";
import { type Compacted, compact, type CompactHow } from "../loop/compact.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { limitReached } from "../loop/limits.ts";
import { drained } from "./hearing.ts";
import { writeHandoff } from "./handoff.ts";
import { droppedWords, type Receipt, receiptsOf } from "./receipts.ts";
import type { ChangeReport } from "./session.ts";
import { contextSizes, type ContextSizes } from "./sizes.ts";

/** What the model is sent of the conversation, and what makes it less or more (C3, C4, C7). */
export interface SessionContext {
  /** What the next request takes of the model's window. */
  sizes(): ContextSizes;
  /** Sums up all but the last turns now. `asked`: what to keep above all. */
  compact(asked?: string, signal?: AbortSignal): Promise<ChangeReport>;
  /** What that would drop and what would stay. Asks no model, changes nothing. */
  preview(): CompactPreview;
  /** What was taken out so far, the oldest first. */
  receipts(): readonly Receipt[];
  /** Brings back what the newest of them (or the n-th) took out. */
  restore(n?: number): Promise<ChangeReport>;
  /** Pins a text, or the newest answer: whole in every summary. */
  pin(text?: string): Promise<ChangeReport>;
  unpin(id: string): Promise<ChangeReport>;
  pins(): SessionState["pins"];
  /** Writes a handoff (into the folder where a file is named, asked about as any change) and starts afresh from it. */
  handoff(file?: string, signal?: AbortSignal): Promise<ChangeReport>;
}

export interface CompactPreview {
  /** Tokens of the next request, of the window that counts, and where it would be made shorter by itself. */
  tokens: number;
  window: number;
  threshold: number;
  /** Undefined: nothing would be dropped. */
  drops?: { words: string; tokens: number };
  /** What stays, a line each. */
  stays: readonly string[];
}

/** Pins together take at most this share of the window. */
const MOST_PINNED = 0.1;
const never = (): AbortSignal => new AbortController().signal;

/** @param alone no query runs meanwhile, and none begins. */
export function contextOf(
  deps: LoopDeps,
  alone: (work: () => Promise<ChangeReport>) => Promise<ChangeReport>,
): SessionContext {
  const { log } = deps;
  return {
    sizes: () => contextSizes(deps),
    compact: (asked, signal = never()) =>
      alone(() => sumUp(asked === undefined || asked === "" ? {} : { asked }, deps, signal)),
    preview: () => preview(deps),
    receipts: () => receiptsOf(log.events),
    restore: (n) => alone(() => restore(n, deps)),
    pin: (text) => pin(text, deps),
    unpin: async (id) => {
      if (!log.state.pins.some((p) => p.id === id)) return no(`No pin ${id}. /pin list shows them.`);
      await log.append({ type: "context.unpinned", id });
      return yes(`Unpinned ${id}.`);
    },
    pins: () => log.state.pins,
    handoff: (file, signal = never()) =>
      alone(() => sumUp({ handoff: (text) => writeHandoff(text, file, deps, signal) }, deps, signal)),
  };
}

function yes(text: string): ChangeReport {
  return { ok: true, text, paths: [] };
}

function no(text: string): ChangeReport {
  return { ok: false, text, paths: [] };
}

async function sumUp(
  how: Pick<CompactHow, "asked" | "handoff">,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<ChangeReport> {
  const limit = limitReached(deps, ["session"]);
  if (limit !== undefined) return no(limit.detail ?? limit.reason);
  let outcome: Compacted | undefined;
  await drained(
    (async function* () {
      outcome = yield* compact({ trigger: "manual", turn: deps.log.state.query?.turn ?? 0, ...how }, deps, signal);
    })(),
  );
  if (outcome?.done !== true) return no(outcome?.words ?? "Nothing was summed up.");
  return yes(doneWords(outcome.fact, deps.log.state));
}

function doneWords({ before, after, dropped, handoff }: LogEventOf<"context.compacted">, state: SessionState): string {
  const from = `${count(before)} → ${count(after)} tokens`;
  const what = dropped === undefined ? "" : ` Dropped: ${droppedWords(dropped)}; in full in ${dropped.file}.`;
  const pins = state.pins.length === 0 ? "" : `, ${state.pins.length} pinned`;
  if (handoff !== undefined) return `The model starts afresh from ${handoff} (${from}).${what}`;
  return `Summed up: ${from}.${what} Kept: the last turns, your messages, open todos${pins}. /compact --restore brings it back.`;
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}

function preview(deps: LoopDeps): CompactPreview {
  const { state } = deps.log;
  const { window, threshold } = boundsOf(deps);
  const tokens = sizeNow(deps);
  const perToken = charsPerToken(deps, tokens);
  const cut = cutOf(state, window * perToken);
  const kept = state.items.slice(cut?.index ?? state.firstItem);
  const turns = kept.filter((item) => item.kind === "reply").length;
  const said = state.items.filter((item) => item.kind === "prompt" && item.seq > (state.resets.at(-1) ?? 0)).length;
  const open = state.todos.filter((todo) => todo.status !== "done").length;
  return {
    tokens,
    window,
    threshold,
    ...(cut === undefined
      ? {}
      : { drops: { words: droppedWords(cut.dropped), tokens: Math.round(cut.chars / perToken) } }),
    stays: [
      `${turns === 1 ? "the last turn" : `the last ${turns} turns`}, whole`,
      `your ${said === 1 ? "message" : `${said} messages`}, word for word as far as they fit`,
      ...(open > 0 ? [`${open} open todos`] : []),
      ...state.pins.map((pin) => `pinned ${pin.id}: ${pin.text.slice(0, 60).replaceAll(/\s+/g, " ")}`),
      "files touched, your answers, and the name of a file with everything that is dropped",
    ],
  };
}

async function restore(n: number | undefined, deps: LoopDeps): Promise<ChangeReport> {
  const { log } = deps;
  const all = receiptsOf(log.events);
  const found = n === undefined ? all.findLast((r) => !r.restored) : all.find((r) => r.n === n);
  if (found === undefined)
    return no(
      n === undefined
        ? "Nothing was taken out that could come back."
        : `There is no ${n}. /context lists what was dropped.`,
    );
  if (found.restored) return no(`${n ?? found.n} is part of the conversation already.`);
  const body = restoring(found, deps);
  const before = sizeNow(deps);
  const event = { v: 1 as const, seq: log.state.seq + 1, at: log.state.lastAt, mac: "", ...body };
  const chars = (state: SessionState): number => requestChars(deps.request(state, deps.model()));
  const after = Math.round((before * chars(reduce(log.state, event))) / chars(log.state));
  const { window } = boundsOf(deps);
  if (after >= window)
    return no(
      `That would be ${count(after)} tokens, and the window has ${count(window)}.${found.file === undefined ? "" : ` It stands in ${found.file}.`}`,
    );
  await log.append({ ...body, before, after });
  return yes(`Back again: ${found.what} (${count(before)} → ${count(after)} tokens).`);
}

/** The fact that undoes one: for a compaction the view of the conversation ahead of it, for a clearing its parts. */
function restoring({ seq }: Receipt, { log }: LoopDeps): LogBodyOf<"context.restored"> {
  const { state, events } = log;
  const event = events.find((e) => e.seq === seq);
  const now = { keptFrom: state.items[state.firstItem]?.seq ?? state.seq + 1 };
  const summary = state.summary === undefined ? {} : { summary: state.summary };
  const base = { type: "context.restored" as const, of: seq, before: 0, after: 0 };
  if (event?.type === "context.cleared") {
    const parts = (event.parts ?? event.callIds.map((callId) => ({ callId }))).flatMap(
      ({ callId, ...rest }: { callId?: string | undefined; at?: number | undefined }) =>
        callId === undefined ? [] : [{ callId, ...(rest.at === undefined ? {} : { at: rest.at }) }],
    );
    return { ...base, ...now, ...summary, parts };
  }
  const then = fold(
    initialState(state.id),
    events.filter((e) => e.seq < seq),
  );
  return {
    ...base,
    keptFrom: then.items[then.firstItem]?.seq ?? now.keptFrom,
    ...(then.summary === undefined ? {} : { summary: then.summary }),
  };
}

async function pin(text: string | undefined, deps: LoopDeps): Promise<ChangeReport> {
  const { log } = deps;
  const given = text?.trim() ?? "";
  const words = given === "" ? newestAnswer(log.state) : log.secrets.mask(given);
  if (words === undefined) return no("There is no answer to pin yet. /pin TEXT pins a text.");
  const { window } = boundsOf(deps);
  const chars = log.state.pins.reduce((sum, p) => sum + p.text.length, words.length);
  if (chars > window * MOST_PINNED * 3.5)
    return no("Pins together would take more than a tenth of the window. /pin remove ID makes room, or pin less.");
  const id = `p${Math.max(0, ...log.state.pins.map((p) => Number(p.id.slice(1)) || 0)) + 1}`;
  await log.append({ type: "context.pinned", id, text: words });
  // What the model has not seen it is told now; an answer of its own it knows.
  if (given !== "")
    await log.append({
      type: "note.added",
      text: `The person pinned this: it counts to the end of the session.\n${words}`,
    });
  return yes(`Pinned as ${id}: whole in every summary and handoff.`);
}

function newestAnswer({ items, firstItem }: SessionState): string | undefined {
  const reply = items
    .slice(firstItem)
    .findLast((item) => item.kind === "reply" && item.cut === undefined && textOf(item.blocks).trim() !== "");
  return reply?.kind === "reply" ? textOf(reply.blocks).trim() : undefined;
}
