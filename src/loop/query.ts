import type { ContentBlock } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { noteEnded, offerChanges } from "./background.ts";
import { afterWords, nextStreak, NO_STREAK } from "./after-words.ts";
import { backToFirst } from "./fallback.ts";
import { deliver } from "./deliver.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { limitReached, notGoingRound } from "./limits.ts";
import { runCalls } from "./run-calls.ts";
import { settle } from "./settle.ts";
import { streamReply, type Reply } from "./stream-reply.ts";

/**
 * Runs one prompt to its end (L1, L2): yields facts, each already in the log, and live events. The last fact is
 * `query.finished`. An aborted signal ends it as interrupted, every call with a result. Throws only when the log can't be written.
 */
export async function* query(
  content: readonly ContentBlock[],
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop> {
  yield* backToFirst(deps);
  yield* tellNews(deps);
  yield await deps.log.append({ type: "prompt.submitted", when: "start", content: [...content] });
  return yield* turns(deps, signal, 0);
}

/** Goes on with a query that a crash, a kill or an open question left: settles its calls (E3), then runs it to its end. */
export async function* goOn(deps: LoopDeps, signal: AbortSignal, answer?: string): AsyncGenerator<SessionEvent, Stop> {
  const settled = yield* settle(deps, signal, answer);
  if (settled !== undefined) return yield* finish(deps, settled);
  yield* deliver(deps);
  return yield* turns(deps, signal, deps.log.state.query?.turn ?? 0);
}

async function* turns(deps: LoopDeps, signal: AbortSignal, done: number): AsyncGenerator<SessionEvent, Stop> {
  let streak = NO_STREAK;
  for (let turn = done + 1; ; turn++) {
    const limit = signal.aborted ? stopped : limitReached(deps, turn);
    if (limit !== undefined) return yield* finish(deps, limit);
    yield await deps.log.append({ type: "turn.started", turn, model: deps.log.state.model });
    const reply = yield* streamReply(deps, turn, signal);
    if ("reason" in reply) return yield* finish(deps, reply);
    streak = nextStreak(streak, reply);
    const stop =
      reply.calls.length > 0
        ? yield* callsOf(reply, deps, signal)
        : signal.aborted
          ? stopped
          : yield* afterWords(reply, streak, deps);
    if (stop?.reason === "done") yield* offerChanges(deps, signal);
    if (stop !== undefined) return yield* finish(deps, stop);
    yield* tellNews(deps);
    yield* deliver(deps);
  }
}

const stopped: Stop = { reason: "interrupted" };

async function* callsOf(
  reply: Reply,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const stop = yield* runCalls(reply.calls, deps, signal);
  return stop ?? (yield* notGoingRound(deps));
}

async function note(deps: LoopDeps, words: string): Promise<SessionEvent> {
  return deps.log.append({ type: "note.added", text: words });
}

/** What changed since the model was last told: what others undid, the mode, the day (C1). */
async function* tellNews(deps: LoopDeps): AsyncGenerator<SessionEvent, void> {
  yield* (await deps.news?.()) ?? [];
  yield* noteEnded(deps);
  for (const words of deps.notes(deps.log.state)) yield await note(deps, words);
}

async function* finish(deps: LoopDeps, stop: Stop): AsyncGenerator<SessionEvent, Stop> {
  const { query: q } = deps.log.state;
  yield await deps.log.append({
    type: "query.finished",
    reason: stop.reason,
    ...(stop.detail === undefined ? {} : { detail: stop.detail }),
    turns: q?.turn ?? 0,
    durationMs: q === undefined ? 0 : Math.max(0, deps.clock.now() - Date.parse(q.startedAt)),
  });
  await deps.log.barrier();
  return stop;
}
