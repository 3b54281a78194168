import { text, type ContentBlock } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { noteEnded, offerChanges } from "./background.ts";
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
  let empty = 0;
  for (let turn = done + 1; ; turn++) {
    const limit = signal.aborted ? stopped : limitReached(deps, turn);
    if (limit !== undefined) return yield* finish(deps, limit);
    yield await deps.log.append({ type: "turn.started", turn, model: deps.log.state.model });
    const reply = yield* streamReply(deps, turn, signal);
    if ("reason" in reply) return yield* finish(deps, reply);
    empty = reply.blank ? empty + 1 : 0;
    const stop =
      reply.calls.length > 0 ? yield* callsOf(reply, deps, signal) : yield* afterWords(reply, empty, deps, signal);
    if (stop?.reason === "done") yield* offerChanges(deps, signal);
    if (stop !== undefined) return yield* finish(deps, stop);
    yield* tellNews(deps);
    yield* deliver(deps);
  }
}

const stopped: Stop = { reason: "interrupted" };
const done: Stop = { reason: "done" };

async function* callsOf(
  reply: Reply,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  const stop = yield* runCalls(reply.calls, deps, signal);
  return stop ?? (yield* notGoingRound(deps));
}

/** A reply without calls: done, unless its stop reason or the person says otherwise (L5, S11). */
async function* afterWords(
  reply: Reply,
  empty: number,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  if (signal.aborted) return stopped;
  switch (reply.stopReason) {
    case "pause_turn":
      return undefined;
    case "max_tokens":
      yield await note(
        deps,
        "Your reply was cut off at the output limit. Go on exactly where it stopped, in smaller parts.",
      );
      return undefined;
    case "refusal":
      return {
        reason: "refused",
        detail: "The model declined to go on. Say it differently, or try another model (/model).",
      };
    case "model_context_window_exceeded":
      return {
        reason: "api-error",
        detail: "The conversation no longer fits the model's context. /clear starts afresh.",
      };
    case "end_turn":
    case "stop_sequence":
    case "tool_use": {
      if (!reply.blank) return (yield* deliver(deps)) ? undefined : done;
      if (empty > 1)
        return {
          reason: "api-error",
          detail: "The model answered twice with nothing. Ask again, or try another model.",
        };
      yield await note(deps, "Your last reply was empty. Answer the person, or go on with the task.");
      return undefined;
    }
    default:
      return {
        reason: "api-error",
        detail: `The model stopped for a reason this version doesn't know: ${reply.stopReason}. Nothing is lost; ask again.`,
      };
  }
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

/** Texts typed meanwhile, behind the results (S11); true when the person said something. */
async function* deliver(deps: LoopDeps): AsyncGenerator<SessionEvent, boolean> {
  const texts = deps.inbox.take();
  for (const words of texts)
    yield await deps.log.append({ type: "prompt.submitted", when: "steer", content: [text(words)] });
  return texts.length > 0;
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
