import type { RawPath } from "../util/bytes.ts";
import { toRaw } from "../util/bytes.ts";
import { type Change, type ChangeSet } from "./change.ts";
import { treePrint } from "./fingerprint.ts";
import { writeWhole } from "./journal.ts";
import { removeAll } from "./land-copy.ts";
import type { Disk } from "./land-disk.ts";
import { OPAQUE_FILE, opaqueJson, readOpaque } from "./opaque.ts";
import { parentsOf } from "./parents.ts";
import { contentOf } from "./select.ts";
import { stripUnchanged } from "./strip.ts";

/**
 * Makes a step's folder the layer of what is kept: everything that landed or was dropped goes from it, so that a later copy
 * shows the folder with what was kept over it and nothing else. Gives files and bytes of what is left.
 */
export async function keepOnly(
  disk: Disk,
  set: ChangeSet,
  keep: (change: Change) => boolean,
): Promise<{ files: number; bytes: number }> {
  const kept = set.changes.filter(keep);
  const dropped = set.changes.filter((change) => !keep(change));
  const needed = new Set(kept.flatMap((c) => [c.path, ...parentsOf(c.path)].map((path) => `${c.root}/${path}`)));
  const opened: { root: number; path: RawPath }[] = [];
  for (const change of dropped) {
    const content = contentOf(set, change);
    const whole = !needed.has(`${change.root}/${change.path}`);
    if (whole && disk.lstat(content) !== undefined) await removeAll(disk, content);
    else if (change.op === "delete" || change.op === "type") opened.push(change);
    removeEmptyParents(disk, set, change, needed);
  }
  for (const change of opened) await showBelow(disk, set, change);
  if (opened.length > 0) await forgetOpaque(disk, set, opened);
  await stripUnchanged(disk, set, kept);
  return sumOf(disk, set, kept);
}

/** Folders that only held what is gone. One that is a kept change itself stays. */
function removeEmptyParents(
  disk: Disk,
  set: ChangeSet,
  of: { root: number; path: RawPath },
  needed: ReadonlySet<string>,
): void {
  for (const path of parentsOf(of.path).toReversed()) {
    const folder = contentOf(set, { root: of.root, path });
    if (needed.has(`${of.root}/${path}`) || disk.lstat(folder)?.isDirectory() !== true) return;
    if (disk.names(folder).length > 0) return;
    disk.rmdir(folder);
  }
}

/**
 * A deletion without a whiteout lies in a folder that hides what is below it, by an attribute that Node can't take away: the
 * folder is made anew, and what is in it moves over.
 */
async function showBelow(disk: Disk, set: ChangeSet, change: { root: number; path: RawPath }): Promise<void> {
  for (const path of [...parentsOf(change.path), change.path]) {
    const folder = contentOf(set, { root: change.root, path });
    const stat = disk.lstat(folder);
    if (stat?.isDirectory() !== true) return;
    const fresh = `${toRaw(set.stepFolder)}/fresh`;
    await removeAll(disk, fresh);
    disk.mkdir(fresh, 0o700);
    for (const name of disk.names(folder)) disk.rename(`${folder}/${name}`, `${fresh}/${name}`);
    disk.rmdir(folder);
    disk.rename(fresh, folder);
    disk.chmod(folder, Number(stat.mode) & 0o7777);
  }
}

async function forgetOpaque(
  disk: Disk,
  set: ChangeSet,
  opened: readonly { root: number; path: RawPath }[],
): Promise<void> {
  const opaque = await readOpaque(set.stepFolder);
  if (opaque.length === 0) return;
  const shown = new Set(opened.flatMap((c) => [c.path, ...parentsOf(c.path)].map((path) => `${c.root}/${path}`)));
  const left = opaque.map((paths, root) => [...paths].filter((path) => !shown.has(`${root}/${path}`)));
  writeWhole(disk, `${toRaw(set.stepFolder)}/${OPAQUE_FILE}`, opaqueJson(left));
}

async function sumOf(disk: Disk, set: ChangeSet, kept: readonly Change[]): Promise<{ files: number; bytes: number }> {
  const sum = { files: 0, bytes: 0 };
  for (const change of kept) {
    const stat = disk.lstat(contentOf(set, change));
    if (stat === undefined || change.after === undefined) continue;
    const isTree = stat.isDirectory() && change.tree !== undefined;
    const part = isTree
      ? await treePrint(disk, contentOf(set, change))
      : { files: stat.isDirectory() ? 0 : 1, bytes: stat.isDirectory() ? 0 : Number(stat.size) };
    sum.files += part.files;
    sum.bytes += part.bytes;
  }
  return sum;
}
