import type { ChangeSummary } from "../events/effect.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { hunkLines, leftOut, type LeftPath } from "../loop/left-out.ts";
import { reviewedText, type SettledPath } from "../loop/say.ts";
import { type Refused, tryLand } from "../loop/try-land.ts";
import type { LeftOut } from "../permissions/asker.ts";
import { showPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Conflict, Landing, Left } from "../workspace/change.ts";
import { toldOnce } from "../workspace/pending-git.ts";
import { isAtOrBelow } from "../workspace/select.ts";
import type { LiveParts } from "./live-parts.ts";
import { dropOld, settleSum } from "./rehearse-rest.ts";
import { nameOf, type Review } from "./rehearse-review.ts";
import { conflictsOf, conflictWords, howToSettle, landedSummary, reportText, touchesOf } from "./rehearse-words.ts";
import type { ChangeReport } from "./session.ts";

/** The folder may change again while it is landed. */
const MAX_TRIES = 3;

/** A review after its conflicts were settled. */
export interface After {
  review: Review;
  /** `<root>/<path>` of what settled conflicts land: with one of them nothing lands. */
  must: ReadonlySet<string>;
  told: readonly SettledPath[];
  /** Conflicts that stay. */
  open: readonly Conflict[];
}

/** What of a review lands, is dropped, or stays. */
export interface Chosen extends Pick<After, "must" | "told"> {
  callId: string;
  left: readonly LeftOut[];
  /** They stay pending. */
  held: readonly Change[];
  /** What of it can't land, and was asked for. */
  conflicts: readonly Conflict[];
  withRegenerable: boolean;
}

/** A review that came to nothing. */
export async function nothingLanded({ workspace, log }: LiveParts, callId: string, why: string): Promise<ChangeReport> {
  await workspace.drop(callId);
  await log.append({ type: "changes.dropped", operationId: callId, reason: why });
  return { ok: false, text: `Nothing landed: ${why}. All of it stays pending.`, paths: [] };
}

/** Lands what the person took of a review; what neither lands nor is dropped becomes one layer that waits. */
export async function carryOut(
  parts: LiveParts,
  deps: LoopDeps,
  review: Review,
  chosen: Chosen,
): Promise<ChangeReport> {
  const { workspace, log } = parts;
  const { callId, held, withRegenerable } = chosen;
  const { set } = review.sum;
  const dropped = leftOut(set, review.summary, chosen.left, workspace.roots);
  const stay: Left[] = [...held, ...set.changes.filter((c) => deps.regenerable(c) && !withRegenerable)];
  const landed = await landAll(set, [...dropped, ...stay], chosen.must, parts);
  if ("refused" in landed) return nothingLanded(parts, callId, landed.refused);
  const none = landed.changes.length === 0;
  const found = conflictsOf(workspace, [...chosen.conflicts, ...landed.conflicts]);
  if (none && chosen.told.length === 0) return nothingLanded(parts, callId, conflictWords(found));
  const summary = landedSummary(parts, review, landed.changes, chosen.left);
  const told = toldOf(parts, review, chosen, { summary, conflicts: found });
  await log.append({ type: "note.added", text: reviewedText(told) });
  await settleSum(parts, deps, callId, landed.changes, dropped);
  // What is not as the model made it has to be read again before it is edited.
  const apart = new Set([...[...told.left, ...told.settled].map((l) => l.path), ...review.merged]);
  const touched = landed.changes.flatMap((c) => (apart.has(nameOf(workspace, c)) ? [] : touchesOf(parts, c)));
  if (none) await log.append({ type: "changes.dropped", operationId: callId, reason: "conflicts alone were settled" });
  else await log.append({ type: "changes.landed", callId, operationId: callId, summary, by: "person", touched });
  await log.barrier();
  await dropOld(parts, callId);
  return {
    ok: told.conflicts.length === 0,
    text: reportText(parts, summary, told) + (told.conflicts.length === 0 ? "" : howToSettle(parts)),
    paths: landed.changes.map((c) => `${workspace.roots[c.root]?.path ?? ""}/${showPath(c.path)}`),
  };
}

/** What the model and the person are told of a review. */
function toldOf(
  { workspace }: LiveParts,
  review: Review,
  { left, told }: Chosen,
  { summary, conflicts }: { summary: ChangeSummary; conflicts: readonly { path: string; why: string }[] },
) {
  const name = (of: { root: number; path: string }): string => nameOf(workspace, of);
  return {
    changed: summary.entries.map((e) => ({
      op: e.op,
      path: name(e),
      ...(e.from === undefined ? {} : { from: name({ root: e.root, path: e.from }) }),
    })),
    git: summary.git,
    gitLeft: left.length > 0 ? review.summary.git : [],
    left: left.map((l): LeftPath => ({ path: name(l), inPart: l.hunks !== undefined, ...hunkLines(l, review.diffs) })),
    merged: review.merged,
    settled: told,
    conflicts,
  };
}

type Found = { changes: readonly Change[]; conflicts: readonly Conflict[] };

/** What meets a conflict at the last moment stays pending; the rest lands all the same, as one step. */
async function landAll(
  set: ChangeSet,
  left: readonly Left[],
  must: ReadonlySet<string>,
  { workspace }: LiveParts,
): Promise<Found | { refused: string }> {
  const conflicts: Conflict[] = [];
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const all: Left[] = [...left, ...conflicts.map(({ root, path }) => ({ root, path }))];
    if (
      set.changes.every((c) =>
        all.some((l) => l.hunks === undefined && l.root === c.root && isAtOrBelow(l.path, c.path)),
      )
    )
      return { changes: [], conflicts };
    const landing: Landing | Refused = await tryLand(set, all, { workspace });
    if ("refused" in landing) return landing;
    if (landing.ok) return { changes: landing.changes, conflicts };
    const again = landing.conflicts.filter((c) => must.has(`${c.root}/${c.path}`));
    if (again.length > 0) return { refused: conflictWords(conflictsOf(workspace, again)) };
    conflicts.push(...toldOnce(workspace.roots, landing.conflicts).map((c) => ({ ...c, path: wholeOf(set, c) })));
  }
  return { changes: [], conflicts };
}

/** A conflict inside of a folder that comes or goes whole holds all of it. */
function wholeOf(set: ChangeSet, { root, path }: Conflict): string {
  return set.changes.find((c) => c.root === root && c.tree !== undefined && isAtOrBelow(c.path, path))?.path ?? path;
}
