import type { ChangeSummary } from "../events/effect.ts";
import type { Root } from "../events/event.ts";
import type { LeftOut } from "../permissions/asker.ts";
import { showBelow, showPath, toRaw, type RawPath } from "../util/bytes.ts";
import type { ChangeSet, Left } from "../workspace/change.ts";
import { isInGit } from "../workspace/git-unit.ts";
import type { FileDiff } from "../workspace/workspace.ts";

/**
 * What the door has to leave out for what the person left out: paths as they are instead of as shown, both names of a renamed file, and
 * a file inside of a folder that came or went whole. What can't be found leaves out the whole change that it may be in. Git's own part
 * is left out along: a commit or an index that holds what was left out would bring it back.
 */
export function leftOut(
  set: ChangeSet,
  summary: ChangeSummary,
  left: readonly LeftOut[],
  roots: readonly Root[],
): Left[] {
  if (left.length === 0) return [];
  const ofGit = set.changes.filter((c) => isGits(roots[c.root], c.path)).map(({ root, path }) => ({ root, path }));
  const files = left.flatMap(({ root, path, hunks }) => {
    const entry = summary.entries.find((e) => e.root === root && e.path === path);
    const names = entry?.from === undefined ? [path] : [path, entry.from];
    const found = names.flatMap((name) => rawOf(set, root, name).map((raw) => ({ root, path: raw })));
    if (found.length === 0) throw new Error(`${path} was left out, but no change of the step is of that name`);
    return hunks === undefined ? found : found.map((of) => ({ ...of, hunks }));
  });
  return [...files, ...ofGit];
}

/** A git dir itself comes whole with `git init`. */
function isGits(root: Root | undefined, path: RawPath): boolean {
  return root !== undefined && (isInGit(root, path) || /(?:^|\/)\.git$/.test(path));
}

function rawOf(set: ChangeSet, root: number, shown: string): RawPath[] {
  const own = set.changes.filter((c) => c.root === root);
  const exact = own.filter((c) => showBelow(c.path) === shown);
  if (exact.length > 0) return exact.map((c) => c.path);
  const around = own.filter((c) => shown.startsWith(`${showPath(c.path)}/`) && c.tree !== undefined);
  // Letters that stand for bytes that are none name no file for sure.
  if (shown.includes("\u{fffd}")) return around.map((c) => c.path);
  return around.map((c) => c.path + toRaw(shown.slice(showPath(c.path).length)));
}

/** A file or a part of it that the person left out, for the model. `landed` and `out`: lines where its hunks begin, as the new file counts. */
export interface LeftPath {
  path: string;
  inPart: boolean;
  landed?: readonly number[];
  out?: readonly number[];
}

/** Which hunks of a file landed and which did not. */
export function hunkLines(
  { root, path, hunks }: LeftOut,
  diffs: readonly FileDiff[],
): Pick<LeftPath, "landed" | "out"> {
  const of = diffs.find((d) => d.root === root && d.path === path)?.hunks;
  if (hunks === undefined || of === undefined || of.length === 0) return {};
  const lines = (taken: boolean) => of.flatMap((h, n) => (hunks.includes(n) === taken ? [] : [h.newStart]));
  return { landed: lines(true), out: lines(false) };
}
