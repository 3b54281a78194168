import type { RawPath } from "../util/bytes.ts";
import type { Change, Fingerprint } from "./change.ts";
import type { UndoReport, Workspace } from "./workspace.ts";

/** A path of the roots that changed, to be written into the views of background shells as well (SANDBOX 0.4). */
export interface Changed {
  root: number;
  path: RawPath;
  /** All that lies below it may have changed too. */
  deep?: boolean;
  /** What it was before: a shell that only has an untouched copy of that has no change of its own. */
  before?: Fingerprint;
  /** The step that brought it. */
  by?: string;
  /** Somebody said so, but it may be as it was: one that was written already is left alone. */
  maybe?: boolean;
}

/** `layer`: the step folder of a layer that the log doesn't know yet. Must not throw. */
export type Tell = (changed: readonly Changed[], layer?: string) => Promise<void>;

/** A workspace that tells what it lands, takes back, or makes a layer of the copy, before it answers. */
export function mirrored(workspace: Workspace, tell: Tell): Workspace {
  const turned = async (report: UndoReport): Promise<UndoReport> => {
    if (report.ok) await tell(report.paths.map(({ root, path }) => ({ root, path, deep: true })));
    return report;
  };
  return {
    ...workspace,
    get recovered() {
      return workspace.recovered;
    },
    async land(set, left) {
      const landing = await workspace.land(set, left);
      if (landing.ok) await tell(landing.changes.map((c) => changedBy(c, set.operationId)));
      return landing;
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
    undo: async (operationId) => turned(await workspace.undo(operationId)),
    redo: async (operationId) => turned(await workspace.redo(operationId)),
    turn: async (wanted) => turned(await workspace.turn(wanted)),
  };
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
