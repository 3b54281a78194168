import type { Touch } from "../events/event.ts";
import type { EventLog } from "../events/log.ts";
import { showPath } from "../util/bytes.ts";
import type { JournalStep, Workspace } from "../workspace/workspace.ts";

/**
 * Tells a loaded log what the door's journal knows more: steps that landed before a crash could be recorded, and what another session or
 * `agent undo` undid since (W8). The journal is the truth on what landed.
 */
export async function catchUp(log: EventLog, workspace: Workspace): Promise<void> {
  for (const step of await workspace.journal()) {
    const known = log.state.steps.find((s) => s.operationId === step.operationId);
    if (known?.summary === undefined) continue;
    const { operationId } = step;
    const callId = known.callId === undefined ? {} : { callId: known.callId };
    if (step.status === "landed" && known.status === "proposed") {
      const touched = step.changes.flatMap((c) => touchOf(c, workspace));
      await log.append({
        type: "changes.landed",
        ...callId,
        operationId,
        summary: known.summary,
        by: "recovery",
        touched,
      });
    }
    if (step.status === "landed" && known.status === "undone") {
      await log.append({ type: "changes.redone", operationId, by: "another session", paths: pathsOf(step, workspace) });
    }
    if (step.status === "undone" && known.status === "landed") {
      await log.append({ type: "changes.undone", operationId, by: "another session", paths: pathsOf(step, workspace) });
    }
  }
}

/** Absolute paths of a step's changes. */
export function pathsOf(step: Pick<JournalStep, "changes">, workspace: Workspace): string[] {
  return step.changes.map((c) => join(workspace, c));
}

type At = Pick<JournalStep["changes"][number], "root" | "path">;

function join(workspace: Workspace, { root, path }: At): string {
  return `${workspace.roots[root]?.path ?? ""}/${showPath(path)}`;
}

function touchOf(change: JournalStep["changes"][number], workspace: Workspace): Touch[] {
  const path = join(workspace, change);
  if (change.op === "delete") return [{ path, hash: "", how: "deleted" }];
  return change.after?.hash === undefined ? [] : [{ path, hash: change.after.hash, how: "written" }];
}
