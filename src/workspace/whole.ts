import type { RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Fingerprint } from "./change.ts";
import { fingerprintOf, treePrint } from "./fingerprint.ts";
import type { Disk } from "./land-disk.ts";
import { splitRaw } from "./tree.ts";
import { contentOf, type Wanted } from "./select.ts";

/** Sets above this many changes move new folders as a whole; smaller ones land entry by entry, each with a hash of its own. */
export const MANY_CHANGES = 200;

/**
 * New folders that lie in new folders, with all that is in them, as one change each: one rename brings ten thousand files. A new
 * folder in one that was there is made anew, since overlayfs of older kernels marks it. Only what the set names entry by entry, and what may move
 * as it is (`moves`), becomes a whole.
 */
export async function joinFolders(
  disk: Disk,
  set: ChangeSet,
  wanted: readonly Wanted[],
  moves: (change: Change) => boolean,
): Promise<readonly Wanted[]> {
  if (wanted.length <= MANY_CHANGES) return wanted;
  const created = new Map<string, Change>();
  for (const { change, without } of wanted) {
    if (change.op === "create" && change.tree === undefined && without === undefined)
      created.set(keyOf(change), change);
  }
  /** Folder → the topmost folder that holds it and can move; "" for what can't. */
  const tops = new Map<string, string>();
  const prints = new Map<string, { hash: string; files: number; bytes: number }>();
  const below = countBelow(created);
  const topOf = async (root: number, path: RawPath): Promise<string> => {
    const key = `${root}/${path}`;
    const known = tops.get(key);
    if (known !== undefined) return known;
    const change = created.get(key);
    const [parent] = splitRaw(path);
    let top = "";
    if (change?.after?.type === "folder" && created.has(`${root}/${parent}`)) {
      top = await topOf(root, parent);
      if (top === "") {
        const print = await printWhole(disk, set, change, created, below.get(key) ?? 0, moves);
        if (print !== undefined) [top] = [key, prints.set(key, print)];
      }
    }
    tops.set(key, top);
    return top;
  };
  const joined: Wanted[] = [];
  for (const one of wanted) {
    const { root, path } = one.change;
    const key = keyOf(one.change);
    const own = one.change.after?.type === "folder" && created.has(key);
    const top = await topOf(root, own ? path : splitRaw(path)[0]);
    if (top === "") joined.push(one);
    else if (top === key) joined.push(asTree(one.change, prints.get(key)));
  }
  return joined;
}

function keyOf(of: { root: number; path: RawPath }): string {
  return `${of.root}/${of.path}`;
}

function asTree(change: Change, print: { hash: string; files: number; bytes: number } | undefined): Wanted {
  if (print === undefined || change.after === undefined) return { change };
  const { hash, files, bytes } = print;
  return { change: { ...change, after: { ...change.after, hash }, tree: { files, bytes } } };
}

/** How many created entries lie below each created folder, at any depth. */
function countBelow(created: ReadonlyMap<string, Change>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { root, path } of created.values()) {
    for (let cut = path.lastIndexOf("/"); cut > 0; cut = path.lastIndexOf("/", cut - 1)) {
      const key = `${root}/${path.slice(0, cut)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

/** The folder's print where the layer holds exactly what the set names there, as it names it; undefined otherwise. */
async function printWhole(
  disk: Disk,
  set: ChangeSet,
  change: Change,
  created: ReadonlyMap<string, Change>,
  count: number,
  moves: (change: Change) => boolean,
): Promise<{ hash: string; files: number; bytes: number } | undefined> {
  const from = contentOf(set, change);
  const top = disk.lstat(from);
  let [same, seen] = [top !== undefined && isAs(fingerprintOf(top), change.after), 0];
  if (!same) return undefined;
  const print = await treePrint(disk, from, (path, stat) => {
    const named = created.get(`${change.root}/${change.path}/${path}`);
    seen++;
    const now = fingerprintOf(stat);
    if (named === undefined || !isAs(now, named.after) || !moves({ ...named, after: now })) same = false;
  });
  return same && seen === count ? print : undefined;
}

function isAs(now: Fingerprint, then: Fingerprint | undefined): boolean {
  if (then === undefined || now.type !== then.type || now.mode !== then.mode) return false;
  return now.type !== "file" || (now.size === then.size && now.mtime === then.mtime);
}

/**
 * Which created files of a command's layer can be moved into the folder: those that can't carry overlayfs's attributes, which mark
 * what was copied up before it was moved or linked. Others are copied, without them.
 */
export function movableFrom(set: ChangeSet): (change: Change) => boolean {
  const since = BigInt(set.since);
  const [taken, written] = [new Set<number>(), new Set<number>()];
  for (const { op, root } of set.changes) {
    if (op === "delete" || op === "type") taken.add(root);
    else if (op === "modify") written.add(root);
  }
  return ({ op, root, after }) => {
    if (op !== "create" || after === undefined) return false;
    if (after.type === "folder") return true;
    if (after.nlink !== 1 || taken.has(root)) return false;
    // What stood at a path that was written anew may have been moved here; as it was, it is older than the step.
    return !written.has(root) || BigInt(after.mtime) >= since;
  };
}
