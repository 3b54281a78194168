import { textOf } from "../events/block.ts";
import type { SessionEvent } from "../events/event.ts";
import { offerChanges } from "./background.ts";
import { claimOfTests, testsRan } from "./claim.ts";
import { completion } from "./completion.ts";
import { stopOf } from "./deadline.ts";
import { deliver } from "./deliver.ts";
import { judging } from "./judging.ts";
import { stopHooks } from "./moment-hooks.ts";
import type { LoopDeps, Stop } from "./deps.ts";
import { hasWords, type Reply } from "./stream-reply.ts";

/** Where the model says that it is done: done is only what landed and what the checks take for it (S9). Undefined: the next turn. */
export async function* whenDone(deps: LoopDeps, signal: AbortSignal): AsyncGenerator<SessionEvent, Stop | undefined> {
  yield* offerChanges(deps, signal);
  const checked = yield* completion(deps, signal);
  if (checked !== undefined) return checked === "again" ? undefined : checked;
  const judged = yield* judging(deps, signal);
  if (judged !== undefined) return judged === "again" ? undefined : judged;
  if (signal.aborted) return stopOf(signal);
  // What was typed while the checks ran is read before the end (S11).
  if (yield* deliver(deps, signal)) return undefined;
  if ((yield* stopHooks(deps, signal)) === "again") return undefined;
  if (signal.aborted) return stopOf(signal);
  return (yield* deliver(deps, signal)) ? undefined : (leftInConflict(deps) ?? { reason: "done" });
}

/** A step of this query that met a conflict, and whose files nothing landed or waits for since: words alone don't make it done. */
function leftInConflict({ log }: LoopDeps): Stop | undefined {
  const { query: q, steps, calls } = log.state;
  const ours = steps.filter((s) => (calls.get(s.callId ?? "")?.replySeq ?? 0) > (q?.startSeq ?? 0));
  for (const [at, step] of ours.entries()) {
    if (step.status !== "conflicted") continue;
    const later = ours.slice(at + 1).filter((s) => s.status === "landed" || s.status === "pended");
    const redone = new Set(later.flatMap((s) => s.summary?.entries.map(nameOf) ?? []));
    const missing = step.summary?.entries.filter((e) => !redone.has(nameOf(e))) ?? [];
    if (missing.length > 0) return { reason: "conflict", detail: conflictDetail(missing.map((e) => e.path)) };
  }
  return undefined;
}

function nameOf({ root, path }: { root: number; path: string }): string {
  return `${root}:${path}`;
}

function conflictDetail(paths: readonly string[]): string {
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  return `Not done: the changes of ${paths.slice(0, 5).join(", ")}${more} did not land, since the folder had changed meanwhile, and were not made again. A new message goes on.`;
}

/** The newest reply of the query, where it has the last word: the program ended before what comes then. */
export function lastReply({ log }: LoopDeps): Reply | undefined {
  const last = log.state.items.at(-1);
  if (last?.kind !== "reply" || last.cut !== undefined || last.stopReason === "pause_turn") return undefined;
  if (last.blocks.some((b) => b.type === "tool_use")) return undefined;
  return { calls: [], stopReason: last.stopReason, blank: !last.blocks.some(hasWords) };
}

/** The last fact of a query: why it ended, durable before anybody is told. */
export async function* finish(deps: LoopDeps, stop: Stop): AsyncGenerator<SessionEvent, Stop> {
  const { query: q } = deps.log.state;
  yield await deps.log.append({
    type: "query.finished",
    reason: stop.reason,
    ...(stop.detail === undefined ? {} : { detail: stop.detail }),
    ...(stop.reason === "done" ? unverified(deps) : {}),
    turns: q?.turn ?? 0,
    durationMs: q === undefined ? 0 : Math.max(0, deps.clock.now() - Date.parse(q.startedAt)),
  });
  await deps.log.barrier();
  return stop;
}

/** Words of the model that no test of this session stands behind: a mark for the person, nothing is decided by it (S9). */
function unverified({ log }: LoopDeps): { unverified?: string } {
  const reply = log.state.items.findLast((item) => item.kind === "reply");
  const claim = reply?.kind === "reply" ? claimOfTests(textOf(reply.blocks)) : undefined;
  return claim === undefined || testsRan(log.events) ? {} : { unverified: claim.slice(0, 200) };
}
