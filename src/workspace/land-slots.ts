import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import type { Draft, Source } from "./conflict.ts";
import type { Door } from "./door.ts";
import { EMPTY_TREE, fingerprint, hashedIn, SMALL_FILE, treePrint } from "./fingerprint.ts";
import { gitRank, indexKey, isGitIndex } from "./git-unit.ts";
import type { Entry } from "./journal.ts";
import { copier, type Copier } from "./land-copy.ts";
import { secondName, targetOf } from "./land-move.ts";
import { parentsOf } from "./parents.ts";
import type { MoveOp, Op } from "./plan.ts";

/** Where each op's old and new content lie while it is moved; nothing is there yet. */
export interface Slots {
  planned: readonly { draft: Draft; in?: RawPath; out?: RawPath; store?: RawPath }[];
  /** Temporary names inside the roots. */
  temps: RawPath[];
  lifts: { root: number; path: RawPath; mode: number }[];
}

export interface SlotOptions {
  entry: Entry;
  number: number;
  roots: readonly string[];
  /** Treat every root as one on another file system: a rename said so. */
  apart: boolean;
  /** Files of the layer that move as they are; other small ones are copied, which leaves the overlay's own attributes behind. */
  moves: (draft: Draft) => boolean;
}

/** Order of a landing: what goes, what comes (folders first), git's own order, nothing before the folder it lies in. */
export function inOrder(door: Door, drafts: readonly Draft[]): Draft[] {
  const ranks = new Map<string, number>();
  const key = (of: { root: number; path: RawPath }): string => `${of.root}/${of.path}`;
  for (const draft of drafts) {
    const root = door.roots[draft.root];
    if (root === undefined) throw new Error(`no root ${draft.root}`);
    const newFolder = draft.before === undefined && draft.source !== undefined && isFolder(draft.source);
    // Modes come last, and what lies below waits for no mode.
    if (draft.mode !== undefined) continue;
    ranks.set(key(draft), newFolder ? 1 : gitRank(root, draft.path, draft.source === undefined));
  }
  const rank = (draft: Draft): number => {
    if (draft.mode !== undefined) return 7;
    const above = parentsOf(draft.path).map((path) => ranks.get(key({ root: draft.root, path })) ?? 0);
    const own = ranks.get(key(draft)) ?? 0;
    return draft.source === undefined ? own : Math.max(own, ...above);
  };
  const sorted = drafts.map((draft) => ({ draft, rank: rank(draft), goes: draft.source === undefined }));
  sorted.sort((a, b) => {
    if (a.rank !== b.rank || a.goes !== b.goes) return a.rank - b.rank || Number(b.goes) - Number(a.goes);
    const byPath = key(a.draft) < key(b.draft) ? -1 : 1;
    // What goes, and folders' modes, from the inside out.
    return a.goes ? -byPath : byPath;
  });
  return sorted.map((s) => s.draft);
}

function isFolder(source: Source): boolean {
  return source.kind === "folder" || (source.kind === "upper" && source.print.type === "folder");
}

/** Gives every draft its slots: in the journal, or beside its target where that lies on another file system. */
export function planSlots(door: Door, options: SlotOptions, drafts: readonly Draft[]): Slots {
  const { disk } = door;
  const { entry, number, roots } = options;
  const device = disk.lstat(entry.folder)?.dev;
  const slots: Slots = { planned: [], temps: [], lifts: [] };
  const leaving = new Set(
    drafts.filter((d) => d.before !== undefined && d.mode === undefined).map((d) => `${d.root}/${d.path}`),
  );
  const lifted = new Set<string>();

  const homes = new Map<string, RawPath>();
  /** The nearest folder above a target that is there and stays, looked for once a folder; it is written into, and so is the target's own. */
  const home = (draft: Draft): RawPath => {
    const parent = parentsOf(draft.path).at(-1) ?? "";
    const key = `${draft.root}/${parent}`;
    const found = homes.get(key);
    if (found !== undefined) return found;
    const folder = nearest(draft);
    homes.set(key, folder);
    liftTo(draft.root, folder);
    if (disk.lstat(targetOf(roots, { root: draft.root, path: parent }))?.isDirectory() === true)
      liftTo(draft.root, parent);
    return folder;
  };
  const nearest = (draft: Draft): RawPath => {
    const stays = (path: RawPath): boolean =>
      !leaving.has(`${draft.root}/${path}`) &&
      disk.lstat(targetOf(roots, { root: draft.root, path }))?.isDirectory() === true;
    const parents = parentsOf(draft.path);
    const gone = parents.findIndex((path) => !stays(path));
    return (gone < 0 ? parents.at(-1) : parents[gone - 1]) ?? "";
  };
  const liftTo = (root: number, path: RawPath, last = 0o777): void => {
    const mode = Number(disk.lstat(targetOf(roots, { root, path }))?.mode ?? 0o700) & 0o7777;
    if (door.uid === 0 || (mode & last & 0o300) === 0o300 || lifted.has(`${root}/${path}`)) return;
    lifted.add(`${root}/${path}`);
    slots.lifts.push({ root, path, mode });
  };

  slots.planned = drafts.map((draft, n) => {
    if (draft.mode !== undefined) {
      // What is moved in a folder is moved before it loses its w bit, or after it got it.
      if (draft.before?.type === "folder") liftTo(draft.root, draft.path, draft.mode.to);
      return { draft };
    }
    const folder = home(draft);
    const at = targetOf(roots, { root: draft.root, path: folder });
    const apart = options.apart || disk.lstat(at)?.dev !== device;
    const temp = (m: number): RawPath => `${at}/.understudy-${entry.operationId}-${m}`;
    const own = `${entry.folder}/slots/${number}.${n}`;
    const fresh = apart ? temp(2 * n) : `${own}-in`;
    const out = apart ? temp(2 * n + 1) : own;
    if (apart) slots.temps.push(fresh, out, secondName(out), secondName(fresh));
    const source = draft.source;
    return {
      draft,
      ...(source === undefined ? {} : { in: !apart && movesItself(draft, source, options) ? source.from : fresh }),
      ...(draft.before === undefined ? {} : { out, ...(apart ? { store: own } : {}) }),
    };
  });
  return slots;
}

