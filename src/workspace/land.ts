import { baseOf } from "./base.ts";
import type { Change, ChangeSet, Landing, Left } from "./change.ts";
import { type Checks, checkChanges, type Drafts } from "./conflict.ts";
import type { Door } from "./door.ts";
import { type Entry, openJournal } from "./journal.ts";
import { hashedIn } from "./fingerprint.ts";
import { codeOf } from "./land-disk.ts";
import { dropPass, isoNow, liftFolders, MAX_SYNCS, runPass } from "./land-pass.ts";
import { fillSlots, inOrder, planSlots, type SlotOptions } from "./land-slots.ts";
import { addParents } from "./parents.ts";
import type { Pass } from "./plan.ts";
import { prune } from "./prune.ts";
import { returnedBy } from "./returned.ts";
import { selectChanges } from "./select.ts";
import { isPlain, readSince } from "./steps.ts";
import { joinFolders, movableFrom } from "./whole.ts";
import type { RawPath } from "../util/bytes.ts";
import { removeAll } from "./land-copy.ts";

/**
 * The one door (W3). Lands all of a change set but `left`, or nothing: conflicts found beforehand touch nothing, one found
 * halfway takes back what was done. The caller holds the locks of the set's roots and has recovered what was open.
 * A set that the journal knows as landed gives the same answer again.
 */
export async function land(door: Door, set: ChangeSet, left: readonly Left[]): Promise<Landing> {
  const known = landedBefore(door, set.operationId);
  if (known !== undefined) return known;
  const found = await findDrafts(door, set, left);
  if (found.conflicts.length > 0) return { ok: false, operationId: set.operationId, conflicts: found.conflicts };
  try {
    return await attempt(door, set, found, false);
  } catch (error) {
    // One file system by its number, two by its mounts: everything is staged beside its target instead.
    if (codeOf(error) !== "EXDEV") throw error;
    const again = await findDrafts(door, set, left);
    if (again.conflicts.length > 0) return { ok: false, operationId: set.operationId, conflicts: again.conflicts };
    return attempt(door, set, again, true);
  }
}

/** What the journal says of a step that landed, whatever became of it later. */
function landedBefore(door: Door, operationId: string): Landing | undefined {
  const entry = door.journal.find(operationId);
  const state = entry === undefined ? undefined : door.journal.read(entry);
  if (state?.end === undefined || (state.pass.number === 0 && !state.end.done)) return undefined;
  const { changes } = state.pass.kind === "land" ? state.end : state.pass;
  return { ok: true, operationId, changes, merged: state.pass.merged };
}

interface Found extends Drafts {
  changes: readonly Change[];
  /** Drafts whose files of the layer move as they are. */
  moves: (draft: { root: number; path: RawPath }) => boolean;
}

async function findDrafts(door: Door, set: ChangeSet, left: readonly Left[]): Promise<Found> {
  const { disk, roots } = door;
  const since = readSince(disk, set);
  const tried = door.journal.find(set.operationId);
  const becomes = set.changes.filter((c) => c.op === "type" && c.after?.type === "folder");
  const wanted = selectChanges(disk, roots, set, left);
  const plain = isPlain(since);
  const moves = movableFrom(set);
  const moving = new Set(wanted.flatMap(({ change: c }) => (moves(c) ? [`${c.root}/${c.path}`] : [])));
  const checks: Checks = {
    disk,
    roots,
    set,
    uid: door.uid,
    since,
    becomes: new Set(becomes.map((c) => `${c.root}/${c.path}`)),
    returned: returnedBy(tried === undefined ? undefined : door.journal.read(tried)),
    maxHashed: hashedIn(wanted.length),
    base: (change) => baseOf(door, set, change),
  };
  const found = await checkChanges(checks, await joinFolders(disk, set, wanted, (c) => plain || moves(c)));
  const drafts = inOrder(door, addParents(disk, roots, set, found.drafts));
  return {
    ...found,
    drafts,
    changes: wanted.map((w) => w.change),
    moves: ({ root, path }) => plain || moving.has(`${root}/${path}`),
  };
}

