import type { Root } from "../events/event.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { type Change, type ChangeSet, type Left, upperOf } from "./change.ts";
import { fingerprint, fingerprintOf } from "./fingerprint.ts";
import { isGitLock } from "./git-unit.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import { parentsOf } from "./parents.ts";

/** A change that is to land, with the hunks of its diff that are not. */
export interface Wanted {
  change: Change;
  without?: readonly number[];
}

/** Whether `path` is `above` or lies below it. */
export function isAtOrBelow(above: RawPath, path: RawPath): boolean {
  return path === above || path.startsWith(`${above}/`);
}

/** Raw absolute path of a change's new content. */
export function contentOf(set: ChangeSet, of: { root: number; path: RawPath }): RawPath {
  return `${toRaw(upperOf(set.stepFolder, of.root))}/${of.path}`;
}

/**
 * The changes of a set that are to land. A folder that is left out leaves out all below it; of a whole folder with something
 * left out inside, the rest lands entry by entry. Git's lock files never land.
 */
export function selectChanges(disk: Disk, roots: readonly Root[], set: ChangeSet, left: readonly Left[]): Wanted[] {
  const paths = roots.map((root) => root.path);
  const all = left.filter((l) => l.hunks === undefined);
  const isLeft = (of: { root: number; path: RawPath }): boolean =>
    all.some((l) => l.root === of.root && isAtOrBelow(l.path, of.path));
  const hasLeft = (of: { root: number; path: RawPath }): boolean =>
    all.some((l) => l.root === of.root && l.path !== of.path && isAtOrBelow(of.path, l.path));

  const since = BigInt(set.since);
  // What becomes something else goes away whole, so that deletions inside are part of it.
  const becomes = new Set(set.changes.filter((c) => c.op === "type").map((c) => `${c.root}/${c.path}`));
  const wanted: Wanted[] = [];
  const add = (change: Change): void => {
    const root = roots[change.root];
    if (root === undefined)
      throw new Error(`change set ${set.operationId} names root ${change.root}, which is not there`);
    if (isLeft(change) || isGitLock(root, change.path)) return;
    if (hasLeft(change) && change.after === undefined) return expandDelete(change);
    if (change.op === "delete" && parentsOf(change.path).some((p) => becomes.has(`${change.root}/${p}`))) return;
    if (hasLeft(change) && isWhole(change)) return expandCreate(change);
    const part = left.find((l) => l.root === change.root && l.path === change.path && l.hunks !== undefined);
    wanted.push(part?.hunks === undefined ? { change } : { change, without: part.hunks });
  };

  function expandDelete(change: Change): void {
    const target = targetOf(paths, change);
    if (disk.lstat(target)?.isDirectory() !== true) return;
    for (const name of disk.names(target)) {
      const before = fingerprint(disk, `${target}/${name}`);
      if (before === undefined) continue;
      const child: Change = { root: change.root, path: `${change.path}/${name}`, op: "delete", before };
      // The whole folder's print can't tell any more; its own time still tells what came there after the step.
      const late = change.late === true || (change.before?.hash !== undefined && BigInt(before.ctime) >= since);
      add({
        ...child,
        ...(before.type === "folder" ? { tree: { files: 0, bytes: 0 } } : {}),
        ...(late ? { late } : {}),
      });
    }
  }
  function expandCreate(change: Change): void {
    wanted.push({ change: withoutTree(change) });
    for (const child of childrenOf(disk, set, change)) add(child);
  }
  for (const change of set.changes) add(change);
  return wanted;
}

function withoutTree(change: Change): Change {
  const { tree: _tree, ...rest } = change;
  return rest;
}

/** A new folder that comes with all that is in it, as one change; any other comes empty, and its children by themselves. */
export function isWhole(change: Change): boolean {
  return change.after?.type === "folder" && change.tree !== undefined;
}

/** What a new folder brings, one change an entry; folders among them whole. */
export function childrenOf(disk: Disk, set: ChangeSet, change: Change): Change[] {
  const from = contentOf(set, change);
  return disk.names(from).flatMap((name): Change[] => {
    const stat = disk.lstat(`${from}/${name}`);
    if (stat === undefined || (stat.isCharacterDevice() && stat.rdev === 0n)) return [];
    const child: Change = {
      root: change.root,
      path: `${change.path}/${name}`,
      op: "create",
      after: fingerprintOf(stat),
    };
    return [stat.isDirectory() ? { ...child, tree: { files: 0, bytes: 0 } } : child];
  });
}
