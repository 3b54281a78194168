import { showPath, toRaw } from "../util/bytes.ts";
import type { Door } from "./door.ts";
import { type EntryState, folderHash, openJournal } from "./journal.ts";
import { markEnded } from "./land.ts";
import { dropPass, type Running, runPass, takeBack } from "./land-pass.ts";
import { type LockDeps, takeLock } from "./lock.ts";
import { doorAt } from "./journal-steps.ts";
import { backGroup, type Group, readGroup, rootsOf, runGroup } from "./undo-group.ts";

/** The lock of one root's journal. */
function lockOf(door: Door, root: string): string {
  return `${toRaw(door.foldersDir)}/${folderHash(root)}/lock`;
}

/**
 * Holds the locks of some roots, taken in order of path, while `work` runs. What a dead process left open there is ended first,
 * with the locks of all roots that it may have touched; each such step is told in `notes`.
 */
export async function locked<T>(
  door: Door,
  deps: LockDeps,
  roots: readonly string[],
  notes: string[],
  work: () => Promise<T>,
): Promise<T> {
  const wanted = new Set(roots);
  for (;;) {
    const releases: (() => void)[] = [];
    try {
      for (const root of [...wanted].toSorted()) releases.push(await takeLock(deps, lockOf(door, root)));
      const open = openSteps(door, wanted);
      const more = open.flatMap((step) => step.roots).filter((root) => !wanted.has(root));
      if (more.length === 0) {
        // A group's steps are whole before it goes on with the others.
        for (const step of open) if (step.group === undefined) await endStep(door, step, notes);
        for (const { group } of open) if (group !== undefined) await endWholeGroup(door, group, notes);
        return await work();
      }
      for (const root of more) wanted.add(root);
    } finally {
      for (const release of releases.toReversed()) release();
    }
  }
}

interface OpenStep {
  operationId: string;
  /** Root in whose journal the plan lies. */
  home: string;
  /** All that its plan names, and its home. */
  roots: string[];
  /** It is no step, but several that are undone as one. */
  group?: Group;
}

function openSteps(door: Door, roots: ReadonlySet<string>): OpenStep[] {
  const found = new Map<string, OpenStep>();
  for (const root of roots) {
    for (const { operationId, home } of openJournal(door.state, door.foldersDir, root).open()) {
      const at = doorAt(door, home);
      const group = readGroup(at, operationId);
      const key = `${home}\0${operationId}`;
      if (group !== undefined) {
        found.set(key, { operationId, home, roots: rootsOf(at, group), group });
        continue;
      }
      const entry = at.journal.find(operationId);
      const state = entry === undefined ? undefined : at.journal.read(entry);
      found.set(key, { operationId, home, roots: [home, root, ...(state?.pass.roots ?? [])] });
    }
  }
  return [...found.values()];
}

async function endStep(door: Door, step: OpenStep, notes: string[]): Promise<void> {
  const journal = openJournal(door.state, door.foldersDir, step.home);
  const entry = journal.find(step.operationId);
  const state = entry === undefined ? undefined : journal.read(entry);
  const of: Door = { ...door, home: step.home, journal };
  if (state !== undefined && state.end === undefined) notes.push(await endPass(of, state));
  else if (state === undefined && entry !== undefined) await journal.remove(entry);
  for (const root of step.roots) {
    if (root !== step.home) openJournal(door.state, door.foldersDir, root).markEnded(step.operationId);
  }
  if (state !== undefined) markEnded(of, state.pass);
  journal.markEnded(step.operationId);
}

async function endWholeGroup(door: Door, group: Group, notes: string[]): Promise<void> {
  const at = doorAt(door, group.home);
  const what = `${group.kind === "undo" ? "an undo" : "a redo"} of ${group.steps.length} steps (${group.id}) that process ${group.pid} had begun`;
  if (door.recover === "back") {
    await backGroup(at, group);
    notes.push(`rolled back ${what}`);
    return;
  }
  const report = await runGroup(at, group);
  const why = report.conflicts.map((c) => `${showPath(c.path)}: ${c.why}`).join("; ");
  notes.push(report.ok ? `completed ${what}` : `rolled back ${what}: ${why}`);
}

async function endPass(door: Door, state: EntryState): Promise<string> {
  const { pass, entry, settled } = state;
  const running: Running = { door, journal: door.journal, entry, pass };
  const count = pass.changes.length === 1 ? "one change" : `${pass.changes.length} changes`;
  const what = `${{ land: "a landing", undo: "an undo", redo: "a redo" }[pass.kind]} of ${count} (${pass.operationId}) that process ${pass.pid} had begun`;
  if (!pass.ready) {
    await dropPass(running);
    return `rolled back ${what}: nothing was touched yet`;
  }
  if (door.recover === "back" && settled !== "done") {
    await takeBack(running);
    return `rolled back ${what}`;
  }
  const result = await runPass(running);
  if (result.done) return `completed ${what}`;
  return `rolled back ${what}: ${result.conflicts.map((c) => `${c.path}: ${c.why}`).join("; ")}`;
}
