import type { BigIntStats } from "node:fs";
import { toRaw, type RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet } from "./change.ts";
import { treePrint } from "./fingerprint.ts";
import { writeWhole } from "./journal.ts";
import type { Disk } from "./land-disk.ts";
import { readOpaque } from "./opaque.ts";
import { parentsOf } from "./parents.ts";
import { DELETED_FILE } from "./pending-base.ts";
import type { PendingDeps } from "./pending-sum.ts";
import { contentOf } from "./select.ts";
import { LayOut, printed } from "./squash.ts";
import { isPlain, readSince, saveProposal } from "./steps.ts";
import { stripUnchanged } from "./strip.ts";
import { openTree, rawIn, type Tree } from "./tree.ts";
import type { View } from "./workspace.ts";

/** Makes a proposed step a layer; see `Pending.freeze`. */
export async function freeze(deps: PendingDeps, set: ChangeSet, view: View): Promise<ChangeSet> {
  const { disk, roots } = deps;
  const below = await openTree(roots, view.layers);
  const plain = isPlain(readSince(disk, set));
  if (!plain) await stripUnchanged(disk, set, set.changes);
  else {
    await fixParents(disk, set, below);
    await noteDeleted(deps, set);
  }
  const opaque = await readOpaque(set.stepFolder);
  const out = new LayOut(disk, set.stepFolder, below, deps.whiteout);
  await out.uppers(roots.length, plain);
  const isHidden = ({ root, path }: Change): boolean =>
    [...parentsOf(path), path].some((at) => opaque[root]?.has(at) === true);
  for (const change of set.changes) if (change.op === "delete" && !isHidden(change)) await out.delete(change);
  await out.finish();
  // Until it is squashed its content lies where it is.
  const frozen = { ...set, changes: set.changes.map((change) => (plain ? printed(disk, set, change) : change)) };
  saveProposal(disk, frozen);
  return frozen;
}

/** A folder that only holds what was written is none of the step's: it looks as it did. */
async function fixParents(disk: Disk, set: ChangeSet, below: Tree): Promise<void> {
  const made = new Set(set.changes.map((c) => `${c.root}/${c.path}`));
  const seen = new Set<string>();
  for (const { root, path } of set.changes) {
    for (const parent of parentsOf(path)) {
      const key = `${root}/${parent}`;
      if (made.has(key) || seen.has(key)) continue;
      seen.add(key);
      const at = contentOf(set, { root, path: parent });
      const mine = disk.lstat(at);
      const node = await below.find(root, parent);
      if (mine === undefined || node?.type !== "folder") continue;
      if (mine.uid === 0n && (mine.uid !== node.stat.uid || mine.gid !== node.stat.gid))
        disk.chown(at, Number(node.stat.uid), Number(node.stat.gid));
      if (mine.mode !== node.stat.mode) disk.chmod(at, Number(node.stat.mode) & 0o7777);
    }
  }
}

/** Remembers what lay in a folder that Delete takes away: what is added or changed there later is somebody else's. */
async function noteDeleted({ disk, roots }: PendingDeps, set: ChangeSet): Promise<void> {
  const file = `${toRaw(set.stepFolder)}/${DELETED_FILE}`;
  if (disk.lstat(file) !== undefined) return;
  const noted: [string, string][] = [];
  for (const change of set.changes) {
    if (change.op !== "delete" || change.before?.type !== "folder") continue;
    const root = roots[change.root];
    const at = root === undefined ? undefined : rawIn(root, change.path);
    if (at === undefined || disk.lstat(at)?.isDirectory() !== true) continue;
    const found: [string, string][] = [];
    const visit = (path: RawPath, stat: BigIntStats): void =>
      void found.push([`${change.root}/${change.path}/${path}`, `${stat.ctimeNs} ${stat.ino}`]);
    const { hash } = await treePrint(disk, at, visit);
    // Changed already since the step looked: then nothing is known of it.
    if (change.before.hash === undefined || change.before.hash === hash) noted.push(...found);
  }
  if (noted.length > 0) writeWhole(disk, file, JSON.stringify(noted));
}
