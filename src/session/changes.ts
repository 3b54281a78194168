import type { LoopDeps } from "../loop/deps.ts";
import { showPath } from "../util/bytes.ts";
import type { JournalStep, UndoReport } from "../workspace/workspace.ts";
import { pathsOf } from "./catch-up.ts";
import type { LiveParts } from "./live.ts";
import type { ChangeReport } from "./session.ts";

/** Undoes the newest landed step of this session that is not undone yet, or the one named (W4). */
export async function undoStep(parts: LiveParts, operationId?: string): Promise<ChangeReport> {
  const step = await find(parts, "landed", operationId);
  if (step === undefined) return nothing(operationId, "undo");
  const report = await parts.workspace.undo(step.operationId);
  if (!report.ok) return inTheWay(report, "undone");
  const paths = pathsOf(step, parts.workspace);
  await parts.log.append({ type: "changes.undone", operationId: step.operationId, by: "person", paths });
  await parts.log.append({
    type: "note.added",
    text: `The person undid a step: ${list(paths)} are as they were before it.`,
  });
  return { ok: true, text: `Undone: ${count(paths.length)}.`, paths };
}

/** Lands again what was undone last, or the step named. */
export async function redoStep(parts: LiveParts, operationId?: string): Promise<ChangeReport> {
  const step = await find(parts, "undone", operationId);
  if (step === undefined) return nothing(operationId, "redo");
  const report = await parts.workspace.redo(step.operationId);
  if (!report.ok) return inTheWay(report, "redone");
  const paths = pathsOf(step, parts.workspace);
  await parts.log.append({ type: "changes.redone", operationId: step.operationId, by: "person", paths });
  await parts.log.append({
    type: "note.added",
    text: `The person redid an undone step: ${list(paths)} are changed again.`,
  });
  return { ok: true, text: `Redone: ${count(paths.length)}.`, paths };
}

/** What an undo would change, as diffs from now to then. */
export async function previewUndo(
  parts: LiveParts,
  operationId?: string,
): ReturnType<import("./session.ts").Session["previewUndo"]> {
  const step = await find(parts, "landed", operationId);
  return step === undefined ? undefined : { operationId: step.operationId, diffs: [] };
}

/** Lands the regenerable output that the session kept in its copy (P9), oldest layer first. */
export async function landKept(parts: LiveParts, deps: LoopDeps): Promise<ChangeReport> {
  const kept = parts.log.state.steps.filter((s) => s.kept);
  const paths: string[] = [];
  for (const step of kept) {
    const { operationId } = step;
    const set = await parts.workspace.readProposal(operationId);
    if (set === undefined) continue;
    const changes = set.changes.filter((c) => deps.regenerable(c));
    const landing = await parts.workspace.land({ ...set, operationId: `${operationId}-kept`, changes });
    if (!landing.ok) {
      const why = landing.conflicts.map((c) => `${showPath(c.path)}: ${c.why}`).join("; ");
      return { ok: false, text: `Stopped before ${operationId}: ${why}`, paths };
    }
    await parts.log.append({ type: "changes.dropped", operationId, reason: "landed by the person" });
    paths.push(...pathsOf({ changes }, parts.workspace));
  }
  return {
    ok: true,
    text: paths.length === 0 ? "Nothing is kept in the copy." : `Landed: ${count(paths.length)}.`,
    paths,
  };
}

async function find(
  { workspace, log }: LiveParts,
  status: JournalStep["status"],
  operationId?: string,
): Promise<JournalStep | undefined> {
  const steps = (await workspace.journal()).filter((s) => s.status === status);
  return operationId === undefined
    ? steps.findLast((s) => s.sessionId === log.state.id)
    : steps.find((s) => s.operationId === operationId);
}

function nothing(operationId: string | undefined, verb: string): ChangeReport {
  return {
    ok: false,
    text:
      operationId === undefined ? `Nothing to ${verb} in this session.` : `There is no step ${operationId} to ${verb}.`,
    paths: [],
  };
}

function inTheWay(report: UndoReport, done: string): ChangeReport {
  const paths = report.conflicts.map((c) => showPath(c.path));
  const why = report.conflicts.map((c) => `${showPath(c.path)}: ${c.why}`).join("; ");
  return { ok: false, text: `Nothing was ${done}, since these changed meanwhile: ${why}`, paths };
}

function list(paths: readonly string[]): string {
  return paths.length > 5 ? `${paths.slice(0, 5).join(", ")} and ${paths.length - 5} more` : paths.join(", ");
}

function count(n: number): string {
  return n === 1 ? "1 file" : `${n} files`;
}
