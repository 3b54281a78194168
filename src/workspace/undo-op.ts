import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Conflict, Fingerprint } from "./change.ts";
import { closedBy } from "./closed.ts";
import type { Draft } from "./conflict.ts";
import type { Door } from "./door.ts";
import { fingerprint, sameContent, treePrint } from "./fingerprint.ts";
import { indexKey, isGitIndex, isGitObject, isInGit } from "./git-unit.ts";
import type { StepAt } from "./journal-steps.ts";
import { targetOf } from "./land-move.ts";
import { mergeText } from "./merge.ts";
import { blocked, parentsOf } from "./parents.ts";
import type { MoveOp, Op, Pass } from "./plan.ts";
import { type Returned, returnedBy, sameOrReturned, passKey, sameThroughTurns, type Turns } from "./returned.ts";
import type { Sight } from "./undo-sight.ts";

/** A step on its way back (or forth): its newest pass, and what it finds. */
export interface Turning {
  step: StepAt;
  sight: Sight;
  /** Both sides' lines are put together where what the step made was changed since. */
  merge: boolean;
  /** What other steps put back; read from the whole journal, so only where needed. */
  turned(): Turns;
  /** Bytes of what once lay at a path (raw absolute), if the journal still keeps them. */
  kept(path: RawPath, print: Fingerprint): RawPath | undefined;
}

export interface TurnPlan {
  drafts: Draft[];
  conflicts: Conflict[];
  merged: { root: number; path: RawPath }[];
}

type Part = Omit<Draft, "root" | "path">;

/** With what is asked for op by op, found once. */
interface Turned extends Turning {
  /** What an earlier try of this turn took away and put back. */
  returned(): Returned;
}

/** Everything that takes a step's newest pass back; reads alone. Roots are counted as that pass counts them. */
export async function planTurn(given: Turning): Promise<TurnPlan> {
  const { step, sight } = given;
  let back: Returned | undefined;
  const returned = (): Returned => (back ??= returnedBy(step.door.journal.read(step.state.entry)));
  const turning: Turned = { ...given, returned };
  const { pass } = step.state;
  const plan: TurnPlan = { drafts: [], conflicts: [], merged: [] };
  const folders = new Set(pass.ops.filter((op) => op.kind === "move" && op.before?.type === "folder").map(keyOf));
  const moved = new Set(pass.ops.filter((op) => op.kind === "move").map(keyOf));
  for (const [n, op] of [...pass.ops.entries()].toReversed()) {
    // The mode of a folder that the pass itself brought comes and goes with the folder.
    if (op.kind === "mode" && moved.has(keyOf(op))) continue;
    const { way, now, then, found } = await seeOp(turning, op, n, folders).catch(closedTo);
    if (found === undefined) continue;
    const at = { root: op.root, path: op.path };
    if (typeof found !== "string") {
      plan.drafts.push({ ...at, ...found });
      continue;
    }
    const both =
      turning.merge && way === undefined && op.kind === "move" ? bothSides(turning, op, now, then) : undefined;
    if (both === undefined) plan.conflicts.push({ ...at, why: found });
    else plan.drafts.push({ ...at, ...both });
    if (both !== undefined) plan.merged.push(at);
  }
  plan.drafts = withParents(pass, plan.drafts, sight);
  return plan;
}

interface Seen {
  /** Why it can't be reached. */
  way?: string | undefined;
  now?: Fingerprint | undefined;
  then: Fingerprint | null;
  /** What takes it back, or why that can't be. */
  found?: Part | string | undefined;
}

/** A folder that the person closed to themselves stops the turn, and is named. */
function closedTo(error: unknown): Seen {
  const way = closedBy(error);
  if (way === undefined) throw error;
  return { way, then: null, found: way };
}

