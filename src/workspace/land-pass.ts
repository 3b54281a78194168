import type { RawPath } from "../util/bytes.ts";
import type { Change, Conflict, Fingerprint } from "./change.ts";
import type { Door } from "./door.ts";
import { breathe, fingerprint, hashedIn, fingerprintOf, occupiedBy, sameInode, treePrint } from "./fingerprint.ts";
import type { Entry, Journal } from "./journal.ts";
import { copier, removeAll } from "./land-copy.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import { forward, Raced, reversed, targetOf } from "./land-move.ts";
import { foldersOf } from "./land-slots.ts";
import type { MoveOp, Op, Pass, PassEnd } from "./plan.ts";
import { saveList } from "./tree-list.ts";

/** Above this many, single syncs would take longer than the landing: the file system's own order has to do. */
export const MAX_SYNCS = 64;

export type PassResult = { done: true; end: PassEnd } | { done: false; conflicts: Conflict[] };

/** A pass whose plan is durable, on its way. */
export interface Running {
  door: Door;
  journal: Journal;
  entry: Entry;
  pass: Pass;
}

/**
 * Brings a pass to its end, from its begin or from wherever a dead process left it: all of it, or nothing when somebody else
 * was there meanwhile. A failure of the machine takes back what was done and throws; where even that fails, the pass stays
 * open and the next recovery ends it.
 */
export async function runPass(running: Running): Promise<PassResult> {
  const { door, pass, journal, entry } = running;
  const settled = journal.settled(entry, pass);
  if (settled === "back") return { done: false, conflicts: await takeBack(running) };
  try {
    if (settled === undefined) await moveAll(door, pass);
    return { done: true, end: await finishPass(running, true) };
  } catch (error) {
    const left = await takeBack(running);
    if (!(error instanceof Raced)) throw error;
    return { done: false, conflicts: [{ root: error.root, path: error.path, why: error.why }, ...left] };
  }
}

async function moveAll(door: Door, pass: Pass): Promise<void> {
  liftFolders(door.disk, pass);
  const lifted = liftedIn(pass);
  let count = 0;
  for (const op of pass.ops) {
    await forward(door.disk, pass.roots, op, lifted);
    if (++count % 100 === 0) await breathe();
  }
}

/**
 * Takes a pass back, op by op from the last. What somebody else changed since stays as they made it and is told.
 * Once all is moved, and what was taken away is stored, there is no way back.
 */
export async function takeBack(running: Running): Promise<Conflict[]> {
  const { door, pass, journal, entry } = running;
  const settled = journal.settled(entry, pass);
  if (settled === "done") return [];
  const left: Conflict[] = [];
  if (settled === "back") {
    await finishPass(running, false);
    return left;
  }
  liftFolders(door.disk, pass);
  const lifted = liftedIn(pass);
  for (const op of pass.ops.toReversed()) {
    try {
      await forward(door.disk, pass.roots, reversed(op), lifted);
    } catch (error) {
      if (!(error instanceof Raced)) throw error;
      // Not there: it never came, or the person took it away.
      if (door.disk.lstat(targetOf(pass.roots, op)) !== undefined)
        left.push({ root: op.root, path: op.path, why: error.why });
    }
  }
  await finishPass(running, false);
  return left;
}

/** Drops a pass that never got ready: only its temporary names are there. */
export async function dropPass(running: Running): Promise<void> {
  const { door, pass, journal, entry } = running;
  await removeTemps(door.disk, pass);
  dropLifts(door.disk, pass, false);
  if (pass.number === 0) return journal.remove(entry);
  journal.writeEnd(entry, pass, { done: false, at: isoNow(door), prints: [], changes: pass.changes, bytes: 0 });
}

/** Time of the door's clock. */
export function isoNow(door: Door): string {
  return new Date(door.clock.now()).toISOString();
}

async function finishPass(running: Running, done: boolean): Promise<PassEnd> {
  const { door, pass, journal, entry } = running;
  const bytes = await storeTaken(running);
  await makeDurable(door, pass);
  if (pass.temps.length > 0) {
    journal.markSettled(entry, pass, done ? "done" : "back");
    liftFolders(door.disk, pass);
    await storeLateWrites(door, pass);
    await removeTemps(door.disk, pass);
  }
  dropLifts(door.disk, pass, done);
  const prints = await printsOf(door.disk, pass);
  await listBrought(running, done);
  const end: PassEnd = { done, at: isoNow(door), prints, changes: landedChanges(pass, prints), bytes };
  journal.writeEnd(entry, pass, end);
  return end;
}

/** Whole folders that were copied into the person's folder: what their files are now. */
async function listBrought({ door, pass, entry }: Running, done: boolean): Promise<void> {
  if (!done || pass.temps.length === 0 || pass.kind === "land") return;
  for (const [n, op] of pass.ops.entries()) {
    if (op.kind === "mode" || op.plain === true || op.after?.type !== "folder") continue;
    const target = targetOf(pass.roots, op);
    if (door.disk.lstat(target)?.isDirectory() === true)
      await saveList(door.disk, door.state, target, `${entry.folder}/slots/${pass.number}.${n}.is`);
  }
}

async function printsOf(disk: Disk, pass: Pass): Promise<(Fingerprint | null)[]> {
  const prints: (Fingerprint | null)[] = [];
  const maxHashed = hashedIn(pass.ops.length);
  for (const op of pass.ops) {
    prints.push(await printAt(disk, op, targetOf(pass.roots, op), maxHashed));
    if (prints.length % 100 === 0) await breathe();
  }
  return prints;
}

