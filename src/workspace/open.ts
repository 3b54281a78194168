import { hostname } from "node:os";
import { toRaw } from "../util/bytes.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import type { Change, ChangeSet, WorkspaceOptions } from "./change.ts";
import { saveBases } from "./base.ts";
import { diffs } from "./diff.ts";
import type { Door } from "./door.ts";
import { type Journal, makeFolders, openJournal } from "./journal.ts";
import { keepOnly } from "./keep.ts";
import { land } from "./land.ts";
import { removeAll } from "./land-copy.ts";
import { type Disk, stateDisk, systemDisk } from "./land-disk.ts";
import { type LockDeps, LockHeld } from "./lock.ts";
import { locked } from "./recover.ts";
import { openStage } from "./stage.ts";
import { commandStep, readProposal, saveProposal, stepFolderOf, type StepsDeps } from "./steps.ts";
import { summarize, type SummarizeDeps } from "./summarize.ts";
import { lastDone, turn } from "./undo.ts";
import { createView } from "./view.ts";
import type { JournalStep, UndoReport, Workspace } from "./workspace.ts";

export interface WorkspaceDeps extends SummarizeDeps {
  clock: Clock;
  makeId: MakeId;
  /** This process, written into locks and plans. */
  pid?: number;
  uid?: number;
  /** Makes a whole file system durable (`sync -f`); without it the door syncs file by file. */
  syncFs?: (folder: string) => Promise<void>;
  /** Milliseconds to wait for another process that is landing. Default 10 s. */
  lockWaitMs?: number;
  /** What undo may occupy. Default 50 steps, 2 GB. */
  keep?: { steps: number; bytes: number };
  /** For tests. */
  disk?: Disk;
  recover?: "forward" | "back";
}

/**
 * Opens the person's roots and the door into them. What a dead process left half done is completed or rolled back first and
 * told in `recovered`; when another process is landing right now, that is left to it.
 */
export async function openWorkspace(options: WorkspaceOptions, deps: WorkspaceDeps): Promise<Workspace> {
  const { roots, foldersDir } = options;
  const home = roots[0]?.path;
  if (home === undefined) throw new Error("a workspace needs a root");
  const disk = deps.disk ?? systemDisk;
  makeFolders(disk, toRaw(foldersDir));
  const state = stateDisk(disk, toRaw(foldersDir));
  const door: Door = {
    disk,
    state,
    roots,
    foldersDir,
    sessionId: options.sessionId,
    clock: deps.clock,
    pid: deps.pid ?? process.pid,
    uid: deps.uid ?? process.geteuid?.() ?? 0,
    home,
    journal: openJournal(state, foldersDir, home),
    syncFs: deps.syncFs,
    git: deps.git,
    recover: deps.recover ?? "forward",
    keep: deps.keep ?? { steps: 50, bytes: 2e9 },
  };
  const lock: LockDeps = {
    disk: state,
    clock: deps.clock,
    makeId: deps.makeId,
    pid: door.pid,
    host: hostname(),
    waitMs: deps.lockWaitMs ?? 10_000,
  };
  const recovered: string[] = [];
  await recoverAtOpen(door, lock, recovered);
  return compose(door, lock, recovered, deps);
}

async function recoverAtOpen(door: Door, lock: LockDeps, recovered: string[]): Promise<void> {
  const paths = door.roots.map((root) => root.path);
  for (const root of paths) openJournal(door.state, door.foldersDir, root);
  try {
    await locked(door, { ...lock, waitMs: 0 }, paths, recovered, () => Promise.resolve());
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
  }
}

