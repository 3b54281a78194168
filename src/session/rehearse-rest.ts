import { layersOf } from "../events/layers.ts";
import type { StepState } from "../events/state.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { leftOut } from "../loop/left-out.ts";
import type { Change, ChangeSet, Left } from "../workspace/change.ts";
import { isAtOrBelow } from "../workspace/select.ts";
import type { LiveParts } from "./live-parts.ts";

/**
 * After a sum landed: what of it neither landed nor was dropped becomes one layer in the place of all old ones. The log knows of it before
 * they go, so that a kill at any moment loses nothing.
 */
export async function settleSum(
  parts: LiveParts,
  deps: LoopDeps,
  callId: string,
  landed: readonly Change[],
  dropped: readonly Left[],
): Promise<void> {
  const sum = parts.workspace.pending((c) => deps.regenerable(c)).readSum(callId);
  const step = parts.log.state.steps.findLast((s) => s.operationId === callId);
  if (sum === undefined || step?.from === undefined) throw new Error(`the sum ${callId} of the rehearsal is gone`);
  const done = new Set(landed.map((c) => `${c.root}/${c.path}`));
  // Of what landed in part, what stays takes the place of all of it.
  for (const c of sum.rest) done.add(`${c.root}/${c.path}`);
  const rest = [...sum.set.changes, ...sum.stuck].filter(
    (c) => !done.has(`${c.root}/${c.path}`) && !isDropped(c, dropped),
  );
  await leaveRest(parts, deps, { callId, from: step.from }, sum.set, [...rest, ...sum.rest]);
}

/** Left out itself, or a folder of which only a part was taken: that landed entry by entry. */
function isDropped(change: Change, dropped: readonly Left[]): boolean {
  return dropped.some(
    (l) =>
      l.hunks === undefined &&
      l.root === change.root &&
      (isAtOrBelow(l.path, change.path) || (change.tree !== undefined && isAtOrBelow(change.path, l.path))),
  );
}

/** One layer with these changes, or none where nothing is left. */
export async function leaveRest(
  { log, workspace }: LiveParts,
  deps: LoopDeps,
  { callId, from }: { callId: string; from: readonly string[] },
  set: ChangeSet,
  changes: readonly Change[],
): Promise<void> {
  const rest = await workspace.pending((c) => deps.regenerable(c)).relayer(`${callId}-rest`, set, changes);
  const summary = await workspace.summarize(rest, deps.facts(log.state), workspace.view([]));
  const kept = rest.changes.some((c) => deps.regenerable(c));
  const pended = rest.changes.some((c) => !deps.regenerable(c));
  await log.append({ type: "changes.squashed", operationId: rest.operationId, from: [...from], pended, kept, summary });
  if (!pended && !kept) await workspace.drop(rest.operationId);
}

/** The layers that a sum was made of, and its own content: what undo needs lies in the journal. */
export async function dropOld({ log, workspace }: LiveParts, callId: string): Promise<void> {
  const step = log.state.steps.findLast((s) => s.operationId === callId);
  const live = new Set(layersOf(log.state).map((l) => l.operationId));
  for (const id of [...(step?.from ?? []), callId]) if (!live.has(id)) await workspace.drop(id);
}

/** Ends reviews that a dead process left: one that landed is settled, any other landed nothing. Gives what to tell the person. */
export async function recoverSums(parts: LiveParts, deps: LoopDeps): Promise<string[]> {
  const { log, workspace } = parts;
  const live = new Set(layersOf(log.state).map((l) => l.operationId));
  const open = log.state.steps.filter((s) => s.from?.some((id) => live.has(id)) === true && s.status !== "dropped");
  const notices: string[] = [];
  for (const step of open) notices.push(await recoverSum(parts, deps, step));
  const old = log.state.steps.filter((s) => s.status === "squashed").map((s) => s.operationId);
  for (const id of old) await workspace.drop(id);
  return notices;
}

async function recoverSum(parts: LiveParts, deps: LoopDeps, step: StepState): Promise<string> {
  const { log, workspace } = parts;
  const { operationId } = step;
  const done = (await workspace.journal()).findLast((s) => s.operationId === operationId && s.status !== "rolled-back");
  const sum = workspace.pending((c) => deps.regenerable(c)).readSum(operationId);
  if (done === undefined || sum === undefined || step.summary === undefined) {
    await workspace.drop(operationId);
    await log.append({ type: "changes.dropped", operationId, reason: "the program ended before it landed" });
    return "a review of what is pending had begun and landed nothing; all of it is still pending (/land)";
  }
  const decided = log.events.findLast((e) => e.type === "permission.decided" && e.callId === operationId);
  const left = decided?.type === "permission.decided" ? (decided.dropped ?? []) : [];
  const plain = left.map(({ hunks, ...l }) => ({ ...l, ...(hunks === undefined ? {} : { hunks }) }));
  await log.append({
    type: "note.added",
    text: "The person reviewed what was pending, and landed what they took of it. Read files again before you edit them.",
  });
  await settleSum(parts, deps, operationId, done.changes, leftOut(sum.set, step.summary, plain, workspace.roots));
  if (step.status === "proposed")
    await log.append({
      type: "changes.landed",
      callId: operationId,
      operationId,
      summary: step.summary,
      by: "recovery",
      touched: [],
    });
  await log.barrier();
  await dropOld(parts, operationId);
  return "a review had landed when the program ended; what was left of it is still pending";
}