/** A whole folder that was moved is what it was: what somebody changed in it since is theirs, and is not looked at. */
async function printAt(disk: Disk, op: Op, path: RawPath, maxHashed: number): Promise<Fingerprint | null> {
  const print = fingerprint(disk, path, maxHashed);
  if (print === undefined) return null;
  if (print.type !== "folder" || op.kind === "mode" || op.plain === true) return print;
  const known = [op.after, op.before].find((p) => p?.type === "folder" && p.ino === print.ino)?.hash;
  return { ...print, hash: known ?? (await treePrint(disk, path)).hash };
}

/** The changes with fingerprints of what lies in the folder now. */
function landedChanges(pass: Pass, prints: readonly (Fingerprint | null)[]): Change[] {
  const now = new Map(pass.ops.map((op, n) => [`${op.root}/${op.path}`, prints[n]] as const));
  return pass.changes.map((change) => {
    const after = now.get(`${change.root}/${change.path}`);
    return after === undefined || after === null || change.after === undefined ? change : { ...change, after };
  });
}

/** Copies what was taken away from beside its target into the state folder; gives the bytes that undo occupies. */
async function storeTaken({ door, pass, journal, entry }: Running): Promise<number> {
  const stored = journal.settled(entry, pass) !== undefined;
  const copies = copier(door.disk, door.syncFs === undefined);
  for (const op of stored ? [] : storedIn(pass)) {
    if (door.disk.lstat(op.out) === undefined) continue;
    await removeAll(door.state, op.store);
    await copies.copy(op.out, op.store);
    if (op.before?.type === "folder" && op.plain !== true)
      await saveList(door.disk, door.state, op.out, `${op.store}.was`);
  }
  let bytes = 0;
  for (const op of pass.ops) {
    if (op.kind === "mode" || op.out === undefined) continue;
    const at = op.store ?? op.out;
    const stat = door.disk.lstat(at);
    // Nothing lies in a plain one.
    if (stat?.isDirectory() === true && op.plain !== true)
      bytes += op.bytes ?? (await treePrint(door.disk, at)).occupied;
    else if (stat?.isDirectory() === false) bytes += occupiedBy(stat);
  }
  return bytes;
}

/** What is taken from beside its target into the state folder. */
function storedIn({ ops }: Pass): (MoveOp & { out: RawPath; store: RawPath })[] {
  return ops.flatMap((op) =>
    op.store === undefined || op.out === undefined ? [] : [{ ...op, out: op.out, store: op.store }],
  );
}

/** What was written through an open file after it was moved away and copied is copied once more. */
async function storeLateWrites(door: Door, pass: Pass): Promise<void> {
  for (const { out, store, before } of storedIn(pass)) {
    const now = door.disk.lstat(out);
    if (now === undefined || before === undefined || sameInode(fingerprintOf(now), before)) continue;
    await removeAll(door.state, store);
    await copier(door.disk, door.syncFs === undefined).copy(out, store);
  }
}

async function removeTemps(disk: Disk, pass: Pass): Promise<void> {
  for (const temp of pass.temps) {
    if (!/\/\.understudy-[^/]+-\d+$/.test(temp)) throw new Error(`not a temporary name of the door: ${temp}`);
    await removeAll(disk, temp);
  }
}

/** Modes that a pass gives to folders that are there before and after it. */
function givenModes(pass: Pass): ReadonlyMap<string, number> {
  return new Map(pass.ops.flatMap((op) => (op.kind === "mode" ? [[`${op.root}/${op.path}`, op.to] as const] : [])));
}

/** Makes folders without w bit writable for the pass, whether they have their old mode or already the one that it gives. */
export function liftFolders(disk: Disk, pass: Pass): void {
  const given = givenModes(pass);
  for (const lift of pass.lifts) {
    const path = targetOf(pass.roots, lift);
    const stat = disk.lstat(path);
    const mode = Number(stat?.mode ?? 0) & 0o7777;
    const known = mode === lift.mode || mode === given.get(`${lift.root}/${lift.path}`);
    if (stat?.isDirectory() === true && known) disk.chmod(path, lift.mode | 0o700);
  }
}

function liftedIn(pass: Pass): ReadonlySet<string> {
  return new Set(pass.lifts.map((lift) => `${lift.root}/${lift.path}`));
}

/** Gives lifted folders their modes: the old one, or the one that the pass was to give them. */
function dropLifts(disk: Disk, pass: Pass, done: boolean): void {
  const given = givenModes(pass);
  for (const lift of pass.lifts) {
    const path = targetOf(pass.roots, lift);
    const stat = disk.lstat(path);
    const mode = Number(stat?.mode ?? 0) & 0o7777;
    const wanted = (done ? given.get(`${lift.root}/${lift.path}`) : undefined) ?? lift.mode;
    if (stat?.isDirectory() === true && mode === (lift.mode | 0o700)) disk.chmod(path, wanted);
  }
}

/** The renames are durable before the pass is said to have ended. */
async function makeDurable(door: Door, pass: Pass): Promise<void> {
  // Copies of what was taken away; single ones were made durable one by one.
  if (pass.ops.some((op) => op.kind === "move" && op.store !== undefined)) await door.syncFs?.(door.foldersDir);
  const folders = [...foldersOf(pass.roots, pass.ops)];
  if (folders.length > MAX_SYNCS && door.syncFs !== undefined) {
    for (const root of new Set(pass.ops.map((op) => op.root))) await door.syncFs(pass.roots[root] ?? "/");
    return;
  }
  for (const folder of folders.slice(0, MAX_SYNCS)) syncFolder(door.disk, folder);
}

function syncFolder(disk: Disk, folder: RawPath): void {
  if (disk.lstat(folder)?.isDirectory() !== true) return;
  try {
    disk.sync(folder);
  } catch (error) {
    // A folder that we may write to but not read, or a file system that can't.
    if (!["EACCES", "EINVAL"].includes(codeOf(error))) throw error;
  }
}