function compose(door: Door, lock: LockDeps, recovered: string[], deps: WorkspaceDeps): Workspace {
  const { roots, state, foldersDir, home } = door;
  const steps: StepsDeps = { disk: state, roots, foldersDir, clock: deps.clock };
  const holding = <T>(paths: readonly string[], work: () => Promise<T>): Promise<T> =>
    locked(door, lock, [home, ...paths], recovered, work);
  const rootsOf = (set: ChangeSet): string[] => set.changes.flatMap((change) => roots[change.root]?.path ?? []);

  async function turned(operationId: string, kind: "undo" | "redo"): Promise<UndoReport> {
    const where = homeOf(door, operationId);
    const { state: found } = lastDone(where.journal, operationId);
    return locked(where, lock, [where.home, ...found.pass.roots], recovered, () => turn(where, operationId, kind));
  }

  return {
    roots,
    recovered,
    newStep: (operationId) => commandStep(steps, operationId),
    view: (layers) => createView(roots, layers),
    stage: (operationId, view) => openStage(steps, operationId, view),
    summarize: (set, facts, view) => summarize(set, facts, roots, view, deps),
    diffs: (set, view) => diffs(set, roots, view),
    saveProposal: async (set) => {
      await deps.syncFs?.(foldersDir);
      await saveBases(state, roots, set);
      saveProposal(state, set);
    },
    readProposal: (operationId) => Promise.resolve(readProposal(state, stepFolderOf(steps, operationId))),
    land: (set, left) => holding(rootsOf(set), () => land(door, set, left ?? [])),
    keep: (set, keep) => keepOnly(state, set, keep),
    drop: (operationId) => removeAll(state, toRaw(stepFolderOf(steps, operationId))),
    journal: () => holding([], () => Promise.resolve(journalSteps(door))),
    undo: (operationId) => turned(operationId, "undo"),
    redo: (operationId) => turned(operationId, "redo"),
    close: () => Promise.resolve(),
  };
}

/** The door as the session saw it in whose journal a step lies: this folder's, or another's that had one of our roots too. */
function homeOf(door: Door, operationId: string): Door {
  if (door.journal.find(operationId) !== undefined) return door;
  const found = pointersOf(door).find((pointer) => pointer.operationId === operationId);
  if (found === undefined) return door;
  return { ...door, home: found.home, journal: openJournal(door.state, door.foldersDir, found.home) };
}

function pointersOf(door: Door): { operationId: string; home: string }[] {
  return door.roots.flatMap((root) => [...openJournal(door.state, door.foldersDir, root.path).pointers()]);
}

/** Steps that touched our roots, this folder's journal and those it points to; roots counted as this workspace counts them. */
function journalSteps(door: Door): JournalStep[] {
  const own = door.journal.entries().map((entry) => ({ journal: door.journal, entry }));
  const others = pointersOf(door).flatMap(({ operationId, home }) => {
    if (home === door.home) return [];
    const journal = openJournal(door.state, door.foldersDir, home);
    const entry = journal.find(operationId);
    return entry === undefined ? [] : [{ journal, entry }];
  });
  const seen = new Set<string>();
  const all = [...own, ...others].flatMap(({ journal, entry }): JournalStep[] => {
    if (seen.has(entry.folder)) return [];
    seen.add(entry.folder);
    const step = stepOf(
      door,
      journal,
      entry.operationId,
      journal.read(entry)?.pass.number === 0 ? journal.read(entry) : undefined,
    );
    return step === undefined ? [] : [step];
  });
  return all.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function stepOf(
  door: Door,
  journal: Journal,
  operationId: string,
  only: ReturnType<Journal["read"]>,
): JournalStep | undefined {
  if (only?.end?.done === false) {
    const { sessionId, at, changes, roots } = only.pass;
    return { operationId, sessionId, at, status: "rolled-back", changes: ours(door, roots, changes) };
  }
  try {
    const { state, end } = lastDone(journal, operationId);
    const first = journal.read(state.entry, 0)?.pass ?? state.pass;
    const status = state.pass.kind === "undo" ? "undone" : "landed";
    return {
      operationId,
      sessionId: first.sessionId,
      at: first.at,
      status,
      changes: ours(door, first.roots, end.changes),
    };
  } catch {
    return undefined;
  }
}

/** Changes in our own roots, counted our way. */
function ours(door: Door, theirs: readonly string[], changes: readonly Change[]): Change[] {
  return changes.flatMap((change) => {
    const root = door.roots.findIndex((r) => r.path === theirs[change.root]);
    return root < 0 ? [] : [{ ...change, root }];
  });
}
