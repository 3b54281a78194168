import { toRaw, type RawPath } from "../util/bytes.ts";
import { basePath } from "./base.ts";
import type { Change, ChangeSet, Fingerprint } from "./change.ts";
import { upperOf } from "./change.ts";
import { type Chunk, choicesIn, joined, withMarkers } from "./chunks.ts";
import { chunksAt, type ClashParts, takenOf } from "./clash.ts";
import { fingerprint, hashOf } from "./fingerprint.ts";
import { makeFolders, writeWhole } from "./journal.ts";
import { copier } from "./land-copy.ts";
import { targetOf } from "./land-move.ts";
import type { PendingSum, SettledSum } from "./pending.ts";
import { gitDirOf } from "./pending-git.ts";
import { replaceContent } from "./pending-rebase.ts";
import { SavedSet } from "./plan.ts";
import { contentOf, isAtOrBelow } from "./select.ts";

/** How a conflict ends. Hunks are numbered from 0; what is neither taken nor dropped stays pending. */
export type SettleHow = "take" | "drop" | "beside" | { take: readonly number[]; drop: readonly number[] };

/** What the person says of one conflict. */
export interface Settled {
  root: number;
  path: RawPath;
  how: SettleHow;
}

/** Beside a sum's proposal: what stays pending of files that land in part, in a layer of its own. */
export const REST = "rest";
const MARKED = ".both";
const WHOLE = ".rehearsed";

/** A conflict that can't be settled as it was said: the folder changed again, or never could. */
export class SettleError extends Error {
  override name = "SettleError";
}

/**
 * Carries out what the person says of conflicts: rewrites the content of the sum's own step folder. Nothing of the folder is touched; the
 * landing that follows checks everything again.
 */
export async function settle(
  parts: ClashParts,
  sum: Pick<PendingSum, "stuck">,
  wanted: readonly Settled[],
): Promise<SettledSum> {
  const { set } = parts;
  const added: Change[] = [];
  const rest: Change[] = [];
  const done = new Set<Change>();
  for (const one of wanted) {
    const hit = sum.stuck.filter((c) => isOf(parts, one, c));
    if (hit.length === 0) throw new SettleError(`nothing in conflict is at ${one.path}`);
    const exact = hit.find((c) => c.path === one.path);
    if (one.how !== "drop") {
      if (exact === undefined) throw new SettleError(`${one.path} can only be dropped, or stay pending`);
      const out = await settleOne(parts, exact, one.how, new Set(added.map((c) => `${c.root}/${c.path}`)));
      added.push(...out.land);
      rest.push(...out.rest);
    }
    for (const change of one.how === "drop" ? hit : [exact]) if (change !== undefined) done.add(change);
  }
  const stuck = sum.stuck.filter((c) => !done.has(c));
  return { set: { ...set, changes: [...set.changes, ...added] }, stuck, rest };
}

/** The change itself, what is below it, and git's own files together. */
function isOf({ roots }: ClashParts, { root, path }: Settled, change: Change): boolean {
  if (change.root !== root) return false;
  const git = gitDirOf(roots[root], change.path);
  return isAtOrBelow(path, change.path) || (git !== undefined && git === gitDirOf(roots[root], path));
}

async function settleOne(
  parts: ClashParts,
  change: Change,
  how: Exclude<SettleHow, "drop">,
  used: ReadonlySet<string>,
): Promise<{ land: Change[]; rest: Change[] }> {
  const text = await chunksAt(parts, change);
  if (how === "beside") return { land: [await beside(parts, change, text?.chunks, used)], rest: [] };
  const taken = await takenOf(parts, change);
  if (taken === undefined) throw new SettleError(`${change.path} can't land as it is: drop it, or let it stay pending`);
  if (text === undefined) {
    if (how !== "take") throw new SettleError(`${change.path} has no hunks to choose from`);
    return { land: [taken], rest: [] };
  }
  const count = choicesIn(text.chunks).length;
  const all = { take: [...Array(count).keys()], drop: [] };
  return byHunks(parts, taken, text.chunks, how === "take" ? all : how);
}

