import type { ChangeSummary } from "../events/effect.ts";
import { pendingText } from "../events/layers.ts";
import type { Touch } from "../events/event.ts";
import { landedPart } from "../loop/landed-part.ts";
import type { LeftPath } from "../loop/left-out.ts";
import type { SettledPath } from "../loop/say.ts";
import type { LeftOut } from "../permissions/asker.ts";
import { showBelow, showPath } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import type { Change, Conflict } from "../workspace/change.ts";
import { isInGit } from "../workspace/git-unit.ts";
import type { LiveParts } from "./live-parts.ts";
import { nameOf, type Review } from "./rehearse-review.ts";

/** What of a reviewed sum is in the folder now. */
export function landedSummary(
  { workspace }: LiveParts,
  { summary, sum }: Review,
  landed: readonly Change[],
  left: readonly LeftOut[],
): ChangeSummary {
  const exact = new Set(landed.map((c) => `${c.root}/${showBelow(c.path)}`));
  const whole = sum.set.changes.filter((c) => c.tree !== undefined && exact.has(`${c.root}/${showPath(c.path)}`));
  const isDone = (e: { root: number; path: string }): boolean =>
    exact.has(`${e.root}/${e.path}`) ||
    whole.some((c) => c.root === e.root && e.path.startsWith(`${showPath(c.path)}/`));
  const gone = summary.entries.filter((e) => !isDone(e)).map(({ root, path }) => ({ root, path }));
  const inGit = landed.some((c) => {
    const root = workspace.roots[c.root];
    return root !== undefined && isInGit(root, c.path);
  });
  return { ...landedPart(summary, [...left, ...gone]), ...(inGit ? {} : { git: [] }) };
}

/** What the fold remembers of a landed change. */
export function touchesOf({ workspace }: LiveParts, change: Change): Touch[] {
  const path = `${workspace.roots[change.root]?.path ?? ""}/${showPath(change.path)}`;
  if (change.op === "delete") return [{ path, hash: "", how: "deleted" }];
  const hash = change.after?.hash;
  return change.after?.type === "file" && hash !== undefined ? [{ path, hash, how: "written" }] : [];
}

/** Conflicts as a person names them. */
export function conflictsOf(
  workspace: LiveParts["workspace"],
  conflicts: readonly Conflict[],
): { path: string; why: string }[] {
  return conflicts.map((c) => ({ path: nameOf(workspace, c), why: c.why }));
}

/** Conflicts in one line, many of them counted. */
export function conflictWords(conflicts: readonly { path: string; why: string }[]): string {
  const shown = conflicts.slice(0, 10).map((c) => `${visible(c.path, "")}: ${c.why}`);
  return shown.join("; ") + (conflicts.length > 10 ? `; and ${conflicts.length - 10} more` : "");
}

/** For the person: what landed, was dropped, holds their own lines, or waits on. */
export function reportText(
  { log }: LiveParts,
  summary: ChangeSummary,
  told: {
    left: readonly LeftPath[];
    merged: readonly string[];
    settled: readonly SettledPath[];
    conflicts: readonly { path: string; why: string }[];
  },
): string {
  const what = [...(summary.files > 0 ? [counted(summary.files)] : []), ...summary.git.map((g) => visible(g.text, ""))];
  const left = told.left.map((l) => visible(l.path, ""));
  const waits = log.state.steps.some((step) => step.status === "pended");
  return [
    `Landed: ${what.join(", ") || (told.settled.length > 0 ? "nothing" : "what was rehearsed")}.`,
    ...told.settled.map((s) => `${visible(s.path, "")}: ${settledWords(s)}.`),
    ...(left.length === 0 ? [] : [`Dropped: ${left.join(", ")}.`]),
    ...(told.merged.length === 0
      ? []
      : [`With your lines and the rehearsed ones: ${told.merged.map((p) => visible(p, "")).join(", ")}.`]),
    ...(told.conflicts.length === 0
      ? []
      : [`Still pending, since the folder changed meanwhile: ${conflictWords(told.conflicts)}.`]),
    ...(waits ? [`${pendingText(log.state)} still pending.`] : []),
  ].join(" ");
}

function settledWords({ how, to, taken = [], dropped = [], waits = [] }: SettledPath): string {
  if (how === "take") return "the rehearsed version landed over yours";
  if (how === "drop") return "yours stays, the rehearsed one is dropped";
  if (how === "beside") return `yours stays, both are in ${visible(to ?? "", "")}`;
  const lines = (word: string, at: readonly number[]): string[] =>
    at.length === 0 ? [] : [`${word} ${at.join(", ")}`];
  return [
    "in part",
    ...lines("landed: line", taken),
    ...lines("dropped: line", dropped),
    ...lines("pending: line", waits),
  ].join(", ");
}

/** How what stays in conflict can be settled. */
export function howToSettle({ log }: LiveParts): string {
  const land = `agent land ${log.state.id}`;
  return ` agent review ${log.state.id} shows both sides of a conflict; ${land} --take PATH lands the rehearsed version over yours, --without PATH keeps yours, --fitting PATH lands what fits, --beside PATH puts both into a new file.`;
}

/** "1 file", "14 files". */
export function counted(files: number): string {
  return files === 1 ? "1 file" : `${files.toLocaleString("en-US")} files`;
}
