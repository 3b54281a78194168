import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Conflict, Fingerprint } from "./change.ts";
import { isAsProposed, isEqual, NOT_AS_PROPOSED } from "./as-proposed.ts";
import { closedBy, closing } from "./closed.ts";
import { fingerprint, hashOf, readIfThere, treePrint } from "./fingerprint.ts";
import { isGitIndex } from "./git-unit.ts";
import { withoutHunks } from "./hunk.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import { mergeText } from "./merge.ts";
import { blocked, parentsOf } from "./parents.ts";
import { type Returned, sameOrReturned } from "./returned.ts";
import { childrenOf, contentOf, isWhole, type Wanted } from "./select.ts";
import { type Since, lateIn } from "./steps.ts";
import { splitRaw } from "./tree.ts";

/** What comes to a target: an entry of the step's layer, bytes that were merged or picked, or a folder without content. */
export type Source =
  | { kind: "upper"; from: RawPath; print: Fingerprint; mode: number }
  | { kind: "bytes"; bytes: Uint8Array; mode: number; like: RawPath }
  | { kind: "folder"; mode: number };

/** One change, checked against what lies at its target now; not yet with slots. */
export interface Draft {
  root: number;
  path: RawPath;
  /** What lies there now and goes away. */
  before?: Fingerprint;
  source?: Source;
  /** A mode alone. */
  mode?: { from: number; to: number };
  /** The old folder is taken only if it is empty. */
  plain?: boolean;
  /** What all that lies below an old folder takes on the disk. */
  bytes?: number;
}

export interface Drafts {
  drafts: Draft[];
  conflicts: Conflict[];
  merged: { root: number; path: RawPath }[];
}

export interface Checks {
  disk: Disk;
  roots: readonly Root[];
  set: ChangeSet;
  /** Whose permissions count; absent, or root's: nobody's. */
  uid?: number;
  since: Since;
  /** `<root>/<path>` of what becomes a folder: what comes below it is not reached through what lies there now. */
  becomes: ReadonlySet<string>;
  /** What an earlier try of this step took away and put back. */
  returned: Returned;
  /** Why a folder can't be reached, by root and folder, as far as it was looked for. */
  ways?: Map<string, string | undefined>;
  /** Files up to this size are hashed at once. Default `SMALL_FILE`. */
  maxHashed?: number;
  /** Text that a change was made from, where it is known. */
  base(change: Change): Promise<Uint8Array | undefined>;
}

/** A conflict found while one change is checked. */
class Clash extends Error {}

/**
 * Compares every change with what lies at its target now (SANDBOX 5): unchanged lands, changed on both sides is merged where
 * the base is known and the lines differ, all else is a conflict. Reads alone; nothing is touched.
 */
export async function checkChanges(checks: Checks, wanted: readonly Wanted[]): Promise<Drafts> {
  const out: Drafts = { drafts: [], conflicts: [], merged: [] };
  const queue = wanted.toReversed();
  const lockOf = closing(checks.set, checks.uid);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { root, path } = next.change;
    try {
      const lock = lockOf(root, path);
      if (lock !== undefined) throw new Clash(`the same step takes your permission to look into ${lock}`);
      const draft = await check(checks, next, queue, out);
      if (draft !== undefined) out.drafts.push({ root, path, ...draft });
    } catch (error) {
      const why = error instanceof Clash ? error.message : closedBy(error);
      if (why === undefined) throw error;
      out.conflicts.push({ root, path, why });
    }
  }
  return out;
}

type Part = Omit<Draft, "root" | "path">;

async function check(checks: Checks, wanted: Wanted, queue: Wanted[], out: Drafts): Promise<Part | undefined> {
  const { change } = wanted;
  const becomes = (parent: RawPath): boolean => checks.becomes.has(`${change.root}/${parent}`);
  const why = wayTo(checks, change, becomes);
  if (why !== undefined) throw new Clash(why);
  // Below what only becomes a folder nothing is there yet, wherever a link of that name leads.
  const now = parentsOf(change.path).some(becomes)
    ? undefined
    : fingerprint(checks.disk, targetIn(checks, change), checks.maxHashed);
  switch (change.op) {
    case "create":
      return checkCreate(checks, change, now, queue);
    case "delete":
      return now === undefined ? undefined : { ...(await takenAway(checks, change, now)) };
    case "type":
      if (now === undefined) throw new Clash("it was deleted meanwhile");
      return { ...(await takenAway(checks, change, now)), source: sourceOf(checks, change) };
    case "chmod":
      return checkMode(change, now);
    case "modify":
      return checkModify(checks, wanted, now, out);
  }
}

