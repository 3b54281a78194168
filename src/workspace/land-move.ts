import { toRaw, type RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import { fingerprintOf, sameInode, treePrint } from "./fingerprint.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import type { ModeOp, MoveOp, Op } from "./plan.ts";

/** Somebody else was there between the look and the move. What they made stays where they put it. */
export class Raced extends Error {
  readonly root: number;
  readonly path: RawPath;
  readonly why: string;
  constructor(op: { root: number; path: RawPath }, why: string) {
    super(`${op.path}: ${why}`);
    this.root = op.root;
    this.path = op.path;
    this.why = why;
  }
}

/** Absolute raw path of a root's entry. */
export function targetOf(roots: readonly string[], of: { root: number; path: RawPath }): RawPath {
  const root = roots[of.root];
  if (root === undefined) throw new Error(`no root ${of.root}`);
  return of.path === "" ? toRaw(root) : `${toRaw(root)}/${of.path}`;
}

/** Throws `Raced` when a folder on the way is missing, no folder, or a link: links are never followed. */
export function checkParents(disk: Disk, roots: readonly string[], of: { root: number; path: RawPath }): void {
  const parts = of.path.split("/");
  for (let n = 0; n < parts.length; n++) {
    const path = parts.slice(0, n).join("/");
    const stat = disk.lstat(targetOf(roots, { root: of.root, path }));
    if (stat?.isDirectory() === true) continue;
    const folder = path === "" ? "the folder that it lies in" : `its folder ${path}`;
    throw new Raced(of, stat === undefined ? `${folder} is gone` : `${folder} is no folder`);
  }
}

/** Moves a folder that its own mode would hold in place: the mode comes back behind the move. */
function moveFolder(disk: Disk, from: RawPath, to: RawPath, mode: number): void {
  const held = (mode & 0o200) === 0;
  if (held) disk.chmod(from, mode | 0o700);
  disk.rename(from, to);
  if (held) disk.chmod(to, mode);
}

/** Brings a file to a name that must be free. Where there are no hard links, a look and a rename must do. */
function linkInto(disk: Disk, from: RawPath, to: RawPath): boolean {
  try {
    disk.link(from, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    if (disk.lstat(to) !== undefined) return false;
    disk.rename(from, to);
    return true;
  }
  disk.unlink(from);
  return true;
}

/** Brings `from` to the free name `to`; false when the name is taken. */
function bring(disk: Disk, from: RawPath, to: RawPath, print: Fingerprint): boolean {
  if (print.type !== "folder") return linkInto(disk, from, to);
  if (disk.lstat(to) !== undefined) return false;
  try {
    moveFolder(disk, from, to, print.mode);
  } catch (error) {
    // Made since the look; an empty folder alone would be replaced, by one of the same name.
    if (["ENOTDIR", "EEXIST", "ENOTEMPTY"].includes(codeOf(error))) return false;
    throw error;
  }
  return true;
}

function isSame(disk: Disk, a: RawPath, b: RawPath): boolean {
  const [x, y] = [disk.lstat(a), disk.lstat(b)];
  return x !== undefined && y !== undefined && x.ino === y.ino && x.dev === y.dev;
}

/** Where `settle` parks what has two names. */
export function secondName(out: RawPath): RawPath {
  return `${out}-0`;
}

/**
 * Killed between `link` and `unlink`, or between a take and its check, a file has a second name: that one, or the target
 * itself. Puts the state back to one that `takeOut` knows.
 */
function settle(disk: Disk, target: RawPath, out: RawPath): void {
  const extra = secondName(out);
  if (disk.lstat(extra) !== undefined) {
    if (isSame(disk, extra, out)) disk.unlink(extra);
    else if (disk.lstat(target) === undefined) linkInto(disk, extra, target);
  }
  if (disk.lstat(out) === undefined) return;
  if (disk.lstat(target)?.isDirectory() === true || !isSame(disk, target, out)) return;
  disk.rename(target, extra);
  if (isSame(disk, extra, out)) disk.unlink(extra);
  else linkInto(disk, extra, target);
}

/** An ordinary user can't look into a folder of theirs that is closed: it is open for the look, as for a move. */
function isEmpty(disk: Disk, folder: RawPath, mode: number): boolean {
  try {
    return disk.names(folder).length === 0;
  } catch (error) {
    if (codeOf(error) !== "EACCES") throw error;
  }
  disk.chmod(folder, mode | 0o700);
  const empty = disk.names(folder).length === 0;
  disk.chmod(folder, mode);
  return empty;
}

async function stillSame(disk: Disk, op: MoveOp, at: RawPath, before: Fingerprint): Promise<boolean> {
  const stat = disk.lstat(at);
  if (stat === undefined || !sameInode(fingerprintOf(stat), before)) return false;
  if (before.type !== "folder") return true;
  if (op.plain === true) return isEmpty(disk, at, before.mode);
  return before.hash === undefined || (await treePrint(disk, at)).hash === before.hash;
}

function takeAway(disk: Disk, op: MoveOp, target: RawPath, out: RawPath, before: Fingerprint): void {
  try {
    if (before.type === "folder") moveFolder(disk, target, out, before.mode);
    else disk.rename(target, out);
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new Raced(op, "it was taken away at this moment");
    throw error;
  }
}

/** Moves the old away and looks at it again: what was written between look and move is put back. True: nothing more to do. */
async function takeOut(disk: Disk, roots: readonly string[], op: MoveOp, target: RawPath): Promise<boolean> {
  const { out, before } = op;
  if (out === undefined || before === undefined) return false;
  settle(disk, target, out);
  if (disk.lstat(out) === undefined) {
    const now = disk.lstat(target);
    if (now === undefined) throw new Raced(op, "it is gone");
    if (!sameInode(fingerprintOf(now), before)) throw new Raced(op, "it changed meanwhile");
    if (op.plain === true && before.type === "folder" && !isEmpty(disk, target, fingerprintOf(now).mode)) {
      if (op.after === undefined) return true;
      throw new Raced(op, "somebody put something into it");
    }
    checkParents(disk, roots, op);
    takeAway(disk, op, target, out, before);
  }
  if (before.type === "folder") fixMode(disk, out, before.mode);
  if (await stillSame(disk, op, out, before)) return false;
  const found = disk.lstat(out);
  if (found !== undefined) bring(disk, out, target, fingerprintOf(found));
  throw new Raced(op, "it was saved at the same moment");
}

/** A kill between a folder's move and its mode. */
function fixMode(disk: Disk, path: RawPath, mode: number): void {
  const now = disk.lstat(path);
  if (now?.isDirectory() === true && (Number(now.mode) & 0o7777) === (mode | 0o700) && (mode & 0o200) === 0) {
    disk.chmod(path, mode);
  }
}

function putIn(disk: Disk, roots: readonly string[], op: MoveOp, target: RawPath, lifted: boolean): void {
  const { after } = op;
  if (op.in === undefined || after === undefined) return;
  if (disk.lstat(op.in) === undefined) {
    if (after.type === "folder" && !lifted) fixMode(disk, target, after.mode);
    return;
  }
  if (disk.lstat(target) !== undefined) {
    if (after.type === "folder" || !isSame(disk, op.in, target)) throw new Raced(op, "somebody made it meanwhile");
    disk.unlink(op.in);
  } else {
    checkParents(disk, roots, op);
    if (!bring(disk, op.in, target, after)) throw new Raced(op, "somebody made it meanwhile");
    if (lifted && after.type === "folder") disk.chmod(target, after.mode | 0o700);
  }
  const old = op.out === undefined ? undefined : disk.lstat(op.out);
  if (op.before === undefined || op.before.type === "folder") return;
  if (old === undefined || !sameInode(fingerprintOf(old), op.before))
    throw new Raced(op, "it was written to meanwhile");
}

function setMode(disk: Disk, roots: readonly string[], op: ModeOp): void {
  const target = targetOf(roots, op);
  const now = disk.lstat(target);
  if (now === undefined) throw new Raced(op, "it is gone");
  const print = fingerprintOf(now);
  if (print.type !== op.type) throw new Raced(op, "it became something else");
  if (print.mode === op.to) return;
  if (print.mode !== op.from) throw new Raced(op, "its mode changed meanwhile");
  checkParents(disk, roots, op);
  disk.chmod(target, op.to);
}

/**
 * Brings one op to its end from wherever a dead process left it. Throws `Raced` when somebody else was there. `lifted`:
 * `<root>/<path>` of folders that are writable for the pass; they get their modes at its end.
 */
export async function forward(
  disk: Disk,
  roots: readonly string[],
  op: Op,
  lifted: ReadonlySet<string>,
): Promise<void> {
  if (op.kind === "mode") return lifted.has(`${op.root}/${op.path}`) ? undefined : setMode(disk, roots, op);
  const target = targetOf(roots, op);
  if (await takeOut(disk, roots, op, target)) return;
  putIn(disk, roots, op, target, lifted.has(`${op.root}/${op.path}`));
}

/** The op that takes another one back. */
export function reversed(op: Op): Op {
  if (op.kind === "mode") return { ...op, from: op.to, to: op.from };
  const { before, after, in: brought, out, bytes: _bytes, ...rest } = op;
  return {
    ...rest,
    ...(after === undefined ? {} : { before: after }),
    ...(before === undefined ? {} : { after: before }),
    ...(out === undefined ? {} : { in: out }),
    ...(brought === undefined ? {} : { out: brought }),
  };
}
