import type { Usage } from "../events/event.ts";
import type { LimitsSet, SessionState } from "../events/state.ts";
import { lessOf, NO_USAGE } from "../events/usage.ts";

/** What may be used; a missing one is no limit. `usd`: money; `timeMs`: time at work, in milliseconds. */
export interface Budget {
  turns?: number;
  tokens?: number;
  usd?: number;
  timeMs?: number;
}
export type LimitName = keyof Budget;
export const LIMIT_NAMES: readonly LimitName[] = ["turns", "tokens", "usd", "timeMs"];
export type Scope = "message" | "session";
export const SCOPES: readonly Scope[] = ["message", "session"];

/** What was used. `usd` is undefined where a model without a known price was. */
export interface Used {
  turns: number;
  tokens: number;
  usd: number | undefined;
  timeMs: number;
}
export type Ledger = Record<Scope, Used>;

/** USD of one model's usage; undefined where its price is not known. */
export type CostOf = (model: string, usage: Usage) => number | undefined;

/** A ledger with what sub-agents used beside it. */
export function withUse(ledger: Ledger, turns: number, usage: ReadonlyMap<string, Usage>, cost: CostOf): Ledger {
  const tokens = [...usage.values()].reduce((sum, u) => sum + tokensOf(u), 0);
  const usd = sumCost(usage, new Map(), cost);
  const more = (used: Used): Used => ({
    ...used,
    turns: used.turns + turns,
    tokens: used.tokens + tokens,
    usd: used.usd === undefined || usd === undefined ? undefined : used.usd + usd,
  });
  return { message: more(ledger.message), session: more(ledger.session) };
}

/** What the newest message and the whole session used until `now` (ms). Pure. */
export function ledgerOf(state: SessionState, now: number, cost: CostOf): Ledger {
  const { query, usage } = state;
  const working = query !== undefined && query.ended === undefined && !state.idle;
  const since = working ? Math.max(0, now - Date.parse(state.lastAt)) || 0 : 0;
  const begun = query?.usageBefore ?? new Map<string, Usage>();
  return {
    message: {
      turns: (query?.turn ?? 0) + (query?.agentTurns ?? 0),
      tokens: query === undefined ? 0 : tokensOf(query.usage),
      usd: sumCost(usage, begun, cost),
      timeMs: (query?.workedMs ?? 0) + since,
    },
    session: {
      turns: state.turns,
      tokens: [...usage.values()].reduce((sum, u) => sum + tokensOf(u), 0),
      usd: sumCost(usage, new Map(), cost),
      timeMs: state.workedMs + since,
    },
  };
}

/**
 * What is left of a message's and of its session's budget together, never below 0: what a sub-agent that is started now may use in all, so that
 * nobody gets around a limit by handing work on. Pure.
 */
export function leftOf(budgets: Record<Scope, Budget>, ledger: Ledger): Budget {
  const left: Budget = {};
  for (const name of LIMIT_NAMES) {
    const rests = SCOPES.flatMap((scope) => {
      const limit = budgets[scope][name];
      return limit === undefined ? [] : [Math.max(0, limit - (ledger[scope][name] ?? 0))];
    });
    if (rests.length > 0) left[name] = Math.min(...rests);
  }
  return left;
}

/** A budget with what the person set in the session; null takes a limit off. Pure. */
export function withSet(budget: Budget, set: LimitsSet): Budget {
  const out: Budget = { ...budget };
  for (const name of LIMIT_NAMES) {
    const value = set[name];
    if (value === null) delete out[name];
    else if (value !== undefined) out[name] = value;
  }
  return out;
}

/** All tokens, read from the cache or not: what a request holds counts, whatever it costs. */
export function tokensOf({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}

/** Cost of what came since `begun`, by model. */
function sumCost(
  usage: ReadonlyMap<string, Usage>,
  begun: ReadonlyMap<string, Usage>,
  cost: CostOf,
): number | undefined {
  let sum = 0;
  for (const [model, now] of usage) {
    const before = begun.get(model) ?? NO_USAGE;
    const part = lessOf(now, before);
    if (tokensOf(part) === 0) continue;
    const usd = cost(model, part);
    if (usd === undefined) return undefined;
    sum += usd;
  }
  return sum;
}