function byHunks(
  parts: ClashParts,
  taken: Change,
  chunks: readonly Chunk[],
  how: { take: readonly number[]; drop: readonly number[] },
): { land: Change[]; rest: Change[] } {
  const { before, after } = taken;
  const count = choicesIn(chunks).length;
  const wrong = [...how.take, ...how.drop].find((n) => n >= count);
  if (wrong !== undefined) throw new SettleError(`${taken.path} has hunks 1 to ${count}`);
  if (before === undefined || after === undefined) throw new Error(`${taken.path} is no file on both sides`);
  const isIn = (list: readonly number[], n: number): boolean => list.includes(n);
  const waits = [...Array(count).keys()].filter((n) => !isIn(how.take, n) && !isIn(how.drop, n));
  const whole = waits.length === 0 && how.drop.length === 0;
  const mode = whole ? after.mode : before.mode;
  const text = (left: "folder" | "base" | "ours"): Buffer =>
    joined(chunks, (_c, n) => (isIn(how.take, n) ? "ours" : isIn(how.drop, n) ? "folder" : left));
  const rest = waits.length === 0 ? [] : [restOf(parts, taken, { ours: text("ours"), base: text("base"), mode })];
  const now = text("folder");
  if (how.take.length === 0 && !whole) return { land: [], rest };
  if (before.hash === hashOf(now) && before.mode === mode) return { land: [], rest };
  const folder = joined(chunks, () => "folder");
  return { land: [put(parts, taken, now, { mode, base: folder })], rest };
}

/** New content for a change of the sum; `base`: what a merge begins from, should the folder change again. */
function put(
  { disk, set, roots }: ClashParts,
  change: Change,
  bytes: Uint8Array,
  { mode, base }: { mode: number; base?: Uint8Array },
): Change {
  const like = targetOf(
    roots.map((r) => r.path),
    change,
  );
  const print = replaceContent(disk, contentOf(set, change), { bytes, mode, like });
  if (base !== undefined) writeAnew(disk, basePath(set.stepFolder, change.root, change.path), base);
  return print === undefined ? change : { ...change, after: { ...print, mode } };
}

/** What stays pending of a file that lands in part: told against the text that it and the folder have in common, so that it stays in conflict. */
function restOf(
  { disk, set }: ClashParts,
  { root, path }: Change,
  { ours, base, mode }: { ours: Buffer; base: Buffer; mode: number },
): Change {
  const folder = `${set.stepFolder}/${REST}`;
  const at = `${toRaw(upperOf(folder, root))}/${path}`;
  writeAnew(disk, at, ours);
  disk.chmod(at, mode);
  writeAnew(disk, basePath(folder, root, path), base);
  const none = { mtime: "0", ctime: "0", ino: "0", nlink: 1 };
  const before: Fingerprint = { type: "file", mode, size: base.length, hash: hashOf(base), ...none };
  const after = fingerprint(disk, at);
  return { root, path, op: "modify", before, ...(after === undefined ? {} : { after: { ...after, mode } }) };
}

function writeAnew(disk: ClashParts["disk"], at: RawPath, bytes: Uint8Array): void {
  makeFolders(disk, at.slice(0, at.lastIndexOf("/")));
  if (disk.lstat(at) !== undefined) disk.unlink(at);
  disk.write(at, bytes, 0o600);
}

/** Both versions in a new file next to the folder's, which stays: with marks where they are texts, else the rehearsed one. */
async function beside(
  parts: ClashParts,
  change: Change,
  chunks: readonly Chunk[] | undefined,
  used: ReadonlySet<string>,
): Promise<Change> {
  const { disk, set, roots } = parts;
  const { root, after } = change;
  if (after?.type !== "file") throw new SettleError(`${change.path} is no file: nothing of it can be put beside`);
  const paths = roots.map((r) => r.path);
  const path = freeName(`${change.path}${chunks === undefined ? WHOLE : MARKED}`, (name) => {
    const free = disk.lstat(targetOf(paths, { root, path: name })) === undefined;
    return free && !used.has(`${root}/${name}`) && disk.lstat(contentOf(set, { root, path: name })) === undefined;
  });
  const made: Change = { root, path, op: "create", after };
  if (chunks !== undefined) return put(parts, made, withMarkers(chunks), { mode: after.mode });
  const [from, to] = [contentOf(set, change), contentOf(set, made)];
  await copier(disk, true).copy(from, to);
  const print = fingerprint(disk, to);
  return print === undefined ? made : { ...made, after: { ...print, mode: after.mode } };
}

function freeName(path: RawPath, isFree: (path: RawPath) => boolean): RawPath {
  let name = path;
  for (let n = 2; !isFree(name); n++) name = `${path}.${n}`;
  return name;
}

/** Saves what stays in part; `readRest` reads it back. */
export function saveRest(disk: ClashParts["disk"], set: ChangeSet, rest: readonly Change[]): void {
  writeWhole(disk, `${toRaw(set.stepFolder)}/rest.json`, JSON.stringify({ ...set, changes: rest }));
}

/** What was saved by `saveRest`; nothing where no conflict was settled in part. */
export function readRest(disk: ClashParts["disk"], stepFolder: string): readonly Change[] {
  const file = `${toRaw(stepFolder)}/rest.json`;
  return disk.lstat(file) === undefined ? [] : SavedSet.parse(JSON.parse(disk.read(file).toString("utf8"))).changes;
}
