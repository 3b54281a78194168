import type { LogBodyOf, SessionEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import {
  ledgerOf,
  LIMIT_NAMES,
  SCOPES,
  withSet,
  withUse,
  type Budget,
  type Ledger,
  type LimitName,
  type Scope,
} from "./ledger.ts";
import { goingRound } from "./rounds.ts";
import { limitText, nearWords, noPriceText } from "./limit-words.ts";
import { nearText, roundText } from "./say.ts";

/** A tool that fails in this many replies in a row is handed over to the person (S4): the model must have seen what went wrong. */
const FAILURES = 3;
/** So many different rounds are warned of in one query; the next is a stop at once. */
const WARNINGS = 3;
/** From this share of a limit on it is told (S3). */
const NEAR = 0.8;

const REASONS: Record<LimitName, Stop["reason"]> = {
  turns: "turn-limit",
  tokens: "token-limit",
  usd: "cost-limit",
  timeMs: "time-limit",
};

/** The limits that count now: settings and flags, and above them what the person set in the session. */
export function budgetsOf({ limits, log }: Pick<LoopDeps, "limits" | "log">): Record<Scope, Budget> {
  const { session, turns, tokens, usd, timeMs } = limits;
  const message: Budget = {
    turns,
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
  const set = log.state.limits;
  return { message: withSet(message, set.message), session: withSet(session ?? {}, set.session) };
}

export function ledgerNow({
  log,
  clock,
  cost,
  unrecorded,
}: Pick<LoopDeps, "log" | "clock" | "cost" | "unrecorded">): Ledger {
  const ledger = ledgerOf(log.state, clock.now(), cost);
  const use = unrecorded?.();
  return use === undefined ? ledger : withUse(ledger, use.turns, use.usage, cost);
}

/** The limit that forbids the next turn, if one does (S2, S3). `scopes`: the session's alone for what belongs to no message. */
export function limitReached(deps: LoopDeps, scopes: readonly Scope[] = SCOPES): Stop | undefined {
  const [budgets, ledger] = [budgetsOf(deps), ledgerNow(deps)];
  for (const scope of scopes) {
    for (const name of LIMIT_NAMES) {
      const limit = budgets[scope][name];
      if (limit === undefined) continue;
      const used = ledger[scope][name];
      if (used === undefined || (name === "usd" && !priced(deps)))
        return { reason: REASONS[name], detail: noPriceText(deps.model().id) };
      if (used >= limit) return { reason: REASONS[name], detail: limitText(scope, name, limit, used) };
    }
  }
  return deps.above?.stop();
}

/** A money limit that can't be counted would be none. */
function priced(deps: LoopDeps): boolean {
  return deps.cost(deps.model().id, { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }) !== undefined;
}

/** The first stop by time: a message's or a session's, whichever comes sooner; Infinity where there is none. In milliseconds. */
export function timeLeft(deps: LoopDeps): number {
  const [budgets, ledger] = [budgetsOf(deps), ledgerNow(deps)];
  return Math.min(...SCOPES.map((scope) => (budgets[scope].timeMs ?? Infinity) - ledger[scope].timeMs));
}

/** One word at 80 % of a limit, to the person and to the model (S3). */
export async function* tellNear(deps: LoopDeps): AsyncGenerator<SessionEvent, void> {
  const [budgets, ledger] = [budgetsOf(deps), ledgerNow(deps)];
  const { state } = deps.log;
  const told = new Set([...state.warned, ...(state.query?.warned ?? [])]);
  for (const scope of SCOPES) {
    for (const name of LIMIT_NAMES) {
      const [limit, used] = [budgets[scope][name], ledger[scope][name]];
      if (limit === undefined || used === undefined || used < limit * NEAR || told.has(`${scope}.${name}`)) continue;
      const words = nearWords(scope, name, limit, used);
      yield* warn(deps, { limit: `${scope}.${name}`, text: words }, nearText(words));
    }
  }
}

async function* warn(
  { log }: LoopDeps,
  { limit, text }: Omit<LogBodyOf<"limit.warned">, "type">,
  note: string,
): AsyncGenerator<SessionEvent, void> {
  yield await log.append({ type: "limit.warned", limit, text });
  yield await log.append({ type: "note.added", text: note });
}

/** Stops a query whose tool keeps failing (S4) or that goes round (S5): warned once of each round, stopped when it goes on. */
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
  // The person's words begin anew: they may well ask for the same once more.
  const since = state.query?.spokenSeq ?? 0;
  const round = goingRound([...state.calls.values()].filter((c) => c.replySeq > since));
  if (round === undefined) return undefined;
  const warned = (state.query?.warned ?? []).filter((w) => w.startsWith("round:"));
  const limit = `round:${round.key}`;
  if (warned.includes(limit) || warned.length >= WARNINGS)
    return { reason: "going-round", detail: `${round.words}, after a warning.` };
  yield* warn(deps, { limit, text: `The model goes round, and is told so: ${round.words}.` }, roundText(round.words));
  return undefined;
}

/** Replies that the newest `n` failed calls of a tool came from: several of one reply are one mistake, made before its result was seen. */
function repliesOf({ calls }: SessionState, tool: string, n: number): number {
  const failed = [...calls.values()].filter((c) => c.tool === tool && c.result?.status === "error");
  return new Set(failed.slice(-n).map((c) => c.replySeq)).size;
}

function lastWords(deps: LoopDeps, tool: string): string {
  const call = [...deps.log.state.calls.values()].findLast((c) => c.tool === tool && c.result !== undefined);
  const block = call?.result?.content.find((b) => b.type === "text");
  return block === undefined ? "" : block.text.split("\n").slice(0, 3).join(" ").slice(0, 300);
}
