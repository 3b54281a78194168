import type { ChangeSummary, Effect } from "../events/effect.ts";
import type { Layer } from "../events/layers.ts";
import type { SessionState } from "../events/state.ts";
import type { Rule } from "../events/effect.ts";
import type { Question } from "../permissions/asker.ts";
import { decide } from "../permissions/decide.ts";
import { buildQuestion } from "../permissions/question.ts";
import { showPath } from "../util/bytes.ts";
import { RehearseError } from "./rehearse-error.ts";
import type { Change, ChangeSet } from "../workspace/change.ts";
import type { PendingSum } from "../workspace/pending.ts";
import type { FileDiff, SummaryFacts, Workspace } from "../workspace/workspace.ts";

/** The name under which rules, questions and the log know the sum of a rehearsal. */
export const REHEARSAL = "Rehearsal";

/** What a review looks at; a session has all of it, `agent review` makes it without opening one. */
export interface ReviewParts {
  workspace: Workspace;
  state: SessionState;
  facts: SummaryFacts;
  regenerable(change: Change): boolean;
  rules: readonly Rule[];
  contained: boolean;
}

/** The sum of all pending change sets, as a person reviews it (W6). */
export interface Review {
  sum: PendingSum;
  summary: ChangeSummary;
  diffs: readonly FileDiff[];
  effect: Effect;
  /** As a person names them: relative to the folder, absolute elsewhere. */
  conflicts: readonly { path: string; why: string }[];
  merged: readonly string[];
}

/** Sums the layers up in a step folder of that id, which the caller drops. Writes nothing else. */
export async function openReview(parts: ReviewParts, operationId: string, layers: readonly Layer[]): Promise<Review> {
  const { workspace } = parts;
  const sum = await workspace.pending((c) => parts.regenerable(c)).sum(operationId, layers);
  const plain = workspace.view([]);
  const summary = await workspace.summarize(sum.set, parts.facts, plain);
  const diffs = await workspace.diffs(sum.set, plain);
  const effect: Effect = {
    tool: REHEARSAL,
    subject: "",
    needs: [],
    changes: summary,
    contained: parts.contained,
  };
  const name = (of: { root: number; path: string }) => nameOf(workspace, of);
  return {
    sum,
    summary,
    diffs,
    effect,
    conflicts: sum.conflicts.map((c) => ({ path: name(c), why: c.why })),
    merged: sum.merged.map(name),
  };
}

/** A raw path as a person names it. */
export function nameOf({ roots }: Workspace, { root, path }: { root: number; path: string }): string {
  return root === 0 ? showPath(path) : `${roots[root]?.path ?? ""}/${showPath(path)}`;
}

/** The review as a question: everything that any landing shows, and what stays pending. */
export function reviewQuestion(parts: ReviewParts, review: Review, ids: { id: string; callId: string }): Question {
  const { effect, diffs, conflicts, merged } = review;
  const { state, rules } = parts;
  const decision = decide(
    effect,
    state.mode === "plan" ? "ask" : state.mode,
    [...rules, ...state.rules],
    state.trusted,
  );
  const question = buildQuestion({ ...ids, gate: "changes", effect, decision, diffs });
  const { offer: _, ...once } = question;
  return { ...once, review: { conflicts, merged } };
}

/** Whether a set changes anything beyond regenerable output. */
export function isEmpty(summary: ChangeSummary): boolean {
  return summary.entries.length === 0 && summary.git.length === 0;
}

/** A set's changes that no path of `only` covers; they stay as they are. Throws where a path names nothing, or a part of what lands whole. */
export function heldBack(
  set: ChangeSet,
  summary: ChangeSummary,
  only: readonly { root: number; path: string }[],
): Change[] {
  const covers = (of: { root: number; path: string }, path: string, root: number): boolean =>
    of.root === root && (of.path === "" || path === of.path || path.startsWith(`${of.path}/`));
  const named = (change: Change): boolean => only.some((o) => covers(o, showPath(change.path), change.root));
  const renamed = new Set(
    summary.entries.flatMap((e) =>
      e.from !== undefined && only.some((o) => covers(o, e.path, e.root) || covers(o, e.from ?? "", e.root))
        ? [`${e.root}/${e.path}`, `${e.root}/${e.from}`]
        : [],
    ),
  );
  const taken = set.changes.filter((c) => named(c) || renamed.has(`${c.root}/${showPath(c.path)}`));
  for (const { root, path } of only) {
    if (set.changes.some((c) => covers({ root, path }, showPath(c.path), c.root))) continue;
    const whole = set.changes.find((c) => c.root === root && path.startsWith(`${showPath(c.path)}/`) && c.tree);
    throw new RehearseError(
      whole === undefined ? `nothing pending is at ${path}` : `${path} lands with all of ${showPath(whole.path)} only`,
    );
  }
  // New folders on the way come along.
  const needed = (c: Change): boolean => taken.some((t) => t.root === c.root && t.path.startsWith(`${c.path}/`));
  return set.changes.filter((c) => !taken.includes(c) && !(c.op === "create" && needed(c)));
}