async function seeOp(turning: Turned, op: Op, n: number, folders: ReadonlySet<string>): Promise<Seen> {
  const { step, sight } = turning;
  const { pass } = step.state;
  const root = rootOf(step.door, pass, op);
  const comes = (parent: string): boolean =>
    folders.has(`${op.root}/${parent}`) || sight.isMade(targetOf(pass.roots, { root: op.root, path: parent }));
  const way = blocked(step.door.disk, root, op.path, comes);
  // Below what only becomes a folder again nothing is there yet, wherever a link of that name leads.
  const hidden = parentsOf(op.path).some(
    (parent) =>
      folders.has(`${op.root}/${parent}`) && !isFolder(sight, targetOf(pass.roots, { root: op.root, path: parent })),
  );
  const now = hidden ? undefined : sight.at(targetOf(pass.roots, op))?.print;
  const then = step.end.prints[n] ?? null;
  return { way, now, then, found: way ?? (await turnOp(turning, op, now, then)) };
}

/** A folder that is gone meanwhile comes again with what lies in it, ahead of it. */
function withParents(pass: Pass, drafts: readonly Draft[], sight: Sight): Draft[] {
  const brought = new Set(drafts.filter((d) => d.source !== undefined).map((d) => `${d.root}/${d.path}`));
  return drafts.flatMap((draft) => {
    if (draft.source === undefined) return [draft];
    const missing = parentsOf(draft.path).filter((path) => {
      const at = { root: draft.root, path };
      return !brought.has(`${draft.root}/${path}`) && sight.at(targetOf(pass.roots, at)) === undefined;
    });
    for (const path of missing) brought.add(`${draft.root}/${path}`);
    const source = { kind: "folder", mode: 0o755 } as const;
    return [...missing.map((path) => ({ root: draft.root, path, source, plain: true })), draft];
  });
}

function isFolder(sight: Sight, path: RawPath): boolean {
  return sight.at(path)?.print.type === "folder";
}

function keyOf(op: Op): string {
  return `${op.root}/${op.path}`;
}

function rootOf(door: Door, pass: Pass, op: Op): Root {
  const path = pass.roots[op.root] ?? "";
  return door.roots.find((root) => root.path === path) ?? { path, kind: "folder" };
}

/** What takes one op back; a string says why it can't be; undefined: nothing to do. */
async function turnOp(
  turning: Turned,
  op: Op,
  now: Fingerprint | undefined,
  then: Fingerprint | null,
): Promise<Part | string | undefined> {
  const { door, state } = turning.step;
  if (op.kind === "mode") {
    if (now === undefined || now.type !== op.type) return "it is not there any more";
    if (now.mode === op.from) return undefined;
    return now.mode === op.to ? { before: now, mode: { from: op.to, to: op.from } } : "its mode was changed since";
  }
  const root = rootOf(door, state.pass, op);
  if (op.before === undefined && isGitObject(root, op.path)) return undefined;
  const source = sourceOf(door, op);
  if (op.after === undefined) return bringBack(op, now, source);
  // A hook took it away behind the landing, which is the step's own doing (H6).
  if (now === undefined && then === null) return op.before === undefined ? undefined : bringBack(op, now, source);
  if (now === undefined) return op.before === undefined ? undefined : "it was deleted since";
  const landed = await asLanded(turning, op, now, then);
  if (landed === undefined) return "it was changed since";
  if (op.before === undefined) return { ...landed, plain: op.plain === true };
  return source === undefined ? GONE : { ...landed, source, plain: op.plain === true };
}

const GONE = "what it was before is no longer kept";

/** What was deleted comes to a free name. */
function bringBack(op: MoveOp, now: Fingerprint | undefined, source: Draft["source"]): Part | string | undefined {
  // A folder that was not empty stayed.
  if (op.plain === true && now?.type === "folder") return undefined;
  if (now !== undefined) return "somebody else made it since";
  return source === undefined ? GONE : { source, plain: op.plain === true };
}

/** Where the pass put what it took away. */
export function slotOf(op: MoveOp): RawPath | undefined {
  return op.store ?? op.out;
}