/** `blocked`, once a folder: what comes later is looked at anew where it is moved. */
function wayTo(checks: Checks, change: Change, becomes: (parent: RawPath) => boolean): string | undefined {
  const ways = (checks.ways ??= new Map());
  const key = `${change.root}/${splitRaw(change.path)[0]}`;
  if (!ways.has(key)) ways.set(key, blocked(checks.disk, rootAt(checks, change), change.path, becomes));
  return ways.get(key);
}

function targetIn(checks: Checks, change: Change): RawPath {
  return targetOf(
    checks.roots.map((r) => r.path),
    change,
  );
}

function sourceOf(checks: Checks, change: Change): Source {
  const from = contentOf(checks.set, change);
  const print = fingerprint(checks.disk, from, checks.maxHashed);
  if (print === undefined) throw new Error(`the new content of ${change.path} is not in its step's folder`);
  if (change.after !== undefined && !isAsProposed(print, change.after)) throw new Clash(NOT_AS_PROPOSED);
  const mode = change.after?.mode ?? print.mode;
  if (print.type === "folder" && !isWhole(change)) return { kind: "folder", mode };
  const hash = isWhole(change) ? change.after?.hash : undefined;
  return { kind: "upper", from, print: hash === undefined ? print : { ...print, hash }, mode };
}

function checkCreate(checks: Checks, change: Change, now: Fingerprint | undefined, queue: Wanted[]): Part | undefined {
  const source = sourceOf(checks, change);
  if (now === undefined) return { source };
  const folder = source.kind === "folder" || (source.kind === "upper" && source.print.type === "folder");
  if (folder && now.type === "folder") {
    // Somebody made the same folder: ours goes into it.
    if (source.kind === "upper")
      for (const child of childrenOf(checks.disk, checks.set, change).toReversed()) queue.push({ change: child });
    return undefined;
  }
  if (
    source.kind === "upper" &&
    isEqual(withHash(checks, source.from, source.print), withHash(checks, targetIn(checks, change), now))
  )
    return undefined;
  throw new Clash("somebody else made it meanwhile");
}

/** The same print with the hash that a large set goes without until somebody else was there. */
function withHash(checks: Checks, path: RawPath, print: Fingerprint): Fingerprint {
  return print.type !== "file" || print.hash !== undefined ? print : (fingerprint(checks.disk, path) ?? print);
}

/** The old entry of a deletion or a change of type: whole, and as the step found it. */
async function takenAway(checks: Checks, change: Change, now: Fingerprint): Promise<Part> {
  const { before } = change;
  if (before === undefined) throw new Error(`change of ${change.path} has no fingerprint of what it takes away`);
  if (now.type !== before.type) throw new Clash("it became something else meanwhile");
  if (now.type !== "folder") {
    const meant = isGitIndex(rootAt(checks, change), change.path) && sameIndex(checks, change, now);
    if (!meant && !unchanged(checks, change, now)) throw new Clash("it was changed meanwhile");
    return { before: now };
  }
  if (change.op === "delete" && change.tree === undefined) return { before: now, plain: true };
  if (change.late === true) throw new Clash("something in it was changed meanwhile");
  let late: RawPath | undefined;
  const below = `${change.path}/`;
  const print = await treePrint(checks.disk, targetIn(checks, change), (path, stat) => {
    if (before.hash === undefined && lateIn(checks.since, change.root, below + path, stat)) late ??= path;
  });
  if (before.hash !== undefined && before.hash !== print.hash) throw new Clash("something in it was changed meanwhile");
  if (late !== undefined) throw new Clash(`${late} in it was changed meanwhile`);
  return { before: { ...now, hash: print.hash }, bytes: print.occupied };
}

function rootAt(checks: Checks, change: Change): Root {
  const root = checks.roots[change.root];
  if (root === undefined) throw new Error(`no root ${change.root}`);
  return root;
}

function isLate(checks: Checks, change: Change): boolean {
  if (change.late === true) return true;
  // A hash of what the step read decides by itself; see `sameContent`.
  return change.before !== undefined && lateIn(checks.since, change.root, change.path, change.before);
}

function unchanged(checks: Checks, change: Change, now: Fingerprint): boolean {
  return hasContent(checks, change, now) && now.mode === change.before?.mode;
}

