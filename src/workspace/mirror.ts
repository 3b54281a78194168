import type { RawPath } from "../util/bytes.ts";
import type { Change, Fingerprint } from "./change.ts";
import type { TurnKind, UndoReport, Workspace } from "./workspace.ts";

/** A path of the roots that changed, to be written into the views of background shells as well (SANDBOX 0.4). */
export interface Changed {
  root: number;
  path: RawPath;
  /** All that lies below it may have changed too. */
  deep?: boolean;
  /** What it was before: a shell that only has an untouched copy of that has no change of its own. */
  before?: Fingerprint;
  /** It is about to be deleted. */
  gone?: boolean;
  /** The step that brought it. */
  by?: string;
  /** Somebody said so, but it may be as it was: one that was written already is left alone. */
  maybe?: boolean;
}

/** `layer`: the step folder of a layer that the log doesn't know yet. Must not throw. */
export type Tell = (changed: readonly Changed[], layer?: string) => Promise<void>;

/** A workspace that tells what it lands, takes back, or makes a layer of the copy, before it answers. `heard`: somebody listens. */
export function mirrored(workspace: Workspace, tell: Tell, heard: () => boolean): Workspace {
  const turned = (kind: TurnKind, steps: readonly string[], turn: () => Promise<UndoReport>): Promise<UndoReport> =>
    goneFirst(tell, heard() ? goingWith(workspace, kind, steps) : Promise.resolve([]), async () => {
      const report = await turn();
      const changed = report.ok ? report.paths.map(({ root, path }) => ({ root, path, deep: true })) : [];
      return { ok: report.ok, got: report, changed };
    });
  return {
    ...workspace,
    get recovered() {
      return workspace.recovered;
    },
    land(set, left = []) {
      const stays = new Set(left.map((l) => `${l.root}/${l.path}`));
      const going = foldersGone(set.changes.filter((c) => !stays.has(`${c.root}/${c.path}`)));
      return goneFirst(tell, Promise.resolve(going), async () => {
        const landing = await workspace.land(set, left);
        const changed = landing.ok ? landing.changes.map((c) => changedBy(c, set.operationId)) : [];
        return { ok: landing.ok, got: landing, changed };
      });
    },
    async keep(set, keep) {
      const sum = await workspace.keep(set, keep);
      const kept = set.changes.filter(keep).map((c) => changedBy(c, set.operationId));
      await tell(kept, set.stepFolder);
      return sum;
    },
    pending(regenerable) {
      const pending = workspace.pending(regenerable);
      return {
        ...pending,
        async freeze(set, view) {
          const layer = await pending.freeze(set, view);
          const frozen = layer.changes.map((c) => changedBy(c, set.operationId));
          await tell(frozen, layer.stepFolder);
          return layer;
        },
      };
    },
    undo: (operationId) => turned("undo", [operationId], () => workspace.undo(operationId)),
    redo: (operationId) => turned("redo", [operationId], () => workspace.redo(operationId)),
    turn: (wanted) => turned(wanted.kind, wanted.steps, () => workspace.turn(wanted)),
  };
}

/**
 * Folders that are about to go are told ahead: once they are gone, overlay can't take them out of a view that has seen them. When
 * nothing came of it, they are told as being there.
 */
async function goneFirst<T>(
  tell: Tell,
  folders: Promise<readonly Changed[]>,
  work: () => Promise<{ ok: boolean; got: T; changed: readonly Changed[] }>,
): Promise<T> {
  const going = await folders;
  await tell(going);
  const back = going.map(({ root, path }) => ({ root, path, deep: true }));
  try {
    const { ok, got, changed } = await work();
    await tell(ok ? changed : back);
    return got;
  } catch (error) {
    await tell(back);
    throw error;
  }
}

/** Folders that go when steps are undone or redone. */
async function goingWith(workspace: Workspace, kind: TurnKind, ids: readonly string[]): Promise<Changed[]> {
  const steps = (await workspace.journal()).filter((step) => ids.includes(step.operationId));
  const changes = steps.flatMap((step) => step.changes);
  return foldersGone(
    kind === "redo" ? changes : changes.map(({ before: after, after: before, ...c }) => turnedBack(c, before, after)),
  );
}

function turnedBack(
  change: Omit<Change, "before" | "after">,
  before: Fingerprint | undefined,
  after: Fingerprint | undefined,
): Change {
  const op = change.op === "create" ? "delete" : change.op === "delete" ? "create" : change.op;
  return { ...change, op, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}

/** Folders that a change set takes away. */
function foldersGone(changes: readonly Change[]): Changed[] {
  const gone = changes.filter((c) => c.before?.type === "folder" && (c.op === "delete" || c.op === "type"));
  return gone.map(({ root, path }) => ({ root, path, gone: true }));
}

function changedBy({ root, path, tree, op, before }: Change, by: string): Changed {
  return {
    root,
    path,
    by,
    ...(tree === undefined && op !== "type" ? {} : { deep: true }),
    ...(before === undefined ? {} : { before }),
  };
}
