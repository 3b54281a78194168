import type { ContentBlock } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { noteEnded } from "./background.ts";
import { afterWords, nextStreak, NO_STREAK, type Streak } from "./after-words.ts";
import { stopOf, underDeadline } from "./deadline.ts";
import { finish, lastReply, whenDone } from "./ending.ts";
import { backToFirst } from "./fallback.ts";
import { deliver } from "./deliver.ts";
import { fileHooks } from "./file-hooks.ts";
import { promptHooks } from "./moment-hooks.ts";
import type { LoopDeps, Prompt, Stop } from "./deps.ts";
import { govern } from "./govern.ts";
import { CONTRACT_FIRST } from "./judging.ts";
import { explainKeys } from "./keys.ts";
import { limitReached, notGoingRound, tellNear } from "./limits.ts";
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
  touched?: Prompt["touched"],
): AsyncGenerator<SessionEvent, Stop> {
  yield* backToFirst(deps);
  yield* tellNews(deps);
  const blocked = yield* promptHooks(content, deps, signal);
  if (signal.aborted) return stopOf(signal);
  if (blocked !== undefined) return { reason: "denied", detail: `Your message was not sent: ${blocked}` };
  if (deps.log.state.judge !== undefined && deps.judge !== undefined) yield await note(deps, CONTRACT_FIRST);
  yield await deps.log.append({
    type: "prompt.submitted",
    when: "start",
    content: [...content],
    ...(touched === undefined ? {} : { touched: [...touched] }),
  });
  yield* explainKeys(deps);
  return yield* underDeadline((within, until) => turns(within, until, 0), deps, signal);
}

/** Goes on with a query that a crash, a kill or an open question left: settles its calls (E3), then runs it to its end. */
export async function* goOn(
  deps: LoopDeps,
  signal: AbortSignal,
  answers?: readonly string[],
): AsyncGenerator<SessionEvent, Stop> {
  return yield* underDeadline((within, until) => goOnWithin(within, until, answers), deps, signal);
}

async function* goOnWithin(
  deps: LoopDeps,
  signal: AbortSignal,
  answers?: readonly string[],
): AsyncGenerator<SessionEvent, Stop> {
  const settled = yield* settle(deps, signal, answers);
  if (settled !== undefined) return yield* finish(deps, settled);
  const said = yield* deliver(deps, signal);
  // The model had the last word: a request would ask for more of it, so what comes behind it is made up for.
  const last = said ? undefined : lastReply(deps);
  const stop = last === undefined ? undefined : yield* afterReply(last, nextStreak(NO_STREAK, last), deps, signal);
  if (stop !== undefined) return yield* finish(deps, stop);
  return yield* turns(deps, signal, deps.log.state.query?.turn ?? 0);
}

async function* turns(deps: LoopDeps, signal: AbortSignal, done: number): AsyncGenerator<SessionEvent, Stop> {
  let streak = NO_STREAK;
  for (let turn = done + 1; ; turn++) {
    const limit = signal.aborted ? stopOf(signal) : limitReached(deps);
    if (limit !== undefined) return yield* finish(deps, limit);
    yield* tellNear(deps);
    const full = yield* govern(deps, turn, signal);
    if (full !== undefined) return yield* finish(deps, full);
    yield await deps.log.append({ type: "turn.started", turn, model: deps.log.state.model });
    const reply = yield* streamReply(deps, turn, signal);
    if ("reason" in reply) return yield* finish(deps, reply.reason === "interrupted" ? stopOf(signal) : reply);
    streak = nextStreak(streak, reply);
    const stop = yield* afterReply(reply, streak, deps, signal);
    if (stop !== undefined) return yield* finish(deps, stop);
    yield* tellNews(deps);
    yield* fileHooks(deps, signal);
    yield* deliver(deps, signal);
  }
}

/** What a reply leads to: its calls, another turn, or the end. */
async function* afterReply(
  reply: Reply,
  streak: Streak,
  deps: LoopDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  if (reply.calls.length > 0) return yield* callsOf(reply, deps, signal);
  if (signal.aborted) return stopOf(signal);
  const stop = yield* afterWords(reply, streak, deps, signal);
  return stop?.reason === "done" ? yield* whenDone(deps, signal) : stop;
}

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