function sourceOf(door: Door, op: MoveOp): Draft["source"] {
  const from = slotOf(op);
  const print = from === undefined ? undefined : fingerprint(door.disk, from);
  if (from === undefined || print === undefined) return undefined;
  // Its children come after it, whatever its mode.
  if (op.plain === true && print.type === "folder") return { kind: "folder", mode: print.mode };
  return { kind: "upper", from, print, mode: print.mode };
}

type Taken = Pick<Draft, "before" | "bytes">;

/** What lies there, if it is what the pass left there. */
async function asLanded(
  turning: Turned,
  op: MoveOp,
  now: Fingerprint,
  then: Fingerprint | null,
): Promise<Taken | undefined> {
  const { door, state } = turning.step;
  if (then === null || now.type !== then.type) return undefined;
  const target = targetOf(state.pass.roots, op);
  if (now.type === "folder") return op.plain === true ? { before: now } : asFolder(turning, target, now, then);
  if (now.mode === then.mode && (sameContent(now, then) || sameOrReturned(now, then, keyOf(op), turning.returned())))
    return { before: now };
  if (sameThroughTurns(now, then, target, turning.turned())) return { before: now };
  // Another time in it, the same entries: an editor ran `git status`.
  const real = turning.sight.at(target)?.real;
  const isIndex = op.indexKey !== undefined && now.type === "file" && isGitIndex(rootOf(door, state.pass, op), op.path);
  return isIndex && real !== undefined && indexKey(door.disk.read(real)) === op.indexKey ? { before: now } : undefined;
}

/** A whole folder, if nothing in it is other than the pass left it; what undo and redo took away and put back meanwhile is the same. */
async function asFolder(
  turning: Turning,
  target: RawPath,
  now: Fingerprint,
  then: Fingerprint,
): Promise<Taken | undefined> {
  const { step, sight } = turning;
  const seen = sight.at(target);
  if (seen?.real === undefined) return undefined;
  if (seen.real !== target && now.hash === then.hash && !sight.touched(target)) return { before: now };
  const { disk } = step.door;
  const as = (path: RawPath, print: Fingerprint): Fingerprint =>
    asOf(print, `${target}/${path}`, step.state.pass, turning.turned());
  if (seen.real !== target || sight.touched(target))
    return sight.hashOf(target, as) === then.hash ? { before: now } : undefined;
  const { hash, occupied: bytes } = await treePrint(disk, seen.real);
  if (hash === then.hash) return { before: { ...now, hash }, bytes };
  const was = await treePrint(disk, seen.real, undefined, as);
  return was.hash === then.hash ? { before: { ...now, hash }, bytes } : undefined;
}

/** What an entry was when a pass ended, if only undo and redo moved it since. */
function asOf(print: Fingerprint, path: RawPath, pass: Pass, turns: Turns): Fingerprint {
  let found = print;
  for (const { was, is, at, by } of (turns.get(path) ?? []).toReversed()) {
    const same = is.ino === found.ino && is.mode === found.mode && (is.type === "folder" || is.ctime === found.ctime);
    if (same && at >= pass.at && by !== passKey(pass)) found = was;
  }
  return found;
}

/** The person's lines and the old ones together; undefined where they can't be. What git keeps is never put together from two sides. */
function bothSides(
  turning: Turning,
  op: MoveOp,
  now: Fingerprint | undefined,
  then: Fingerprint | null,
): Part | undefined {
  const { door, state } = turning.step;
  const target = targetOf(state.pass.roots, op);
  const seen = turning.sight.at(target);
  const [mine, kept] = [slotOf(op), then === null ? undefined : turning.kept(target, then)];
  if (mine === undefined || kept === undefined || seen?.real === undefined || then === null) return undefined;
  if (now?.type !== "file" || then.type !== "file" || op.before?.type !== "file") return undefined;
  if (isInGit(rootOf(door, state.pass, op), op.path)) return undefined;
  const bytes = mergeText(door.disk.read(seen.real), door.disk.read(kept), door.disk.read(mine));
  if (bytes === undefined) return undefined;
  const mode = now.mode === then.mode ? op.before.mode : now.mode;
  return { before: now, source: { kind: "bytes", bytes, mode, like: target } };
}