/** The bytes are those that the step saw. */
function hasContent(checks: Checks, change: Change, now: Fingerprint): boolean {
  const { before } = change;
  if (before === undefined || isLate(checks, change)) return false;
  return sameOrReturned(now, before, `${change.root}/${change.path}`, checks.returned);
}

/** The index was rewritten, but says the same as when the step began: an editor ran `git status` (SANDBOX H15). */
function sameIndex(checks: Checks, change: Change, now: Fingerprint): boolean {
  const key = checks.since.indexKeys.get(`${change.root}/${change.path}`);
  if (key === undefined || now.type !== "file") return false;
  return key === checks.since.readIndex(targetIn(checks, change));
}

function checkMode(change: Change, now: Fingerprint | undefined): Part | undefined {
  const { before, after } = change;
  if (before === undefined || after === undefined)
    throw new Error(`change of mode of ${change.path} has no fingerprints`);
  if (now === undefined) throw new Clash("it was deleted meanwhile");
  if (now.type !== before.type) throw new Clash("it became something else meanwhile");
  if (now.mode === after.mode) return undefined;
  if (now.mode !== before.mode) throw new Clash("its mode was changed meanwhile");
  return { before: now, mode: { from: now.mode, to: after.mode } };
}

async function checkModify(
  checks: Checks,
  wanted: Wanted,
  now: Fingerprint | undefined,
  out: Drafts,
): Promise<Part | undefined> {
  const { change, without } = wanted;
  const { before } = change;
  const source = sourceOf(checks, change);
  if (before === undefined || source.kind !== "upper") throw new Error(`change of ${change.path} has no fingerprints`);
  if (now === undefined) throw new Clash("it was deleted meanwhile");
  if (now.type !== before.type) throw new Clash("it became something else meanwhile");
  const mode = mergedMode(before, source.mode, now);
  const same =
    hasContent(checks, change, now) ||
    (isGitIndex(rootAt(checks, change), change.path) && sameIndex(checks, change, now));
  if (same && without === undefined) return { before: now, source: { ...source, mode } };
  if (without === undefined && isSameFile(checks, change, now, source)) {
    return now.mode === mode ? undefined : { before: now, mode: { from: now.mode, to: mode } };
  }
  if (now.type !== "file") throw new Clash("it was changed meanwhile");
  return mergeInto(checks, wanted, { now, source, mode, same }, out);
}

/** Somebody else wrote the same bytes. */
function isSameFile(
  checks: Checks,
  change: Change,
  now: Fingerprint,
  source: Extract<Source, { kind: "upper" }>,
): boolean {
  if (now.type !== "file" || now.size !== source.print.size) return false;
  const { hash } = withHash(checks, targetIn(checks, change), now);
  return hash !== undefined && hash === withHash(checks, source.from, source.print).hash;
}

/** Mode bits that the step did not change stay as the person has them now. */
function mergedMode(before: Fingerprint, mode: number, now: Fingerprint): number {
  if (mode === before.mode) return now.mode;
  if (now.mode === before.mode || now.mode === mode) return mode;
  throw new Clash("its mode was changed meanwhile");
}

interface Sides {
  now: Fingerprint;
  source: Extract<Source, { kind: "upper" }>;
  mode: number;
  same: boolean;
}

async function mergeInto(checks: Checks, wanted: Wanted, sides: Sides, out: Drafts): Promise<Part | undefined> {
  const { change, without } = wanted;
  const target = targetIn(checks, change);
  const mine = readIfThere(checks.disk, target);
  const before = fingerprint(checks.disk, target);
  if (mine === undefined || before === undefined || before.ctime !== sides.now.ctime)
    throw new Clash("it is being changed right now");
  const base = sides.same ? mine : await checks.base(change);
  if (base === undefined) throw new Clash("it was changed meanwhile, and what it was before is not known");
  const ours = checks.disk.read(sides.source.from);
  const theirs = without === undefined ? ours : withoutHunks(base, ours, without);
  const bytes = sides.same ? theirs : mergeText(mine, base, theirs);
  if (bytes === undefined) throw new Clash("it was changed meanwhile in the same lines");
  if (hashOf(bytes) === hashOf(mine) && before.mode === sides.mode) return undefined;
  if (!sides.same) out.merged.push({ root: change.root, path: change.path });
  return { before, source: { kind: "bytes", bytes, mode: sides.mode, like: target } };
}
