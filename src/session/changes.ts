import type { LoopDeps } from "../loop/deps.ts";
import { showPath } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import type { Change } from "../workspace/change.ts";
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
    text: `The person undid a step: ${list(step.changes, parts)} as before it.`,
  });
  return { ok: true, text: `Undone: ${count(step.changes, parts)}.`, paths };
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
    text: `The person redid an undone step: ${list(step.changes, parts)} changed again.`,
  });
  return { ok: true, text: `Redone: ${count(step.changes, parts)}.`, paths };
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
  const landed: Change[] = [];
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
    landed.push(...changes);
  }
  return {
    ok: true,
    text: landed.length === 0 ? "Nothing is kept in the copy." : landedText(landed, parts),
    paths,
  };
}

/** What came and what went: a `rm -rf node_modules` that was kept deletes the folder's own. */
function landedText(landed: readonly Change[], parts: LiveParts): string {
  const gone = landed.filter((c) => c.op === "delete");
  const came = landed.filter((c) => c.op !== "delete");
  const names = gone.slice(0, 5).map((c) => visible(showPath(c.path), ""));
  const more = gone.length > 5 ? ` and ${gone.length - 5} more` : "";
  return [
    ...(came.length === 0 ? [] : [`Landed: ${count(came, parts)}.`]),
    ...(gone.length === 0 ? [] : [`Deleted: ${count(gone, parts)} (${names.join(", ")}${more}).`]),
  ].join(" ");
}

async function find(
  { workspace, log }: LiveParts,
  status: JournalStep["status"],
  operationId?: string,
): Promise<JournalStep | undefined> {
  const steps = (await workspace.journal()).filter((s) => s.status === status);
  if (operationId !== undefined) return steps.find((s) => s.operationId === operationId);
  const own = steps.filter((s) => s.sessionId === log.state.id);
  if (status === "landed") return own.at(-1);
  // Undone last is redone first, whatever the order in which they landed.
  const undone = log.events.flatMap((e) => (e.type === "changes.undone" ? [e.operationId] : []));
  const last = undone.findLast((id) => own.some((s) => s.operationId === id));
  return own.find((s) => s.operationId === last) ?? own[0];
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

function isGits(change: Change, { workspace }: LiveParts): boolean {
  return workspace.roots[change.root]?.kind === "git" || change.path.split("/").includes(".git");
}

/** Paths of a step for the model; git's own files are one thing (P3). */
function list(changes: readonly Change[], parts: LiveParts): string {
  const own = changes.filter((c) => !isGits(c, parts));
  const paths = pathsOf({ changes: own }, parts.workspace);
  const shown = paths.slice(0, 5);
  const more = paths.length > 5 ? [`${paths.length - 5} more`] : [];
  const git = own.length < changes.length ? ["git's state"] : [];
  const all = [...shown, ...more, ...git];
  return `${all.length > 1 ? `${all.slice(0, -1).join(", ")} and ` : ""}${all.at(-1) ?? "nothing"} ${all.length > 1 ? "are" : "is"}`;
}

/** Files of a step in a few words: those below whole folders count, git's own do not. */
function count(changes: readonly Change[], parts: LiveParts): string {
  const own = changes.filter((c) => !isGits(c, parts));
  const isFolder = (c: Change): boolean => (c.after ?? c.before)?.type === "folder";
  const files = own.reduce((sum, c) => sum + (c.tree?.files ?? (isFolder(c) ? 0 : 1)), 0);
  const folders = own.filter(isFolder).length;
  const told = [
    ...(files > 0 ? [files === 1 ? "1 file" : `${files.toLocaleString("en-US")} files`] : []),
    ...(files === 0 && folders > 0 ? [folders === 1 ? "1 folder" : `${folders} folders`] : []),
    ...(own.length < changes.length ? ["git's state"] : []),
  ];
  return told.join(" and ");
}
