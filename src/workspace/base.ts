import type { Root } from "../events/event.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet } from "./change.ts";
import type { Door } from "./door.ts";
import { fingerprint } from "./fingerprint.ts";
import { baseText } from "./git-base.ts";
import { isInGit } from "./git-unit.ts";
import { makeFolders } from "./journal.ts";
import { removeAll } from "./land-copy.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";

/** Where a step keeps what a file was before it: the text that both sides' edits are merged on. */
export function basePath(stepFolder: string, root: number, path: RawPath): RawPath {
  return `${toRaw(stepFolder)}/b${root}/${path}`;
}

/**
 * Keeps the present text of every file that a small set changes (those that were hashed), while it is still what the step saw: a
 * person who edits other lines while the question is open then loses nothing, and nothing of the step's is lost either.
 */
export async function saveBases(disk: Disk, roots: readonly Root[], set: ChangeSet): Promise<void> {
  for (const change of set.changes) {
    const root = roots[change.root];
    if (root === undefined || !isMergeable(root, change)) continue;
    const to = basePath(set.stepFolder, change.root, change.path);
    if (disk.lstat(to) !== undefined) continue;
    const target = targetOf(
      roots.map((r) => r.path),
      change,
    );
    if (disk.lstat(target)?.isFile() !== true) continue;
    makeFolders(disk, to.slice(0, to.lastIndexOf("/")));
    disk.copy(target, to);
    if (fingerprint(disk, to)?.hash !== change.before?.hash) await removeAll(disk, to);
  }
}

/** Lines of git's own files mean nothing one by one. */
function isMergeable(root: Root, change: Change): boolean {
  const { op, before, late } = change;
  return (
    op === "modify" &&
    before?.type === "file" &&
    before.hash !== undefined &&
    late !== true &&
    !isInGit(root, change.path)
  );
}

/** The text that a change was made from: kept with the step, or a blob that git proves to be the same; undefined rather than a guess. */
export async function baseOf(door: Door, set: ChangeSet, change: Change): Promise<Uint8Array | undefined> {
  const { root, path, before, late } = change;
  const saved = basePath(set.stepFolder, root, path);
  if (door.disk.lstat(saved)?.isFile() === true) return door.disk.read(saved);
  const of = door.roots[root];
  if (of === undefined || before === undefined || late === true || isInGit(of, path)) return undefined;
  return baseText(door.roots, { root, path, before }, { git: door.git, scratchDir: set.stepFolder });
}
