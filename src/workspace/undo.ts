import type { Root } from "../events/event.ts";
import type { Conflict, Fingerprint } from "./change.ts";
import type { Draft } from "./conflict.ts";
import type { Door } from "./door.ts";
import { fingerprint, treePrint } from "./fingerprint.ts";
import { indexKey, isGitIndex, isGitObject } from "./git-unit.ts";
import type { EntryState, Journal } from "./journal.ts";
import { perform } from "./land.ts";
import { codeOf } from "./land-disk.ts";
import { targetOf } from "./land-move.ts";
import { blocked, parentsOf } from "./parents.ts";
import type { MoveOp, Op, Pass, PassEnd } from "./plan.ts";
import { type Returned, returnedBy, sameOrReturned, sameThroughTurns, type Turns, turnsIn } from "./returned.ts";
import type { UndoReport } from "./workspace.ts";

/** A pass that ended well: what the folder was made of. */
interface Done {
  state: EntryState;
  end: PassEnd;
}

/** The newest pass of a step that ended well. Throws where there is none. */
export function lastDone(journal: Journal, operationId: string): Done {
  const entry = journal.find(operationId);
  if (entry === undefined) throw new Error(`no step ${operationId} in the journal`);
  for (let number = journal.read(entry)?.pass.number ?? -1; number >= 0; number--) {
    const state = journal.read(entry, number);
    if (state?.end?.done === true) return { state, end: state.end };
  }
  throw new Error(`step ${operationId} never landed`);
}

/**
 * Takes a landed step back ("undo") or brings it back ("redo"), through the same door as a landing: all or nothing, never over
 * what changed since. Done already is fine. The caller holds the locks and has recovered what was open.
 */
export async function turn(door: Door, operationId: string, kind: "undo" | "redo"): Promise<UndoReport> {
  const { state, end } = lastDone(door.journal, operationId);
  const { pass, entry } = state;
  const paths = end.changes.map(({ root, path }) => ({ root, path }));
  const isUndone = pass.kind === "undo";
  if (isUndone === (kind === "undo")) return { ok: true, operationId, paths, conflicts: [] };
  const attempt = async (apart: boolean): Promise<UndoReport> => {
    const newest = door.journal.read(entry);
    let turns: Turns | undefined;
    const turned = (): Turns => (turns ??= turnsIn(door.journal));
    const plan = await planTurn({ door, pass, returned: returnedBy(newest), turned }, end);
    if (plan.conflicts.length > 0) return { ok: false, operationId, paths: [], conflicts: plan.conflicts };
    const options = { entry, number: (newest?.pass.number ?? 0) + 1, roots: pass.roots, apart, copySmall: false };
    const result = await perform(door, options, plan, { kind, changes: end.changes, merged: pass.merged });
    if (!result.done) return { ok: false, operationId, paths: [], conflicts: result.conflicts };
    return { ok: true, operationId, paths, conflicts: [] };
  };
  try {
    return await attempt(false);
  } catch (error) {
    // As in a landing: one file system by its number, two by its mounts.
    if (codeOf(error) !== "EXDEV") throw error;
    return attempt(true);
  }
}

/** The pass that is taken back. */
interface Turning {
  door: Door;
  pass: Pass;
  returned: Returned;
  /** What other steps put back; read from the whole journal, so only where needed. */
  turned(): Turns;
}

interface Plan {
  drafts: Draft[];
  conflicts: Conflict[];
}

