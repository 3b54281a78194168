import { join } from "node:path";
import { type Draft, updateCall } from "./draft.ts";
import type { ChangeEntry, ChangeSummary } from "./effect.ts";
import type { LogEventOf, Touch } from "./event.ts";
import { touch } from "./reduce-calls.ts";
import { markChanged, markGone, markKept, markSquashed } from "./reduce-mark.ts";
import type { StepState } from "./state.ts";

function putStep(draft: Draft, operationId: string, at: string, change: (step: StepState) => StepState): void {
  const steps = draft.steps();
  const found = steps.findLastIndex((step) => step.operationId === operationId);
  const step = steps[found];
  if (step !== undefined) steps[found] = change(step);
  else steps.push(change({ operationId, status: "proposed", kept: false, at }));
}

/** Whose step it is, where the event says so. */
function whose(callId: string | undefined): { callId?: string } {
  return callId === undefined ? {} : { callId };
}

export function proposed(draft: Draft, event: LogEventOf<"changes.proposed">): void {
  const { callId, operationId, outcome, summary } = event;
  const from = event.from === undefined ? {} : { from: event.from };
  updateCall(draft, callId, (call) => ({ ...call, operationId, proposed: { outcome, summary } }));
  putStep(draft, operationId, event.at, (step) => ({ ...step, callId, summary, status: "proposed", ...from }));
}

/** The step is a layer now, regenerable part and all. */
export function pended(draft: Draft, event: LogEventOf<"changes.pended">): void {
  const { callId, operationId, summary } = event;
  putStep(draft, operationId, event.at, (step) => ({ ...step, ...whose(callId), summary, status: "pended" }));
  markChanged(draft, operationId, summary, event.touched);
  touch(draft, event.touched);
}

/** What landed of the old layers stays landed; nothing of them is a layer any more. */
export function squashed(draft: Draft, event: LogEventOf<"changes.squashed">): void {
  const { operationId, from, summary } = event;
  for (const id of from) {
    putStep(draft, id, event.at, (step) => {
      const waits = step.status === "pended" || step.status === "kept";
      return { ...step, kept: false, status: waits ? "squashed" : step.status };
    });
  }
  markSquashed(draft, event);
  const status = event.pended ? "pended" : event.kept ? "kept" : "squashed";
  putStep(draft, operationId, event.at, (step) => ({ ...step, summary, status, kept: event.kept }));
}

export function landed(draft: Draft, event: LogEventOf<"changes.landed">): void {
  const { callId, operationId, summary } = event;
  updateCall(draft, callId, (call) => ({ ...call, landed: true }));
  putStep(draft, operationId, event.at, (step) => ({ ...step, ...whose(callId), summary, status: "landed" }));
  markChanged(draft, operationId, summary, event.touched);
  madeBy(draft, summary, event.touched);
  touch(draft, event.touched);
}

/**
 * Regenerable output stays as a layer of the copy (P9). A step with nothing else is settled by that; one with more still waits for
 * what becomes of the rest.
 */
export function kept(draft: Draft, event: LogEventOf<"changes.kept">): void {
  markKept(draft, event);
  putStep(draft, event.operationId, event.at, (step) => {
    const more = step.summary !== undefined && (step.summary.entries.length > 0 || step.summary.git.length > 0);
    const status = step.status === "proposed" && !more ? "kept" : step.status;
    return { ...step, ...whose(event.callId), status, kept: true };
  });
}

/** Kept output landed by a rule of the person's; the layer goes where nothing of it is left. */
export function keptLanded(draft: Draft, event: LogEventOf<"kept.landed">): void {
  const { of, at, rest, left } = event;
  if (rest > 0) return left === undefined ? undefined : putStep(draft, of, at, (step) => ({ ...step, left }));
  putStep(draft, of, at, (step) => ({
    ...step,
    kept: false,
    status: step.status === "kept" ? "dropped" : step.status,
  }));
}

/** An undecided or pending step is dropped, its kept layer stays; of a step that was settled before, the kept layer goes. */
export function dropped(draft: Draft, event: LogEventOf<"changes.dropped">): void {
  const pending = draft.state.steps.findLast((s) => s.operationId === event.operationId)?.status === "pended";
  if (pending) markGone(draft, new Set([event.operationId]));
  putStep(draft, event.operationId, event.at, (step) => {
    const open = step.status === "proposed" || step.status === "conflicted" || step.status === "pended";
    if (open) return { ...step, ...whose(event.callId), status: "dropped" };
    return { ...step, kept: false, status: step.status === "kept" ? "dropped" : step.status };
  });
}

export function conflicted(draft: Draft, event: LogEventOf<"changes.conflicted">): void {
  putStep(draft, event.operationId, event.at, (step) => ({ ...step, ...whose(event.callId), status: "conflicted" }));
}

/** The files are other than the model last saw them: read anew before an edit (T4), and no longer known as the session's own. */
export function undone(
  draft: Draft,
  event: LogEventOf<"changes.undone" | "changes.redone">,
  status: "undone" | "landed",
): void {
  putStep(draft, event.operationId, event.at, (step) => ({ ...step, status }));
  if (status === "undone") markGone(draft, new Set([event.operationId]));
  else {
    const step = draft.state.steps.findLast((s) => s.operationId === event.operationId);
    if (step?.summary !== undefined) markChanged(draft, event.operationId, step.summary, []);
  }
  for (const path of event.paths) {
    const full = path.startsWith("/") ? path : join(draft.state.folder, path);
    // No file has this hash.
    if (draft.state.touched.has(full)) draft.touched().set(full, { path: full, hash: "", how: "read" });
    if (draft.state.made.has(full)) draft.made().delete(full);
  }
}

/**
 * Keeps the list of files that this session made (P3). A new file becomes the session's own; a changed one stays so only if nobody
 * else had changed it meanwhile, which the mark `own` says.
 */
function madeBy(draft: Draft, summary: ChangeSummary, touches: readonly Touch[]): void {
  const entries = new Map(
    summary.entries.flatMap((e) => fullPath(draft, e.root, e.path).map((path) => [path, e] as const)),
  );
  for (const { path, hash, how } of touches) {
    const entry = entries.get(path);
    if (how === "written" && entry !== undefined && isOwn(entry)) draft.made().set(path, hash);
    else if (how !== "read" && draft.state.made.has(path)) draft.made().delete(path);
  }
  for (const entry of summary.entries) {
    const gone = entry.op === "rename" ? entry.from : entry.op === "delete" ? entry.path : undefined;
    if (gone === undefined) continue;
    for (const path of fullPath(draft, entry.root, gone)) if (draft.state.made.has(path)) draft.made().delete(path);
  }
}

function isOwn(entry: ChangeEntry): boolean {
  return entry.type === "file" && (entry.op === "create" || entry.marks.includes("own"));
}

function fullPath(draft: Draft, root: number, path: string): [string] | [] {
  const base = draft.state.roots[root];
  return base === undefined ? [] : [join(base.path, path)];
}
