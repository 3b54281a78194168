import { layersOf, pendingText, rehearses } from "../events/layers.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { landKept } from "./keep-landing.ts";
import type { LiveParts } from "./live-parts.ts";
import { landPending, type LandHow } from "./rehearse-land.ts";
import type { ChangeReport } from "./session.ts";

/** Switches the rehearsal on or off (W6). Off only when nothing waits: later steps build on what does. */
export async function setRehearsal(
  { log, sandbox }: LiveParts,
  on: boolean,
  by: "person" | "flag",
): Promise<ChangeReport> {
  const waits = layersOf(log.state).some((l) => l.pended);
  if (!on && waits)
    return {
      ok: false,
      text: `${pendingText(log.state)} pending: /land reviews them, /land drop drops them. The rehearsal ends when nothing is.`,
      paths: [],
    };
  if (on !== log.state.rehearsing) await log.append({ type: "rehearsal.changed", on, by });
  if (!on) return { ok: true, text: "The rehearsal is over: changes land as they are allowed.", paths: [] };
  const bare = sandbox.contained
    ? ""
    : " Commands can't be contained on this machine, so they are refused meanwhile; Write, Edit and Delete wait.";
  return {
    ok: true,
    text: `Rehearsing: changes stay in the session's copy, and nothing reaches the folder until you review it with /land.${bare}`,
    paths: [],
  };
}

/** Lands, or drops, what is pending; where nothing is, what is kept of regenerable output. */
export async function land(parts: LiveParts, deps: LoopDeps, how: LandHow, signal: AbortSignal): Promise<ChangeReport> {
  if (how.drop === true) return dropPending(parts, deps);
  const waits = layersOf(parts.log.state).some((l) => l.pended);
  if (waits) return landPending(parts, deps, how, signal);
  // Opening may have ended a review that had landed; what the copy merely keeps lands when it is asked for.
  if (how.yes === true && how.withRegenerable !== true)
    return { ok: true, text: "Nothing is pending any more.", paths: [] };
  return landKept(parts, deps);
}

/** Drops all that is pending; regenerable output that was kept before stays. */
async function dropPending({ log, workspace }: LiveParts, deps: LoopDeps): Promise<ChangeReport> {
  const waited = pendingText(log.state);
  const steps = log.state.steps.filter((s) => s.status === "pended");
  if (steps.length === 0) return { ok: true, text: "Nothing is pending.", paths: [] };
  // The newest first: each one builds on those before it.
  for (const { operationId, kept } of steps.toReversed()) {
    const set = kept ? await workspace.readProposal(operationId) : undefined;
    await log.append({ type: "changes.dropped", operationId, reason: "the person dropped what was pending" });
    await log.barrier();
    if (set === undefined) await workspace.drop(operationId);
    else await workspace.keep(set, (c) => deps.regenerable(c));
  }
  await log.append({
    type: "note.added",
    text: "The person dropped everything that was pending: none of it is in the folder, and it is gone from the copy. Read files again before you edit them.",
  });
  return { ok: true, text: `Dropped: ${waited} that waited. The folder is as it was.`, paths: [] };
}

/** For the status line and the exit summary: what waits, in words; undefined where the session doesn't rehearse. */
export function rehearsalOf(state: Parameters<typeof rehearses>[0]): { pending: string } | undefined {
  return rehearses(state) ? { pending: pendingText(state) } : undefined;
}