async function planTurn(turning: Turning, end: PassEnd): Promise<Plan> {
  const { door, pass } = turning;
  const plan: Plan = { drafts: [], conflicts: [] };
  const folders = new Set(pass.ops.filter((op) => op.kind === "move" && op.before?.type === "folder").map(keyOf));
  const moved = new Set(pass.ops.filter((op) => op.kind === "move").map(keyOf));
  for (const [n, op] of [...pass.ops.entries()].toReversed()) {
    // The mode of a folder that the pass itself brought comes and goes with the folder.
    if (op.kind === "mode" && moved.has(keyOf(op))) continue;
    const root = rootOf(door, pass, op);
    const comes = (parent: string): boolean => folders.has(`${op.root}/${parent}`);
    const way = blocked(door.disk, root, op.path, comes);
    // Below what only becomes a folder again nothing is there yet, wherever a link of that name leads.
    const hidden = parentsOf(op.path).some(comes);
    const now = hidden ? undefined : fingerprint(door.disk, targetOf(pass.roots, op));
    const found = way ?? (await turnOp(turning, op, now, end.prints[n] ?? null));
    if (typeof found === "string") plan.conflicts.push({ root: op.root, path: op.path, why: found });
    else if (found !== undefined) plan.drafts.push({ root: op.root, path: op.path, ...found });
  }
  return plan;
}

function keyOf(op: Op): string {
  return `${op.root}/${op.path}`;
}

function rootOf(door: Door, pass: Pass, op: Op): Root {
  const path = pass.roots[op.root] ?? "";
  return door.roots.find((root) => root.path === path) ?? { path, kind: "folder" };
}

type Part = Omit<Draft, "root" | "path">;

/** What takes one op back; a string says why it can't be; undefined: nothing to do. */
async function turnOp(
  turning: Turning,
  op: Op,
  now: Fingerprint | undefined,
  then: Fingerprint | null,
): Promise<Part | string | undefined> {
  const { door, pass } = turning;
  if (op.kind === "mode") {
    if (now === undefined || now.type !== op.type) return "it is not there any more";
    return now.mode === op.to ? { before: now, mode: { from: op.to, to: op.from } } : "its mode was changed since";
  }
  const root = rootOf(door, pass, op);
  if (op.before === undefined && isGitObject(root, op.path)) return undefined;
  const source = sourceOf(door, op);
  if (op.after === undefined) return bringBack(op, now, source);
  if (now === undefined) return op.before === undefined ? undefined : "it was deleted since";
  const before = await asLanded(turning, op, now, then);
  if (before === undefined) return "it was changed since";
  if (op.before === undefined) return { before, plain: op.plain === true };
  return source === undefined ? GONE : { before, source, plain: op.plain === true };
}

const GONE = "what it was before is no longer kept";

/** What was deleted comes to a free name. */
function bringBack(op: MoveOp, now: Fingerprint | undefined, source: Draft["source"]): Part | string | undefined {
  // A folder that was not empty stayed.
  if (op.plain === true && now?.type === "folder") return undefined;
  if (now !== undefined) return "somebody else made it since";
  return source === undefined ? GONE : { source, plain: op.plain === true };
}

function sourceOf(door: Door, op: MoveOp): Draft["source"] {
  const from = op.store ?? op.out;
  const print = from === undefined ? undefined : fingerprint(door.disk, from);
  if (from === undefined || print === undefined) return undefined;
  // Its children come after it, whatever its mode.
  if (op.plain === true && print.type === "folder") return { kind: "folder", mode: print.mode };
  return { kind: "upper", from, print, mode: print.mode };
}

/** What lies there, if it is what the pass left there. */
async function asLanded(
  turning: Turning,
  op: MoveOp,
  now: Fingerprint,
  then: Fingerprint | null,
): Promise<Fingerprint | undefined> {
  const { door, pass, returned } = turning;
  if (then === null || now.type !== then.type) return undefined;
  const target = targetOf(pass.roots, op);
  if (now.type === "folder") {
    if (op.plain === true) return now;
    const { hash } = await treePrint(door.disk, target);
    return hash === then.hash ? { ...now, hash } : undefined;
  }
  if (now.mode === then.mode && sameOrReturned(now, then, keyOf(op), returned)) return now;
  if (now.type === "file" && sameThroughTurns(now, then, target, turning.turned())) return now;
  // Another time in it, the same entries: an editor ran `git status`.
  const isIndex = op.indexKey !== undefined && now.type === "file" && isGitIndex(rootOf(door, pass, op), op.path);
  return isIndex && indexKey(door.disk.read(target)) === op.indexKey ? now : undefined;
}
