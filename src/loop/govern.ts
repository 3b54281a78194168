import type { SessionEvent } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { boundsOf, compactOf, sizeNow } from "./bounds.ts";
import { clearByRules, cutResults } from "./clear.ts";
import { compact, COMPACT_FAILED, FULL } from "./compact.ts";
import { stopOf } from "./deadline.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { handoffFile } from "./handoff-file.ts";
import { limitReached } from "./limits.ts";

/** So many compactions in a row that won little by the service's own figures: another one wins no more. */
const HELPLESS = 2;
const HELPLESS_TOLD = "context.helpless";

/**
 * Ahead of each request: new results are cut to their share of the window; from the threshold on old ones are cleared by rules, and where
 * that does not do the model sums up (C3). A stop: the window is full and nothing helps.
 */
export async function* govern(
  deps: LoopDeps,
  turn: number,
  signal: AbortSignal,
): AsyncGenerator<SessionEvent, Stop | undefined> {
  yield* cutResults(deps, turn);
  const overflowed = isOverflowed(deps.log.state);
  // A new message is sent all the same: the service has the last word on what it takes.
  const again = turn > 1;
  const { auto, policy } = compactOf(deps);
  if (!auto) return overflowed && again ? full(deps, "Settings leave it to you: /compact sums up.") : undefined;
  const { window, threshold } = boundsOf(deps);
  if (sizeNow(deps) < threshold && !overflowed) return undefined;
  yield* clearByRules(deps, turn);
  const size = sizeNow(deps);
  if (size < threshold && !overflowed) return undefined;
  if ((deps.log.state.compaction?.helpless ?? 0) >= HELPLESS)
    return size >= window || (overflowed && again) ? full(deps, NO_HELP) : yield* tellOnce(deps);
  if (isWarned(deps, COMPACT_FAILED) && size < window * FULL && !overflowed) return undefined;
  const outcome = yield* compact(
    {
      trigger: overflowed ? "length" : "auto",
      turn,
      ...(policy === "handoff" ? { handoff: (text) => handoffFile(deps, text) } : {}),
    },
    deps,
    signal,
  );
  if (signal.aborted) return stopOf(signal);
  if (outcome.done) return limitReached(deps);
  return again && (overflowed || (size >= window && outcome.why === "nothing")) ? full(deps, outcome.words) : undefined;
}

const NO_HELP = "Summing up does not help any more: what must be kept is too large by itself.";

/** The service ended the newest reply for want of room, and nothing was made shorter since. */
function isOverflowed({ items, compaction }: SessionState): boolean {
  const last = items.findLast((item) => item.kind === "reply");
  return (
    last?.kind === "reply" && last.stopReason === "model_context_window_exceeded" && (compaction?.seq ?? 0) < last.seq
  );
}

export function full(deps: LoopDeps, why: string): Stop {
  const { window } = boundsOf(deps);
  return {
    reason: "context-limit",
    detail: `Stopped: the conversation no longer fits the model's window of ${window.toLocaleString("en")} tokens. ${why} /rewind goes back to before a message, /handoff or /clear starts afresh; where the model can hold more, settings say so (models, compact.window).`,
  };
}

function isWarned({ log }: LoopDeps, limit: string): boolean {
  return log.state.query?.warned.includes(limit) === true;
}

/** There is room yet: it goes on, and the person knows. */
async function* tellOnce(deps: LoopDeps): AsyncGenerator<SessionEvent, undefined> {
  if (isWarned(deps, HELPLESS_TOLD)) return undefined;
  const text = `${NO_HELP} It goes on up to the end of the window without it.`;
  yield await deps.log.append({ type: "limit.warned", limit: HELPLESS_TOLD, text });
  return undefined;
}
