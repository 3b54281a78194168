import type { ChangeSummary, Effect } from "../events/effect.ts";
import type { Layer } from "../events/layers.ts";
import type { SessionState } from "../events/state.ts";
import type { Rule } from "../events/effect.ts";
import type { Question, ReviewConflict } from "../permissions/asker.ts";
import { withSideEffects } from "../loop/pend.ts";
import { decide } from "../permissions/decide.ts";
import { buildQuestion } from "../permissions/question.ts";
import { showBelow, showPath, toRaw } from "../util/bytes.ts";
import { RehearseError } from "./rehearse-error.ts";
import type { Change } from "../workspace/change.ts";
import type { Clash } from "../workspace/clash.ts";
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
  /** In the order of `conflicts`, with raw paths. */
  clashes: readonly Clash[];
  /** Named as a person does: relative to the folder, absolute elsewhere. */
  conflicts: readonly ReviewConflict[];
  merged: readonly string[];
}

/** Sums the layers up in a step folder of that id, which the caller drops. Writes nothing else. */
export async function openReview(parts: ReviewParts, operationId: string, layers: readonly Layer[]): Promise<Review> {
  const { workspace } = parts;
  const pending = workspace.pending((c) => parts.regenerable(c));
  const sum = await pending.sum(operationId, layers);
  const clashes = await pending.clashes(sum);
  const plain = workspace.view([]);
  const summary = withSideEffects(await workspace.summarize(sum.set, parts.facts, plain), parts.state, layers);
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
    clashes,
    conflicts: clashes.map((c) => ({ ...c, path: name(c) })),
    merged: sum.merged.map(name),
  };
}

/** A raw path as a person names it. */
export function nameOf({ roots }: Workspace, { root, path }: { root: number; path: string }): string {
  return root === 0 ? showBelow(path) : `${roots[root]?.path ?? ""}/${showPath(path)}`;
}

/** The review as a question: everything that any landing shows, and what stays pending. */
export function reviewQuestion(parts: ReviewParts, review: Review, ids: { id: string; callId: string }): Question {
  const { effect, diffs, conflicts, merged, sum } = review;
  const { state, rules, workspace } = parts;
  const decision = decide(
    effect,
    state.mode === "plan" ? "ask" : state.mode,
    [...rules, ...state.rules],
    state.trusted,
  );
  const question = buildQuestion({
    ...ids,
    gate: "changes",
    effect,
    decision,
    diffs,
    where: workspace.roots.map((root) => root.path),
    open: (diff) => workspace.openFile(sum.set, workspace.view([]), diff),
  });
  const { offer: _, ...once } = question;
  return { ...once, review: { conflicts, merged } };
}

/** Whether a set changes anything beyond regenerable output. */
export function isEmpty(summary: ChangeSummary): boolean {
  return summary.entries.length === 0 && summary.git.length === 0;
}

/** A path that a person named; "" is the whole root. */
export interface Named {
  root: number;
  path: string;
}

/** Whether a raw path is the one that was named, or lies below it. */
export function covers(named: Named, { root, path }: { root: number; path: string }): boolean {
  const shown = showPath(path);
  return named.root === root && (named.path === "" || shown === named.path || shown.startsWith(`${named.path}/`));
}

/** Changes of a sum that no path of `only` covers; they stay as they are. Throws where a path names nothing, or a part of what lands whole. */
export function heldBack({ set, stuck }: PendingSum, summary: ChangeSummary, only: readonly Named[]): Change[] {
  const { changes } = set;
  const isNamed = (of: { root: number; path: string }): boolean => only.some((o) => covers(o, of));
  // Both names of a renamed file go together.
  const renamed = new Set(
    summary.entries.flatMap((e) =>
      e.from !== undefined && [e.path, e.from].some((p) => isNamed({ root: e.root, path: toRaw(p) }))
        ? [`${e.root}/${e.path}`, `${e.root}/${e.from}`]
        : [],
    ),
  );
  for (const named of only) if (![...changes, ...stuck].some((c) => covers(named, c))) throw notThere(named, changes);
  const taken = changes.filter((c) => isNamed(c) || renamed.has(`${c.root}/${showPath(c.path)}`));
  // New folders on the way come along.
  const needed = (c: Change): boolean => taken.some((t) => t.root === c.root && t.path.startsWith(`${c.path}/`));
  return changes.filter((c) => !taken.includes(c) && !(c.op === "create" && c.tree === undefined && needed(c)));
}

function notThere({ root, path }: Named, changes: readonly Change[]): RehearseError {
  const whole = changes.find((c) => c.root === root && c.tree !== undefined && path.startsWith(`${showPath(c.path)}/`));
  return new RehearseError(
    whole === undefined ? `nothing pending is at ${path}` : `${path} lands with all of ${showPath(whole.path)} only`,
  );
}
