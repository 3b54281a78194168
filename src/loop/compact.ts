import { type Cut, cutOf } from "../context/cut.ts";
import { keptPart } from "../context/kept-part.ts";
import { requestChars } from "../context/size.ts";
import { transcript } from "../context/transcript.ts";
import type { LogBodyOf, LogEventOf, SessionEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { promptTokens } from "../events/usage.ts";
import { startOf } from "../util/halves.ts";
import { boundsOf, charsPerToken, sizeNow } from "./bounds.ts";
import { clearByRules } from "./clear.ts";
import type { LoopDeps } from "./deps.ts";
import { runHooks } from "./run-hooks.ts";
import { type Summed, summarize } from "./summarize.ts";

export interface CompactHow {
  /** `length`: the service would not take it. */
  trigger: "auto" | "manual" | "length";
  turn: number;
  /** What the person wants kept above all. */
  asked?: string;
  /** Nothing stays but a handoff; gives the file that it stands in. */
  handoff?: (text: string) => Promise<string | undefined>;
}

/** `words`: for the person, why it was not done, or what was done instead. */
export type Compacted =
  | { done: true; fact: LogEventOf<"context.compacted"> }
  | { done: false; why: "nothing" | "held" | "failed" | "stopped"; words: string };

/** A summary takes at most so much of the window. */
const MOST = 0.15;
/** From this share of the window on something has to go, whoever can sum it up. */
export const FULL = 0.9;

/**
 * Puts a summary in place of all but the last turns: the model's words, and behind them what the program itself keeps. One fact at the end of
 * it, so a program that is killed on the way has changed nothing. Where the model gives no summary, old results go by rules, and where that
 * does not do, the program's part alone stands in for them. Told each time.
 */
export async function* compact(
  how: CompactHow,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Compacted> {
  const { log } = deps;
  const { window } = boundsOf(deps);
  const before = sizeNow(deps);
  const perToken = charsPerToken(deps, before);
  const cut = cutOf(log.state, window * perToken, how.handoff !== undefined);
  if (cut === undefined) return { done: false, why: "nothing", words: NOTHING };
  const trigger = how.trigger === "manual" ? "manual" : "auto";
  const hooked = yield* runHooks("PreCompact", { trigger, custom_instructions: how.asked ?? "" }, deps, signal);
  if (hooked.decision === "deny" || hooked.stop !== undefined) {
    const why = hooked.by.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
    return {
      done: false,
      why: "held",
      words: `Not summed up: held back by a hook (${why || hooked.stop?.reason || ""}).`,
    };
  }
  const since = deps.clock.now();
  const { index } = cut;
  const long = how.trigger === "length";
  const sum = yield* summarize({ index, asked: how.asked, long, window }, deps, signal);
  if (signal.aborted) {
    yield* spent(sum, how, deps, "stopped");
    return { done: false, why: "stopped", words: "Stopped: nothing was summed up." };
  }
  const failed = sum.text === undefined ? yield* withoutSummary(sum, how, deps) : undefined;
  if (failed !== undefined && !failed.full) return { done: false, why: "failed", words: failed.words };
  const fact = yield* put({ how, cut, sum, before, perToken, window, since }, deps);
  if (fact === undefined) {
    yield* spent(sum, how, deps, "the handoff was not written");
    return { done: false, why: "held", words: "The handoff was not written, so the conversation stays as it is." };
  }
  yield* tellAfter(fact, trigger, deps, signal);
  return { done: true, fact };
}

const NOTHING = "There is nothing to sum up: only the last turns are there.";

/** Told, and then by rules. `full`: that did not do. */
async function* withoutSummary(
  sum: Summed,
  how: CompactHow,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, { full: boolean; words: string }> {
  const why = sum.failed ?? "";
  yield* spent(sum, how, deps, why);
  const { won } = yield* clearByRules(deps, how.turn, true);
  const { window } = boundsOf(deps);
  const full = how.trigger === "length" ? won === 0 : sizeNow(deps) >= window * FULL;
  const instead = full
    ? "your messages, the todos, the files touched and what is pinned stand in for the older turns"
    : won > 0
      ? "results of older calls were cleared"
      : "nothing was changed";
  const words = `Older messages could not be summed up (${why.replace(/\.$/, "")}): ${instead}.`;
  yield await deps.log.append({ type: "limit.warned", limit: COMPACT_FAILED, text: words });
  return { full, words };
}

/** In `query.warned`: it is not tried again in this query before it must be. */
export const COMPACT_FAILED = "context.summary";

/** What was used for a summary that never came. */
async function* spent(
  { usage }: Summed,
  { turn }: CompactHow,
  deps: LoopDeps,
  reason: string,
): AsyncGenerator<SessionEvent, void> {
  if (promptTokens(usage) + usage.output > 0)
    yield await deps.log.append({
      type: "reply.voided",
      turn,
      model: deps.model().id,
      usage,
      reason: `summary: ${reason}`,
    });
}

interface Made {
  how: CompactHow;
  cut: Cut;
  sum: Summed;
  before: number;
  perToken: number;
  window: number;
  since: number;
}

async function* put(
  { how, cut, sum, before, perToken, window, since }: Made,
  deps: LoopDeps,
): AsyncGenerator<SessionEvent, LogEventOf<"context.compacted"> | undefined> {
  const { log } = deps;
  const { state } = log;
  const gone = state.items.slice(state.firstItem, cut.index);
  const earlier = state.summary === undefined ? [] : [`(What stood in for what came before)\n${state.summary}`];
  const file = await deps.spill(`before_${state.seq}`, [...earlier, ...transcript(state, gone)].join("\n\n"));
  const words = sum.text ?? NO_WORDS;
  const most = Math.floor(window * MOST * perToken);
  const own = words.length > most ? `${startOf(words, most)} […]` : words;
  const summary = `${own}\n\n${keptPart(state, cut.index, window * perToken, file)}`;
  const handoff = await how.handoff?.(summary);
  if (how.handoff !== undefined && handoff === undefined) return undefined;
  const then = { ...state, summary, firstItem: cut.index };
  const chars = (s: SessionState): number => requestChars(deps.request(s, deps.model()));
  const after = Math.round((before * chars(then)) / chars(state));
  const took = sum.text === undefined ? {} : { model: deps.model().id, usage: sum.usage, requests: sum.requests };
  const body: LogBodyOf<"context.compacted"> = {
    type: "context.compacted",
    summary,
    keptFrom: cut.keptFrom,
    before,
    after,
    turn: how.turn,
    trigger: how.trigger,
    ...(how.asked === undefined ? {} : { asked: how.asked }),
    ...(handoff === undefined ? {} : { handoff }),
    ...(sum.failed === undefined ? {} : { instead: sum.failed }),
    ...took,
    durationMs: deps.clock.now() - since,
    dropped: { ...cut.dropped, file },
  };
  const fact = await log.append(body);
  yield fact;
  if (fact.type !== "context.compacted") throw new Error("another fact was appended than the one given");
  return fact;
}

const NO_WORDS =
  "(No summary could be made of what came before. What the program kept of it follows; the file holds the rest.)";

/** Hooks, and what the model was told of folder, mode and files of instructions, which went with the older turns. */
async function* tellAfter(
  { summary }: LogEventOf<"context.compacted">,
  trigger: "manual" | "auto",
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, void> {
  yield* runHooks("PostCompact", { trigger, compact_summary: summary }, deps, signal);
  yield* runHooks("SessionStart", { source: "compact", model: deps.log.state.model }, deps, signal);
  for (const words of deps.notes(deps.log.state)) yield await deps.log.append({ type: "note.added", text: words });
  yield* (await deps.news?.()) ?? [];
}
