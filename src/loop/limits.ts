import type { SessionEvent } from "../events/event.ts";
import type { CallState, SessionState } from "../events/state.ts";
import type { LoopDeps, Stop } from "./deps.ts";

/** A tool that fails in this many replies in a row is handed over to the person (S4): the model must have seen what went wrong. */
const FAILURES = 3;
/** So many times the same call with the same result, or the same pair of calls, is going round (S5). */
const ROUNDS = 3;

/** The limit that forbids turn number `turn` of this query, if one does (S2, S3). */
export function limitReached(deps: LoopDeps, turn: number): Stop | undefined {
  const { limits, log, clock } = deps;
  const { query } = log.state;
  if (turn > limits.turns) {
    const detail = `Stopped at the limit of ${limits.turns} turns for one message (--max-turns). The work is not done; a new message goes on.`;
    return { reason: "turn-limit", detail };
  }
  const used =
    query === undefined ? 0 : query.usage.input + query.usage.output + query.usage.cacheWrite + query.usage.cacheRead;
  if (limits.tokens !== undefined && used >= limits.tokens) {
    return {
      reason: "token-limit",
      detail: `Stopped: ${used} tokens used, the limit for one message is ${limits.tokens} (--max-tokens-total).`,
    };
  }
  const spent = deps.spent(log.state);
  if (limits.usd !== undefined && spent !== undefined && spent >= limits.usd) {
    return {
      reason: "cost-limit",
      detail: `Stopped: ${spent.toFixed(2)} USD spent, the limit is ${limits.usd} (--max-cost).`,
    };
  }
  const ms = query === undefined ? 0 : clock.now() - Date.parse(query.startedAt);
  if (limits.timeMs !== undefined && ms >= limits.timeMs) {
    return {
      reason: "time-limit",
      detail: `Stopped after ${Math.round(ms / 1000)} s, the time limit for one message.`,
    };
  }
  return undefined;
}

/** Stops a query whose tool keeps failing (S4) or that repeats itself (S5): warned once, stopped the second time. */
export async function* notGoingRound(deps: LoopDeps): AsyncGenerator<SessionEvent, Stop | undefined> {
  const { state } = deps.log;
  const failing = [...state.failures].find(([tool, n]) => repliesOf(state, tool, n) >= FAILURES);
  if (failing !== undefined) {
    const [tool, n] = failing;
    return {
      reason: "tool-failing",
      detail: `${tool} failed ${n} times in a row in turn ${state.query?.turn ?? 0}: ${lastWords(deps, tool)}`,
    };
  }
  const round = goingRound([...state.calls.values()].filter((c) => c.replySeq >= (state.query?.startSeq ?? 0)));
  if (round === undefined) return undefined;
  if (state.query?.warned.includes("round") === true)
    return { reason: "going-round", detail: `Stopped: ${round}, after a warning.` };
  const text = `You are going round: ${round}. Try something else, or say what you need.`;
  yield await deps.log.append({ type: "limit.warned", limit: "round", text });
  yield await deps.log.append({ type: "note.added", text });
  return undefined;
}

/** Replies that the newest `n` failed calls of a tool came from: several of one reply are one mistake, made before its result was seen. */
function repliesOf({ calls }: SessionState, tool: string, n: number): number {
  const failed = [...calls.values()].filter((c) => c.tool === tool && c.result?.status === "error");
  return new Set(failed.slice(-n).map((c) => c.replySeq)).size;
}

/** Says what repeats in the newest finished calls: one call, or two in turn, three times with the same results. */
export function goingRound(calls: readonly CallState[]): string | undefined {
  const finished = calls.filter((c) => c.result !== undefined).map(fingerprint);
  const tail = (n: number) => finished.slice(-n);
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const one = tail(ROUNDS);
  if (one.length === ROUNDS && new Set(one).size === 1)
    return `${last.tool} was called ${ROUNDS} times with the same input and the same result`;
  const two = tail(2 * ROUNDS);
  const alternating = two.length === 2 * ROUNDS && two.every((key, i) => key === two[i % 2]);
  return alternating ? `two calls alternate ${ROUNDS} times with the same results` : undefined;
}

function fingerprint(call: CallState): string {
  return JSON.stringify([call.tool, call.input, call.result?.status, call.result?.content]);
}

function lastWords(deps: LoopDeps, tool: string): string {
  const call = [...deps.log.state.calls.values()].findLast((c) => c.tool === tool && c.result !== undefined);
  const block = call?.result?.content.find((b) => b.type === "text");
  return block === undefined ? "" : block.text.split("\n").slice(0, 3).join(" ").slice(0, 300);
}