async function attempt(door: Door, set: ChangeSet, found: Found, apart: boolean): Promise<Landing> {
  const { journal } = door;
  const entry = journal.add(set.operationId);
  const roots = door.roots.map((r) => r.path);
  const options: SlotOptions = { entry, number: 0, roots, apart, moves: found.moves };
  const result = await perform(door, options, found, {
    kind: "land",
    changes: found.changes,
    merged: found.merged,
  });
  if (!result.done) return { ok: false, operationId: set.operationId, conflicts: result.conflicts };
  const note = await prune(door);
  const { changes } = result.end;
  return {
    ok: true,
    operationId: set.operationId,
    changes,
    merged: found.merged,
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * Plans, journals and runs one pass: slots are chosen; where they lie in the roots the plan is durable before they are filled;
 * it is durable in whole before anything of the person's is touched.
 */
export async function perform(
  given: Door,
  options: SlotOptions,
  found: { drafts: Drafts["drafts"] },
  of: Pick<Pass, "kind" | "changes" | "merged" | "group" | "listed">,
): Promise<Awaited<ReturnType<typeof runPass>>> {
  const door = sized(given, found.drafts);
  const { journal } = door;
  const { entry, number, roots } = options;
  const slots = planSlots(door, options, found.drafts);
  const draft: Pass = {
    v: 1,
    ...of,
    number,
    order: entry.order,
    ...(of.kind === "land" ? {} : { behind: journal.entries().at(-1)?.order ?? entry.order, turn: journal.nextTurn() }),
    operationId: entry.operationId,
    sessionId: door.sessionId,
    pid: door.pid,
    at: isoNow(door),
    roots,
    ready: false,
    ops: [],
    temps: slots.temps,
    lifts: slots.lifts,
  };
  const staged = slots.planned.map((p) => p.in).filter((p) => p !== undefined);
  let pass = draft;
  try {
    markOpen(door, draft, found.drafts);
    if (slots.temps.length > 0) {
      journal.writePass(entry, draft);
      liftFolders(door.disk, draft);
    }
    // A process that died before its plan was durable may have filled slots of this very number.
    await dropOwn(door, entry, number, staged);
    pass = { ...draft, ready: true, ops: await fillSlots(door, slots) };
    await syncFilled(door, pass);
    journal.writePass(entry, pass);
  } catch (error) {
    await dropPass({ door, journal, entry, pass: draft });
    await dropOwn(door, entry, number, staged);
    markEnded(door, draft);
    throw error;
  }
  try {
    return await runPass({ door, journal, entry, pass });
  } finally {
    if (journal.hasEnded(entry, pass)) markEnded(door, pass);
  }
}

/** Few files are made durable one by one, since the file system may hold much that is none of ours; many, or whole folders, with all of it. */
function sized(door: Door, drafts: Drafts["drafts"]): Door {
  const whole = drafts.some((d) => d.source?.kind === "upper" && d.source.print.type === "folder");
  return whole || drafts.length > MAX_SYNCS ? door : { ...door, syncFs: undefined };
}

async function syncFilled(door: Door, { roots, ops, temps }: Pass): Promise<void> {
  // What only goes away was filled by nobody.
  if (!ops.some((op) => op.kind === "move" && op.in !== undefined)) return;
  await door.syncFs?.(door.foldersDir);
  if (temps.length === 0) return;
  for (const root of new Set(ops.map((op) => op.root))) await door.syncFs?.(roots[root] ?? "/");
}

/** Every journal whose root may be touched knows of it before the plan is there. */
function markOpen(door: Door, pass: Pass, drafts: Drafts["drafts"]): void {
  const home = door.home;
  door.journal.markOpen(pass.operationId, home);
  for (const n of new Set(drafts.map((d) => d.root))) {
    const root = pass.roots[n];
    if (root !== undefined && root !== home)
      openJournal(door.state, door.foldersDir, root).markOpen(pass.operationId, home);
  }
}

/** Takes the marks of `markOpen` away. */
export function markEnded(door: Door, pass: Pass): void {
  for (const root of pass.roots) {
    if (root !== door.home) openJournal(door.state, door.foldersDir, root).markEnded(pass.operationId);
  }
  door.journal.markEnded(pass.operationId);
}

/** What was staged in slots of one pass goes, what the step brought stays. Slots of earlier passes hold what undo needs. */
async function dropOwn(door: Door, entry: Entry, number: number, staged: readonly RawPath[]): Promise<void> {
  const own = `${entry.folder}/slots/${number}.`;
  for (const path of staged) if (path.startsWith(own)) await removeAll(door.state, path);
}
