import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import { sameContent, sameInode } from "./fingerprint.ts";
import type { EntryState, Journal } from "./journal.ts";
import type { Disk } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import type { Pass } from "./plan.ts";
import { readList } from "./tree-list.ts";

/**
 * What a pass that was rolled back took away and put back: the same bytes, but with a new ctime, by which they would seem
 * changed. `<root>/<path>` → as it was, as it is.
 */
export type Returned = ReadonlyMap<string, { was: Fingerprint; is: Fingerprint }>;

/** What a step's newest pass put back. What anybody else changed meanwhile is not in it. */
export function returnedBy(state: EntryState | undefined): Returned {
  if (state?.end?.done !== false) return new Map();
  const { prints } = state.end;
  return new Map(
    state.pass.ops.flatMap((op, n) => {
      const [was, is] = [op.kind === "move" ? op.before : undefined, prints[n]];
      if (was === undefined || is === undefined || is === null || !sameInode(is, was)) return [];
      return [[`${op.root}/${op.path}`, { was, is }] as const];
    }),
  );
}

/** The content is that of `then`, as it was or as it was put back. */
export function sameOrReturned(now: Fingerprint, then: Fingerprint, key: string, returned: Returned): boolean {
  if (sameContent(now, then)) return true;
  const back = returned.get(key);
  return back !== undefined && sameContent(back.was, then) && sameContent(now, back.is);
}

/** The same bytes under two fingerprints; `at`: when the pass `by` (`passKey`) began that put them back. */
interface Turned {
  was: Fingerprint;
  is: Fingerprint;
  at: string;
  /** Its count among the turns of its journal: two may begin at one time. */
  turn?: number;
  by: string;
}

/** A pass among all. */
export function passKey({ operationId, number }: Pick<Pass, "operationId" | "number">): string {
  return `${operationId} ${number}`;
}

/** What undo and redo took away and put back, by absolute path, oldest first. */
export type Turns = ReadonlyMap<RawPath, readonly Turned[]>;

/**
 * All that undone, redone and rolled-back passes put back. A step below others finds its files as these put them back: a file too
 * large for a hash, and any file in a whole folder, seems changed then, by its ctime alone.
 */
export function turnsIn(journals: readonly Journal[], disk: Disk): Turns {
  const turns = new Map<RawPath, Turned[]>();
  for (const journal of journals) {
    for (const entry of journal.entries()) {
      let before: EntryState | undefined;
      const newest = journal.newest(entry);
      for (let number = 0; number <= newest; number++) {
        const state = journal.read(entry, number);
        if (state?.end === undefined) continue;
        if (!state.end.done) addTurn(turns, state, state);
        else if (before !== undefined) {
          addTurn(turns, before, state);
          addFolders(turns, disk, before, state);
        }
        if (state.end.done) before = state;
      }
    }
  }
  for (const list of turns.values())
    list.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : (a.turn ?? 0) - (b.turn ?? 0)));
  return turns;
}

function addTurn(turns: Map<RawPath, Turned[]>, before: EntryState, state: EntryState) {
  const taken = new Map<RawPath, Fingerprint>();
  for (const op of before.pass.ops) {
    const whole = op.before?.type === "folder" && (op.kind === "mode" || op.plain !== true);
    if (op.before !== undefined && !whole) taken.set(targetOf(before.pass.roots, op), op.before);
  }
  for (const [n, op] of state.pass.ops.entries()) {
    const target = targetOf(state.pass.roots, op);
    const [was, is] = [taken.get(target), state.end?.prints[n]];
    if (was === undefined || is === undefined || is === null || !putBack(is, was)) continue;
    turns.set(target, [...(turns.get(target) ?? []), { was, is, ...momentOf(state) }]);
  }
}

function momentOf({ pass }: EntryState): Pick<Turned, "at" | "turn" | "by"> {
  return { at: pass.at, turn: pass.turn ?? 0, by: passKey(pass) };
}

/** What lies in a whole folder that was copied away and copied back. */
function addFolders(turns: Map<RawPath, Turned[]>, disk: Disk, before: EntryState, state: EntryState): void {
  const taken = new Map(before.pass.ops.map((op) => [targetOf(before.pass.roots, op), op] as const));
  for (const [n, op] of state.pass.ops.entries()) {
    const target = targetOf(state.pass.roots, op);
    const from = taken.get(target);
    if (op.kind === "mode" || from?.kind !== "move" || from.store === undefined || from.before?.type !== "folder")
      continue;
    const [top, now] = [from.before, state.end?.prints[n]];
    const by = momentOf(state);
    if (now?.type === "folder" && now.mode === top.mode)
      turns.set(target, [...(turns.get(target) ?? []), { was: top, is: now, ...by }]);
    const was = readList(disk, `${from.store}.was`);
    for (const [path, is] of readList(disk, `${state.entry.folder}/slots/${state.pass.number}.${n}.is`)) {
      const then = was.get(path);
      if (then === undefined || then.type !== is.type || (is.type === "file" && !putBack(is, then))) continue;
      const at = `${target}/${path}`;
      turns.set(at, [...(turns.get(at) ?? []), { was: then, is, ...by }]);
    }
  }
}

/**
 * The same file moved back, or copied back where the state folder is on another file system (which keeps times to the microsecond); a
 * folder that holds others' entries is made anew.
 */
function putBack(is: Fingerprint, was: Fingerprint): boolean {
  if (sameInode(is, was)) return true;
  if (is.type === "folder") return was.type === "folder" && is.mode === was.mode;
  if (is.type === "link") return was.type === "link" && is.target === was.target;
  const apart = BigInt(is.mtime) - BigInt(was.mtime);
  return is.type === was.type && is.mode === was.mode && is.size === was.size && apart > -10_000n && apart < 10_000n;
}

/** Whether what lies at a path is what lay there `then`, put back by undo and redo any number of times since. */
export function sameThroughTurns(now: Fingerprint, then: Fingerprint, path: RawPath, turns: Turns): boolean {
  const links = turns.get(path) ?? [];
  const seen = new Set<Fingerprint>([now]);
  for (const print of seen) {
    if (print.mode === then.mode && sameContent(print, then)) return true;
    for (const { was, is } of links) if (print.mode === is.mode && sameContent(print, is)) seen.add(was);
  }
  return false;
}
