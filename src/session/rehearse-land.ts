import { layersOf, pendingText } from "../events/layers.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { hunkLines, leftOut, type LeftPath } from "../loop/left-out.ts";
import { reviewedText } from "../loop/say.ts";
import { type Refused, tryLand } from "../loop/try-land.ts";
import type { Answer, LeftOut } from "../permissions/asker.ts";
import { showPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Conflict, Landing, Left } from "../workspace/change.ts";
import { toldOnce } from "../workspace/pending-git.ts";
import { isAtOrBelow } from "../workspace/select.ts";
import type { LiveParts } from "./live.ts";
import {
  covers,
  heldBack,
  isEmpty,
  type Named,
  nameOf,
  openReview,
  type Review,
  reviewQuestion,
} from "./rehearse-review.ts";
import { RehearseError } from "./rehearse-error.ts";
import { leftBy } from "./rehearse-without.ts";
import { conflictsOf, conflictWords, landedSummary, reportText, touchesOf } from "./rehearse-words.ts";
import { dropOld, leaveRest, settleSum } from "./rehearse-rest.ts";
import type { ChangeReport } from "./session.ts";

/** The folder may change again while it is landed. */
const MAX_TRIES = 3;

/** How a rehearsal lands: asked on the screen, or as the command line says. */
export interface LandHow {
  /** Nobody is asked: the command is the yes. */
  yes?: boolean;
  /** Paths from the folder on; all else stays pending. */
  only?: readonly string[];
  /** Paths, or `path#N` for a hunk, that are dropped. */
  without?: readonly string[];
  withRegenerable?: boolean;
  /** Nothing lands: all that is pending is dropped. */
  drop?: boolean;
}

/** Reviews the sum of what is pending and lands what the person takes of it, as one change set through the door (W6). */
export async function landPending(
  parts: LiveParts,
  deps: LoopDeps,
  how: LandHow,
  signal: AbortSignal,
): Promise<ChangeReport> {
  const { log, workspace } = parts;
  const callId = deps.makeId("op");
  const from = layersOf(log.state);
  const about = reviewParts(parts, deps);
  const review = await openReview(about, callId, from);
  if (isEmpty(review.summary)) return nothingToLand(parts, deps, callId, review);
  const question = reviewQuestion(about, review, { id: deps.makeId("question"), callId });
  if (question.decision.action === "deny") {
    await workspace.drop(callId);
    return { ok: false, text: `Nothing landed: ${question.decision.reason}.`, paths: [] };
  }
  const only = how.only === undefined ? undefined : namedIn(parts, how.only);
  const { held, left: asked } = await chosenBy(parts, callId, review, { ...how, only });
  const outcome = { status: "ok" as const, content: [], touched: [] };
  const { summary } = review;
  const ids = from.map((l) => l.operationId);
  await log.append({ type: "changes.proposed", callId, operationId: callId, outcome, summary, from: ids });
  await log.barrier();
  const answer: Answer =
    how.yes === true
      ? { kind: "yes", withRegenerable: how.withRegenerable === true, left: asked }
      : await deps.asker.ask(question, signal);
  if (answer.kind !== "yes") return refused(parts, callId, answer);
  const { left = [], withRegenerable = false } = answer;
  await log.append({
    type: "permission.decided",
    callId,
    questionId: question.id,
    gate: "changes",
    outcome: "allow",
    by: "person",
    reason: question.decision.reason,
    risk: question.decision.risk,
    effect: review.effect,
    ...(left.length === 0
      ? {}
      : { dropped: left.map(({ hunks, ...l }) => ({ ...l, ...(hunks === undefined ? {} : { hunks: [...hunks] }) })) }),
    withRegenerable,
  });
  await log.barrier();
  const conflicts = review.sum.conflicts.filter((c) => only === undefined || only.some((o) => covers(o, c)));
  return carryOut(parts, deps, review, { callId, left, held, conflicts, withRegenerable });
}

export function reviewParts({ workspace, log, sandbox }: LiveParts, deps: LoopDeps) {
  return {
    workspace,
    state: log.state,
    facts: deps.facts(log.state),
    regenerable: (change: Change) => deps.regenerable(change),
    rules: deps.rules(),
    contained: sandbox.contained,
  };
}

/** What the command line keeps back and leaves out; for the screen nothing yet. */
async function chosenBy(
  parts: LiveParts,
  callId: string,
  review: Review,
  { only, without }: { only: readonly Named[] | undefined; without?: readonly string[] },
): Promise<{ held: readonly Change[]; left: readonly LeftOut[] }> {
  try {
    const held = only === undefined ? [] : heldBack(review.sum, review.summary, only);
    return { held, left: without === undefined ? [] : leftBy(review, namedIn(parts, without)) };
  } catch (error) {
    await parts.workspace.drop(callId);
    throw error;
  }
}

/** Paths from the folder on, or absolute ones, as the roots name them. */
function namedIn({ workspace, log }: LiveParts, only: readonly string[]): Named[] {
  return only.map((given) => {
    const path = given.startsWith("/") ? given : `${log.state.folder}/${given.replace(/^\.\//, "")}`;
    const plain = path.replace(/\/+$/, "").replace(/\/\.$/, "");
    const root = workspace.roots.findLastIndex((r) => isAtOrBelow(r.path, plain));
    const base = workspace.roots[root]?.path;
    if (base === undefined) throw new RehearseError(`${given} lies outside of the session's folders`);
    return { root, path: plain.slice(base.length + 1) };
  });
}

