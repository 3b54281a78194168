import { layersOf, pendingText } from "../events/layers.ts";
import type { LoopDeps } from "../loop/deps.ts";
import type { Answer, LeftOut } from "../permissions/asker.ts";
import type { Change } from "../workspace/change.ts";
import { isAtOrBelow } from "../workspace/select.ts";
import type { LiveParts } from "./live-parts.ts";
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
import { carryOut, type After, nothingLanded } from "./rehearse-carry.ts";
import { afterChoices, type Choices, choicesBy, settleReview } from "./rehearse-settle.ts";
import { conflictWords, howToSettle } from "./rehearse-words.ts";
import { leaveRest } from "./rehearse-rest.ts";
import type { ChangeReport } from "./session.ts";

/** How a rehearsal lands: asked on the screen, or as the command line says. */
export interface LandHow {
  /** Nobody is asked: the command is the yes. */
  yes?: boolean;
  /** Paths from the folder on; all else stays pending. */
  only?: readonly string[];
  /** Paths, or `path#N` for a hunk, that are dropped. */
  without?: readonly string[];
  /** Conflicts, or `path#N` for a hunk of one, in which the rehearsed version lands over the folder's. */
  take?: readonly string[];
  /** Conflicts of which what fits lands; what both sides changed stays pending. */
  fitting?: readonly string[];
  /** Conflicts of which both versions go into a file beside the folder's. */
  beside?: readonly string[];
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
  if (isEmpty(review.summary) && (review.conflicts.length === 0 || settlesNone(how)))
    return nothingToLand(parts, deps, callId, review);
  const question = reviewQuestion(about, review, { id: deps.makeId("question"), callId });
  if (question.decision.action === "deny") {
    await workspace.drop(callId);
    return { ok: false, text: `Nothing landed: ${question.decision.reason}.`, paths: [] };
  }
  const only = how.only === undefined ? undefined : namedIn(parts, how.only);
  const chosen = await chosenBy(parts, callId, review, { ...how, only });
  const outcome = { status: "ok" as const, content: [], touched: [] };
  const { summary } = review;
  const ids = from.map((l) => l.operationId);
  await log.append({ type: "changes.proposed", callId, operationId: callId, outcome, summary, from: ids });
  await log.barrier();
  const answer: Answer =
    how.yes === true
      ? { kind: "yes", withRegenerable: how.withRegenerable === true, left: chosen.left, settled: chosen.choices }
      : await deps.asker.ask(question, signal);
  if (answer.kind !== "yes") return refused(parts, callId, answer);
  const { left = [], withRegenerable = false, settled: choices = [] } = answer;
  const after = await settledAs(parts, deps, review, { callId, choices });
  if ("ok" in after) return after;
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
    ...settledEntries(review, after.review),
    withRegenerable,
  });
  await log.barrier();
  const conflicts = after.open.filter((c) => only === undefined || only.some((o) => covers(o, c)));
  return carryOut(parts, deps, after.review, { ...after, callId, left, held: chosen.held, conflicts, withRegenerable });
}

/** What settled conflicts add to the proposal: the yes covers it as well. */
function settledEntries({ summary }: Review, after: Review): { settled?: { root: number; path: string }[] } {
  const known = new Set(summary.entries.map((e) => `${e.root}/${e.path}`));
  const settled = after.summary.entries.filter((e) => !known.has(`${e.root}/${e.path}`));
  return settled.length === 0 ? {} : { settled: settled.map(({ root, path }) => ({ root, path })) };
}

/** The command line names no conflict: they stay pending. The screen can ask of each. */
function settlesNone({ yes, take = [], fitting = [], beside = [], without = [] }: LandHow): boolean {
  return yes === true && [take, fitting, beside, without].every((list) => list.length === 0);
}

/** Conflicts as the person settled them; nothing has landed yet. */
async function settledAs(
  parts: LiveParts,
  deps: LoopDeps,
  review: Review,
  { callId, choices }: { callId: string; choices: Choices },
): Promise<After | ChangeReport> {
  if (choices.length === 0) return { review, must: new Set(), told: [], open: review.clashes };
  try {
    const { review: after, settled } = await settleReview(parts, deps, review, choices);
    const added = settled.set.changes.filter((c) => !review.sum.set.changes.includes(c));
    const made = added.filter((c) => !review.clashes.some((clash) => clash.root === c.root && clash.path === c.path));
    const { open, told } = afterChoices(
      review,
      choices,
      made.map((c) => nameOf(parts.workspace, c)),
    );
    const must = new Set(added.map((c) => `${c.root}/${c.path}`));
    return { review: after, must, told, open: open.flatMap((at) => review.clashes[at] ?? []) };
  } catch (error) {
    if (!(error instanceof RehearseError)) throw error;
    return nothingLanded(parts, callId, error.message);
  }
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
  how: Omit<LandHow, "only"> & { only: readonly Named[] | undefined },
): Promise<{ held: readonly Change[]; left: readonly LeftOut[]; choices: Choices }> {
  const named = (list: readonly string[] = []): Named[] => namedIn(parts, list);
  try {
    const held = how.only === undefined ? [] : heldBack(review.sum, review.summary, how.only);
    const { choices, rest } = choicesBy(review, {
      take: named(how.take),
      fitting: named(how.fitting),
      beside: named(how.beside),
      without: named(how.without),
    });
    return { held, left: leftBy(review, rest), choices };
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
    return { ok: false, text: `Nothing can land: ${conflictWords(review.conflicts)}.${howToSettle(parts)}`, paths: [] };
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
