import { oldResults, overBudget, repeatedReads, type Rule, type Taken, usedPictures } from "../context/rules.ts";
import { CHARS_PER_TOKEN } from "../context/size.ts";
import type { SessionEvent } from "../events/event.ts";
import { boundsOf, charsPerToken, sizeNow } from "./bounds.ts";
import type { LoopDeps } from "./deps.ts";

/** So much of the window at least is won when something is cleared: each time costs the cache (C1). */
const WON = 0.2;
/** Down to so much of the threshold old results are cleared. */
const DOWN_TO = 0.5;

/** New results that are too large for the window are cut, ahead of the first request that would hold them. */
export async function* cutResults(deps: LoopDeps, turn: number): AsyncGenerator<SessionEvent, void> {
  const taken = overBudget(deps.log.state, boundsOf(deps).window * CHARS_PER_TOKEN);
  yield* take({ budget: taken }, deps, turn);
}

/**
 * At the threshold: pictures that were looked at, reads that were repeated, then old results, in one go, as facts, and only where a fifth of
 * the window is won by all of them together. `force`: however little it is.
 */
export async function* clearByRules(
  deps: LoopDeps,
  turn: number,
  force = false,
): AsyncGenerator<SessionEvent, { won: number }> {
  const { state } = deps.log;
  const { window, threshold } = boundsOf(deps);
  const before = sizeNow(deps);
  const perToken = charsPerToken(deps, before);
  const [pictures, repeated] = [usedPictures(state), repeatedReads(state)];
  const gone = new Set([...pictures, ...repeated].map((t) => t.part.callId));
  const old = oldResults(state).filter((t) => !gone.has(t.part.callId));
  const first = tokensOf([...pictures, ...repeated], perToken);
  const goal = Math.max(window * WON, before - threshold * DOWN_TO);
  const some = first >= window * WON && before - first < threshold ? [] : oldest(old, (goal - first) * perToken);
  const won = first + tokensOf(some, perToken);
  if (won <= 0 || (won < window * WON && !force)) return { won: 0 };
  yield* take({ pictures, repeated, old: some }, deps, turn, perToken);
  return { won };
}

/** The oldest, until so many characters are won. */
function oldest(list: readonly Taken[], chars: number): Taken[] {
  const out: Taken[] = [];
  let won = 0;
  for (const taken of list) {
    if (won >= chars) break;
    out.push(taken);
    won += taken.won;
  }
  return out;
}

function tokensOf(list: readonly Taken[], perToken: number): number {
  return Math.round(list.reduce((sum, t) => sum + t.won, 0) / perToken);
}

/** A fact for each rule that took something; what it took is in a file first. */
async function* take(
  by: Partial<Record<Rule, readonly Taken[]>>,
  deps: LoopDeps,
  turn: number,
  perToken = CHARS_PER_TOKEN,
): AsyncGenerator<SessionEvent, void> {
  for (const rule of ["budget", "pictures", "repeated", "old"] as const) {
    const taken = by[rule] ?? [];
    if (taken.length === 0) continue;
    const parts: { callId: string; at?: number; note: string }[] = [];
    for (const { part, whole, note } of taken) {
      // A name of its own: under the call's lies what was too long for a result.
      const file = whole === undefined ? "" : await deps.spill(`${part.callId}_sent`, whole);
      parts.push({ ...part, note: note(file) });
    }
    const before = sizeNow(deps);
    const whole = [...new Set(parts.filter((p) => p.at === undefined).map((p) => p.callId))];
    yield await deps.log.append({
      type: "context.cleared",
      callIds: whole,
      before,
      after: Math.max(0, before - tokensOf(taken, perToken)),
      turn,
      rule,
      parts,
    });
  }
}
