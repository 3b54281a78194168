import { z } from "zod";
import { type RawPath, toRaw } from "../util/bytes.ts";
import type { Conflict } from "./change.ts";
import type { Door } from "./door.ts";
import { checkId, openJournal, parsed, writeWhole } from "./journal.ts";
import { doorAt, lastDone, type StepAt } from "./journal-steps.ts";
import { isoNow } from "./land-pass.ts";
import { turn } from "./undo.ts";
import type { TurnKind, UndoReport } from "./workspace.ts";

const SavedGroup = z.object({
  v: z.literal(1),
  id: z.string(),
  kind: z.enum(["undo", "redo"]),
  merge: z.boolean(),
  at: z.string(),
  sessionId: z.string(),
  pid: z.number(),
  /** Root in whose journal this plan lies. */
  home: z.string(),
  /** In the order in which they are turned, each with the root in whose journal it lies. */
  steps: z.array(z.object({ operationId: z.string(), home: z.string() })),
});

/** The plan of several steps that are undone (redone) as one, durable before the first of them is touched. */
export type Group = z.infer<typeof SavedGroup>;

function fileOf(door: Door, id: string): RawPath {
  return `${door.journal.folder}/group-${checkId(id)}.json`;
}

/** The plan with this id in the door's own journal. */
export function readGroup(door: Door, id: string): Group | undefined {
  const path = fileOf(door, id);
  return door.state.lstat(path) === undefined ? undefined : parsed(door.state, path, SavedGroup);
}

/** All roots that the steps of a plan may touch, and those whose journals hold them. */
export function rootsOf(door: Door, group: Pick<Group, "home" | "steps">): string[] {
  const roots = group.steps.flatMap(({ operationId, home }) => {
    const { journal } = doorAt(door, home);
    // A step whose journal was moved away can be neither undone nor in the way.
    if (journal.find(operationId) === undefined) return [home];
    return [home, ...lastDone(journal, operationId).state.pass.roots];
  });
  return [...new Set([group.home, ...roots])];
}

/**
 * Turns several steps, given in their order, all or none: one that can't be is the end of it, and those before it are brought back.
 * The caller holds the locks of all their roots.
 */
export async function turnTogether(
  door: Door,
  id: string,
  steps: readonly StepAt[],
  { kind, merge = false }: { kind: TurnKind; merge?: boolean },
): Promise<UndoReport> {
  const group: Group = {
    v: 1,
    id,
    kind,
    merge,
    at: isoNow(door),
    sessionId: door.sessionId,
    pid: door.pid,
    home: door.home,
    steps: steps.map((step) => ({ operationId: step.operationId, home: step.door.home })),
  };
  for (const root of rootsOf(door, group)) openJournal(door.state, door.foldersDir, root).markOpen(id, door.home);
  writeWhole(door.state, fileOf(door, id), JSON.stringify(group));
  return runGroup(door, group);
}

/** Brings a plan to its end from wherever it stands, or takes it back where a step can't be turned. A failure of the machine leaves it to the next recovery. */
export async function runGroup(door: Door, group: Group): Promise<UndoReport> {
  const report: UndoReport = { ok: true, operationId: group.id, paths: [], conflicts: [], merged: [] };
  const paths = new Map<string, { root: number; path: RawPath }>();
  const merged: { root: number; path: RawPath }[] = [];
  for (const { operationId, home } of group.steps) {
    const at = doorAt(door, home);
    if (at.journal.find(operationId) === undefined) continue;
    const found = await turn(at, operationId, group.kind, { merge: group.merge, group: group.id });
    if (!found.ok) {
      const left = await backGroup(door, group);
      return { ...report, ok: false, conflicts: [...counted(door, at, operationId, found.conflicts), ...left] };
    }
    for (const path of counted(door, at, operationId, found.paths)) paths.set(`${path.root}/${path.path}`, path);
    merged.push(...counted(door, at, operationId, found.merged));
  }
  endGroup(door, group);
  return { ...report, paths: [...paths.values()], merged };
}

/** Brings back what of a plan was done already; tells what the person changed in that moment and stays as it is. */
export async function backGroup(door: Door, group: Group): Promise<Conflict[]> {
  const left: Conflict[] = [];
  for (const { operationId, home } of group.steps.toReversed()) {
    const at = doorAt(door, home);
    if (at.journal.find(operationId) === undefined) continue;
    const back = await turn(at, operationId, group.kind === "undo" ? "redo" : "undo");
    left.push(...counted(door, at, operationId, back.conflicts));
  }
  endGroup(door, group);
  return left;
}

function endGroup(door: Door, group: Group): void {
  const path = fileOf(door, group.id);
  if (door.state.lstat(path) !== undefined) door.state.unlink(path);
  for (const root of rootsOf(door, group)) openJournal(door.state, door.foldersDir, root).dropOpen(group.id);
}

/** What a step's journal says, with roots counted as this workspace counts them; what lies in none of them by its whole path. */
function counted<T extends { root: number; path: RawPath }>(
  door: Door,
  at: Door,
  operationId: string,
  found: readonly T[],
): T[] {
  const { roots } = lastDone(at.journal, operationId).state.pass;
  return found.map((of) => {
    const root = door.roots.findIndex((r) => r.path === roots[of.root]);
    return root < 0 ? { ...of, path: `${toRaw(roots[of.root] ?? "")}/${of.path}` } : { ...of, root };
  });
}
