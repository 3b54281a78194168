import { showBelow } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import type { Change, Conflict } from "../workspace/change.ts";
import { isInGit } from "../workspace/git-unit.ts";
import { parentsOf } from "../workspace/parents.ts";
import type { JournalStep, UndoWay, Workspace } from "../workspace/workspace.ts";

type Roots = Pick<Workspace, "roots">;
type At = Pick<Change, "root" | "path">;

/** Git's own files are one thing (P3). */
function isGits({ root, path }: At, { roots }: Roots): boolean {
  const of = roots[root];
  return of !== undefined && isInGit(of, path);
}

/** A path as the person knows it: below the folder by its name there, elsewhere whole; nothing hidden in it. */
export function nameOf({ root, path }: At, { roots }: Roots): string {
  const shown = visible(showBelow(path), "");
  return root === 0 || path.startsWith("/") ? shown : `${roots[root]?.path ?? ""}/${shown}`;
}

/** Each path once, git's as one, at most `max` by name. */
export function nameWords(changes: readonly At[], of: Roots, max = 5): string {
  const all = namesIn(changes, of, max);
  return all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}` : (all[0] ?? "nothing");
}

/** `nameWords` with its verb. */
export function areWords(changes: readonly At[], of: Roots): string {
  return `${nameWords(changes, of)} ${namesIn(changes, of, 2).length > 1 ? "are" : "is"}`;
}

function namesIn(changes: readonly At[], of: Roots, max: number): string[] {
  const own = changes.filter((c) => !isGits(c, of));
  // A folder that came only for what is in it is told by that.
  const above = new Set(own.flatMap((c) => parentsOf(c.path).map((path) => `${c.root}/${path}`)));
  const told = own.filter((c) => !above.has(`${c.root}/${c.path}`));
  const names = [...new Set(told.map((c) => nameOf(c, of)))];
  const more = names.length > max ? [`${names.length - max} more`] : [];
  const git = own.length < changes.length ? ["git's state"] : [];
  return [...names.slice(0, max), ...more, ...git];
}

/** Files of steps in a few words: those below whole folders count, git's own do not, one that several steps changed counts once. */
export function countWords(changes: readonly Change[], of: Roots): string {
  const own = changes.filter((c) => !isGits(c, of));
  const isFolder = (c: Change): boolean => (c.after ?? c.before)?.type === "folder";
  const plain = new Set(own.filter((c) => c.tree === undefined && !isFolder(c)).map((c) => `${c.root}/${c.path}`));
  const files = own.reduce((sum, c) => sum + (c.tree?.files ?? 0), plain.size);
  const folders = own.filter(isFolder).length;
  const told = [
    ...(files > 0 ? [files === 1 ? "1 file" : `${files.toLocaleString("en-US")} files`] : []),
    ...(files === 0 && folders > 0 ? [folders === 1 ? "1 folder" : `${folders} folders`] : []),
    ...(own.length < changes.length ? ["git's state"] : []),
  ];
  return told.join(" and ");
}

/** All that some steps changed. */
export function changesOf(steps: readonly JournalStep[]): Change[] {
  return steps.flatMap((step) => step.changes);
}

/** `path: why`, at most ten, git's as one. */
export function conflictWords(conflicts: readonly Conflict[], of: Roots): string {
  const git = conflicts.filter((c) => isGits(c, of));
  const own = conflicts.filter((c) => !isGits(c, of)).map((c) => `${nameOf(c, of)}: ${c.why}`);
  const all = [...own, ...git.slice(0, 1).map((c) => `git's state: ${c.why} (${nameOf(c, of)})`)];
  const more = all.length > 10 ? `; and ${all.length - 10} more` : "";
  return all.slice(0, 10).join("; ") + more;
}

/** The step that an id, or the beginning of only one, names. */
export function stepNamed<S extends { operationId: string }>(steps: readonly S[], wanted: string): S | undefined {
  const near = steps.filter(
    ({ operationId: id }) => wanted !== "" && (id.startsWith(wanted) || id.startsWith(`op_${wanted}`)),
  );
  return steps.find((step) => step.operationId === wanted) ?? (near.length === 1 ? near[0] : undefined);
}

/** What else could be done where steps alone can't be undone or redone. */
export function choiceWords(
  kind: "undo" | "redo",
  along: UndoWay | undefined,
  merged: UndoWay | undefined,
  count: number,
): string[] {
  const more = (along?.steps.length ?? 0) - count;
  const later = more === 1 ? "1 later step" : `${more} later steps`;
  return [
    ...(along === undefined || along.conflicts.length > 0 ? [] : [`${kind} ${later} on the same paths as well`]),
    ...(merged === undefined ? [] : ["keep the later lines and take back only those of this step"]),
  ];
}
