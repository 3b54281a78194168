import type { RawPath } from "../util/bytes.ts";
import { toRaw } from "../util/bytes.ts";
import { type Change, type ChangeSet, upperOf } from "./change.ts";
import { writeWhole } from "./journal.ts";
import { removeAll } from "./land-copy.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import { OPAQUE_FILE, opaqueJson, readOpaque } from "./opaque.ts";
import { parentsOf } from "./parents.ts";
import { isWhole } from "./select.ts";

/**
 * Takes out of a step's layer what a command only touched: a copy with equal bytes is no change, but as part of a layer that stays it
 * would hide what the person makes of the file later. `changes`: those whose content stays.
 */
export async function stripUnchanged(disk: Disk, set: ChangeSet, changes: readonly Change[]): Promise<void> {
  const byPath = new Map(changes.map((change) => [`${change.root}/${change.path}`, change]));
  const needed = new Set(changes.flatMap((c) => parentsOf(c.path).map((path) => `${c.root}/${path}`)));
  const opaque = await stillHiding(disk, set.stepFolder, (root, path) => {
    const at = (of: RawPath): Change | undefined => byPath.get(`${root}/${of}`);
    return at(path) !== undefined || needed.has(`${root}/${path}`) || parentsOf(path).some((p) => isNew(at(p)));
  });
  const isRoot = (root: number): boolean => disk.lstat(toRaw(upperOf(set.stepFolder, root)))?.isDirectory() === true;
  for (let root = 0; isRoot(root); root++) {
    const upper = toRaw(upperOf(set.stepFolder, root));
    const walk = async (folder: RawPath): Promise<void> => {
      for (const name of namesIn(disk, folder === "" ? upper : `${upper}/${folder}`)) {
        const path = folder === "" ? name : `${folder}/${name}`;
        const key = `${root}/${path}`;
        const change = byPath.get(key);
        const isFolder = disk.lstat(`${upper}/${path}`)?.isDirectory() === true;
        // What hides all that is below it is not looked through: what it doesn't hold would be gone.
        if (opaque[root]?.has(path) === true || (change !== undefined && !isFolder) || isNew(change)) continue;
        if (change === undefined && !needed.has(key)) await removeAll(disk, `${upper}/${path}`);
        else if (isFolder) await walk(path);
      }
    };
    await walk("");
  }
}

/**
 * Forgets what a layer hides where that goes from it: a path that is hidden and has no entry counts as deleted. Written before anything
 * goes, so that a crash between leaves what is there to be taken out again.
 */
async function stillHiding(
  disk: Disk,
  stepFolder: string,
  stays: (root: number, path: RawPath) => boolean,
): Promise<readonly ReadonlySet<RawPath>[]> {
  const known = await readOpaque(stepFolder);
  const left = known.map((paths, root) => new Set([...paths].filter((path) => stays(root, path))));
  if (left.some((paths, root) => paths.size < (known[root]?.size ?? 0)))
    writeWhole(disk, `${toRaw(stepFolder)}/${OPAQUE_FILE}`, opaqueJson(left.map((paths) => [...paths])));
  return left;
}

/** A folder whose new mode keeps us out stays as it is. */
function namesIn(disk: Disk, folder: RawPath): RawPath[] {
  try {
    return disk.names(folder);
  } catch (error) {
    if (codeOf(error) === "EACCES") return [];
    throw error;
  }
}

/** Nothing of the person's lies under it. */
function isNew(change: Change | undefined): boolean {
  return change !== undefined && (isWhole(change) || change.op === "create" || change.op === "type");
}