function movesItself(
  draft: Draft,
  source: Source,
  { moves }: SlotOptions,
): source is Extract<Source, { kind: "upper" }> {
  if (source.kind !== "upper" || source.mode !== source.print.mode) return false;
  return source.print.type === "folder" || source.print.size > SMALL_FILE || moves(draft);
}

/** Fills the `in` slots and gives the ops, with fingerprints of what was put there. */
export async function fillSlots(door: Door, slots: Slots): Promise<Op[]> {
  const ops: Op[] = [];
  const late: Op[] = [];
  const copies = copier(door.disk, door.syncFs === undefined);
  const maxHashed = hashedIn(slots.planned.length);
  for (const { draft, ...slot } of slots.planned) {
    const { root, path } = draft;
    if (draft.mode !== undefined) {
      const before = draft.before?.type === "file" ? { before: draft.before } : {};
      ops.push({ kind: "mode", root, path, type: draft.before?.type ?? "file", ...draft.mode, ...before });
      continue;
    }
    const op: MoveOp = { kind: "move", root, path, ...slot };
    if (draft.before !== undefined) op.before = draft.before;
    if (draft.plain === true) op.plain = true;
    if (draft.bytes !== undefined) op.bytes = draft.bytes;
    if (draft.source !== undefined && slot.in !== undefined) {
      const lifted = await fill(door, copies, draft.source, slot.in);
      op.after = await printOf(door, draft.source, slot.in, maxHashed);
      if (draft.source.kind === "folder") op.plain = true;
      const key = isIndex(door, draft) ? indexKey(door.disk.read(slot.in)) : undefined;
      if (key !== undefined) op.indexKey = key;
      if (lifted !== undefined) late.unshift({ kind: "mode", root, path, type: "folder", ...lifted });
    }
    ops.push(op);
  }
  return [...ops, ...late];
}

function isIndex(door: Door, draft: Draft): boolean {
  const root = door.roots[draft.root];
  return root !== undefined && isGitIndex(root, draft.path) && draft.source !== undefined && !isFolder(draft.source);
}

async function printOf(door: Door, source: Source, path: RawPath, maxHashed: number): Promise<Fingerprint> {
  const print = fingerprint(door.disk, path, maxHashed);
  if (print === undefined) throw new Error(`${path} is not there`);
  if (print.type !== "folder") return print;
  if (source.kind === "folder") return { ...print, hash: EMPTY_TREE };
  const known = source.kind === "upper" && source.from === path ? source.print.hash : undefined;
  return { ...print, hash: known ?? (await treePrint(door.disk, path)).hash };
}

/** A folder without w bit is made with it, since its children come later; the returned mode is set at the end. */
async function fill(
  door: Door,
  copies: Copier,
  source: Source,
  to: RawPath,
): Promise<{ from: number; to: number } | undefined> {
  const { disk } = door;
  if (source.kind === "folder") {
    const mode = source.mode | 0o700;
    disk.mkdir(to, 0o700);
    disk.chmod(to, mode);
    return mode === source.mode ? undefined : { from: mode, to: source.mode };
  }
  if (source.kind === "bytes") {
    disk.write(to, source.bytes, 0o600);
    const like = disk.lstat(source.like);
    if (like !== undefined && door.uid === 0) disk.chown(to, Number(like.uid), Number(like.gid));
    disk.chmod(to, source.mode);
    if (door.syncFs === undefined) disk.sync(to);
    return undefined;
  }
  if (to === source.from) {
    if (door.syncFs === undefined && source.print.type === "file" && source.print.size > 0) syncIfReadable(door, to);
    return undefined;
  }
  await copies.copy(source.from, to);
  if (source.mode !== source.print.mode) disk.chmod(to, source.mode);
  return undefined;
}

function syncIfReadable(door: Door, path: RawPath): void {
  if (door.uid === 0 || (Number(door.disk.lstat(path)?.mode ?? 0) & 0o400) !== 0) door.disk.sync(path);
}

/** Raw absolute paths of the roots' own folders of some ops, for what is made durable at the end. */
export function foldersOf(roots: readonly string[], ops: readonly Op[]): Set<RawPath> {
  return new Set(ops.map((op) => targetOf(roots, { root: op.root, path: parentsOf(op.path).at(-1) ?? "" })));
}
