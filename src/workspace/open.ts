import { hostname } from "node:os";
import { toRaw } from "../util/bytes.ts";
import type { Root } from "../events/event.ts";
import type { Clock, MakeId } from "../util/deps.ts";
import type { ChangeSet, WorkspaceOptions } from "./change.ts";
import { adoptStep, seeStep } from "./adopt.ts";
import { saveBases } from "./base.ts";
import { diffs } from "./diff.ts";
import type { Door } from "./door.ts";
import { folderHash, makeFolders, openJournal } from "./journal.ts";
import { homeOf, journalSteps, lastDone, stampOf } from "./journal-steps.ts";
import { keepOnly } from "./keep.ts";
import { land } from "./land.ts";
import { removeAll } from "./land-copy.ts";
import { type Disk, stateDisk, systemDisk } from "./land-disk.ts";
import { type LockDeps, LockHeld } from "./lock.ts";
import { withOpened } from "./pending-lift.ts";
import { openFile } from "./open-file.ts";
import { openPending } from "./pending-sum.ts";
import { UNDO_KEEP } from "./prune.ts";
import { locked } from "./recover.ts";
import type { MakeWhiteout } from "./squash.ts";
import { isRunOutside } from "./runs-outside.ts";
import { sinceCommit } from "./since-commit.ts";
import { openStage } from "./stage.ts";
import { commandStep, readProposal, saveProposal, stepFolderOf, type StepsDeps } from "./steps.ts";
import { summarize, type SummarizeDeps } from "./summarize.ts";
import { turn } from "./undo.ts";
import { unfold } from "./unfold.ts";
import { stepDiffs, stepsDiffs, turnDiffs } from "./undo-diff.ts";
import { rootsOf as rootsOfGroup, turnTogether } from "./undo-group.ts";
import { previewTurn, stepsToTurn } from "./undo-plan.ts";
import { createView } from "./view.ts";
import type { JournalStep, TurnKind, UndoReport, UndoWanted, Workspace } from "./workspace.ts";

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
  /** Makes a whiteout; without it deletions of pending steps are known to the view alone. */
  whiteout?: MakeWhiteout | undefined;
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
    keep: deps.keep ?? UNDO_KEEP,
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

/**
 * The steps that touched these roots, oldest first, without opening the door: nothing is made, completed or rolled back. undefined: there
 * is no journal of one of the roots.
 * @throws Error naming a journal file that can't be read.
 */
export function savedSteps(foldersDir: string, roots: readonly Root[], clock: Clock): JournalStep[] | undefined {
  const home = roots[0]?.path;
  if (home === undefined) return undefined;
  const state = stateDisk(systemDisk, toRaw(foldersDir));
  const has = (path: string): boolean => state.lstat(`${toRaw(foldersDir)}/${folderHash(path)}/journal`) !== undefined;
  if (!roots.every((root) => has(root.path))) return undefined;
  const journal = openJournal(state, foldersDir, home);
  const nobody = { sessionId: "", clock, pid: process.pid, uid: 0, recover: "forward" as const, keep: UNDO_KEEP };
  return journalSteps({ ...nobody, disk: systemDisk, state, roots, foldersDir, home, journal });
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

  async function turned(operationId: string, kind: TurnKind, merge?: boolean): Promise<UndoReport> {
    const where = homeOf(door, operationId);
    const { state: found } = lastDone(where.journal, operationId);
    const paths = [where.home, ...found.pass.roots];
    return locked(where, lock, paths, recovered, () => turn(where, operationId, kind, { merge }));
  }

  async function group(wanted: UndoWanted): Promise<UndoReport> {
    const [only, ...more] = wanted.steps;
    if (only !== undefined && more.length === 0) return turned(only, wanted.kind, wanted.merge);
    const id = deps.makeId("undo");
    const of = wanted.steps.map((operationId) => ({ operationId, home: homeOf(door, operationId).home }));
    const paths = rootsOfGroup(door, { home, steps: of });
    try {
      return await locked(door, lock, paths, recovered, () =>
        turnTogether(door, id, stepsToTurn(door, wanted), wanted),
      );
    } catch (error) {
      // What the machine refused is taken back at once; where even that fails, the next recovery ends it.
      if (!(error instanceof LockHeld))
        await locked({ ...door, recover: "back" }, lock, paths, [], () => Promise.resolve()).catch(() => undefined);
      throw error;
    }
  }

  /** A command may leave folders that nobody may look into. */
  function opened<T>(set: ChangeSet, layers: readonly string[], work: () => Promise<T>): Promise<T> {
    if (door.uid === 0) return work();
    const below = layers.flatMap((folder) => readProposal(state, folder) ?? []);
    return withOpened({ disk: state, uid: door.uid }, [...below, set], work);
  }

  return {
    roots,
    recovered,
    newStep: (operationId) => commandStep(steps, operationId),
    view: (layers) => createView(roots, layers),
    stage: (operationId, view) => openStage(steps, operationId, view),
    summarize: (set, facts, view, signal) =>
      opened(set, view.layers, () => summarize(set, facts, roots, view, deps, signal)),
    isRunOutside: (root, path) => isRunOutside(roots[root]?.path ?? "", path, deps.outside?.() ?? new Map()),
    unfold: (set) => unfold(state, set),
    openFile: (set, view, diff) => opened(set, view.layers, () => openFile(set, roots, view, diff)),
    diffs: (set, view) => opened(set, view.layers, () => diffs(set, roots, view)),
    saveProposal: async (set) => {
      await deps.syncFs?.(foldersDir);
      await saveBases(state, roots, set);
      saveProposal(state, set);
    },
    readProposal: (operationId) => Promise.resolve(readProposal(state, stepFolderOf(steps, operationId))),
    land: (set, left) => holding(rootsOf(set), () => land(door, set, left ?? [])),
    keep: (set, keep) => keepOnly(state, set, keep),
    pending: (regenerable) =>
      openPending({
        ...steps,
        uid: door.uid,
        git: deps.git,
        whiteout: deps.whiteout,
        regenerable,
      }),
    drop: (operationId) => removeAll(state, toRaw(stepFolderOf(steps, operationId))),
    journal: () => holding([], () => Promise.resolve(journalSteps(door))),
    seeStep: (operationId) => holding([], () => seeStep(door, operationId)),
    adoptStep: (sight) => holding([], () => adoptStep(door, sight)),
    undo: (operationId) => turned(operationId, "undo"),
    redo: (operationId) => turned(operationId, "redo"),
    turn: (wanted) => group(wanted),
    previewTurn: (wanted) => holding([], () => previewTurn(door, wanted)),
    turnDiffs: (changes) => turnDiffs(door, changes),
    stepDiffs: (operationId) => holding([], () => stepDiffs(door, operationId)),
    stepsDiffs: (operationIds) => holding([], () => stepsDiffs(door, operationIds)),
    sinceCommit: () => sinceCommit(roots, { git: deps.git, scratchDir: foldersDir }),
    journalStamp: () => stampOf(door),
    close: () => Promise.resolve(),
  };
}