/** What is left may be nothing at all, regenerable output, or conflicts alone. */
async function nothingToLand(parts: LiveParts, deps: LoopDeps, callId: string, review: Review): Promise<ChangeReport> {
  const { stuck } = review.sum;
  if (stuck.length > 0) {
    await parts.workspace.drop(callId);
    return { ok: false, text: `Nothing can land: ${conflictWords(review.conflicts)}.`, paths: [] };
  }
  const from = layersOf(parts.log.state).map((l) => l.operationId);
  await leaveRest(parts, deps, { callId, from }, review.sum.set, review.sum.set.changes);
  await parts.log.barrier();
  for (const id of [...from, callId]) await parts.workspace.drop(id);
  return {
    ok: true,
    text: "What was rehearsed comes to no change of the folder: nothing is pending any more.",
    paths: [],
  };
}

async function refused(
  { log, workspace }: LiveParts,
  operationId: string,
  answer: Exclude<Answer, { kind: "yes" }>,
): Promise<ChangeReport> {
  await workspace.drop(operationId);
  await log.append({ type: "changes.dropped", operationId, reason: "nothing landed: all of it stays pending" });
  const note = answer.kind === "no" ? answer.note : undefined;
  if (note !== undefined)
    await log.append({
      type: "note.added",
      text: `The person reviewed what is pending, landed nothing of it yet, and says: ${note}`,
    });
  const why = answer.kind === "nobody" ? ` (${answer.reason})` : "";
  return { ok: answer.kind === "no", text: `Nothing landed${why}: ${pendingText(log.state)} pending.`, paths: [] };
}

export interface Chosen {
  callId: string;
  left: readonly LeftOut[];
  /** They stay pending. */
  held: readonly Change[];
  /** What of it can't land, and was asked for. */
  conflicts: readonly Conflict[];
  withRegenerable: boolean;
}

async function carryOut(parts: LiveParts, deps: LoopDeps, review: Review, chosen: Chosen): Promise<ChangeReport> {
  const { workspace, log } = parts;
  const { callId, held, withRegenerable } = chosen;
  const { set } = review.sum;
  const dropped = leftOut(set, review.summary, chosen.left, workspace.roots);
  const stay: Left[] = [...held, ...set.changes.filter((c) => deps.regenerable(c) && !withRegenerable)];
  const landed = await landAll(set, [...dropped, ...stay], parts);
  if ("refused" in landed || landed.changes.length === 0) {
    const found = "refused" in landed ? [] : [...chosen.conflicts, ...landed.conflicts];
    const why = "refused" in landed ? landed.refused : conflictWords(conflictsOf(workspace, found));
    await workspace.drop(callId);
    await log.append({ type: "changes.dropped", operationId: callId, reason: why });
    return { ok: false, text: `Nothing landed: ${why}. All of it stays pending.`, paths: [] };
  }
  const summary = landedSummary(parts, review, landed.changes, chosen.left);
  const told = {
    changed: summary.entries.map((e) => ({
      op: e.op,
      path: nameOf(workspace, e),
      ...(e.from === undefined ? {} : { from: nameOf(workspace, { root: e.root, path: e.from }) }),
    })),
    git: summary.git,
    gitLeft: chosen.left.length > 0 ? review.summary.git : [],
    left: chosen.left.map((l): LeftPath => ({
      path: nameOf(workspace, l),
      inPart: l.hunks !== undefined,
      ...hunkLines(l, review.diffs),
    })),
    merged: review.merged,
    conflicts: conflictsOf(workspace, [...chosen.conflicts, ...landed.conflicts]),
  };
  await log.append({ type: "note.added", text: reviewedText(told) });
  await settleSum(parts, deps, callId, landed.changes, dropped);
  // What is not as the model made it has to be read again before it is edited.
  const apart = new Set([...review.merged, ...told.left.map((l) => l.path)]);
  const touched = landed.changes.flatMap((c) => (apart.has(nameOf(workspace, c)) ? [] : touchesOf(parts, c)));
  await log.append({ type: "changes.landed", callId, operationId: callId, summary, by: "person", touched });
  await log.barrier();
  await dropOld(parts, callId);
  return {
    ok: told.conflicts.length === 0,
    text: reportText(parts, summary, told),
    paths: landed.changes.map((c) => `${workspace.roots[c.root]?.path ?? ""}/${showPath(c.path)}`),
  };
}

type Found = { changes: readonly Change[]; conflicts: readonly Conflict[] };

/** What meets a conflict at the last moment stays pending; the rest lands all the same, as one step. */
async function landAll(
  set: ChangeSet,
  left: readonly Left[],
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
    conflicts.push(...toldOnce(workspace.roots, landing.conflicts).map((c) => ({ ...c, path: wholeOf(set, c) })));
  }
  return { changes: [], conflicts };
}

/** A conflict inside of a folder that comes or goes whole holds all of it. */
function wholeOf(set: ChangeSet, { root, path }: Conflict): string {
  return set.changes.find((c) => c.root === root && c.tree !== undefined && isAtOrBelow(c.path, path))?.path ?? path;
}
