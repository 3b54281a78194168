import type { SessionState, StepState } from "./state.ts";

/** A layer of the session's copy: a step that waits for the review, or (`pended` false) the regenerable output of one that is settled. */
export interface Layer {
  operationId: string;
  pended: boolean;
}

/** The layers of the session's copy in the order in which they were made, oldest first: what waits for a review, and kept output (P9). */
export function layersOf(state: Pick<SessionState, "steps">): Layer[] {
  return state.steps
    .filter((step) => step.kept || step.status === "pended")
    .map(({ operationId, status }) => ({ operationId, pended: status === "pended" }));
}

/** Changes wait for the review instead of landing: asked for, or since some wait already, on which later ones build. */
export function rehearses(state: Pick<SessionState, "steps" | "rehearsing">): boolean {
  return state.rehearsing || state.steps.some((step) => step.status === "pended");
}

/** A file that waits for the review, by its last state. `files`: of a whole folder, those below. */
export interface PendingEntry {
  root: number;
  path: string;
  op: "create" | "modify" | "delete";
  files: number;
}

/** Files that wait for the review, as far as the steps' summaries tell; what was made and deleted again is not among them. */
export function pendingEntries({ steps }: Pick<SessionState, "steps">): readonly PendingEntry[] {
  const known = found.get(steps) ?? findEntries(steps);
  found.set(steps, known);
  return known;
}

/** Why remembered: a status line asks for it with every frame. */
const found = new WeakMap<readonly StepState[], readonly PendingEntry[]>();

function findEntries(steps: readonly StepState[]): PendingEntry[] {
  const entries = new Map<string, PendingEntry>();
  for (const { status, summary } of steps) if (status === "pended" && summary !== undefined) add(entries, summary);
  return [...entries.values()];
}

/** How many files wait for the review. */
export function pendingFiles(state: Pick<SessionState, "steps">): number {
  return pendingEntries(state).reduce((sum, entry) => sum + entry.files, 0);
}

/** "14 files", "git's state" or "nothing": what waits for the review. */
export function pendingText(state: Pick<SessionState, "steps">): string {
  const files = pendingFiles(state);
  if (files > 0) return files === 1 ? "1 file" : `${files.toLocaleString("en-US")} files`;
  const git = state.steps.some((s) => s.status === "pended" && (s.summary?.git.length ?? 0) > 0);
  return git ? "git's state" : "nothing";
}

function add(entries: Map<string, PendingEntry>, summary: NonNullable<StepState["summary"]>): void {
  for (const { root, path, from, op, type, files } of summary.entries) {
    if (from !== undefined) remove(entries, root, from);
    if (op === "delete") remove(entries, root, path);
    if (op === "delete" ? !entries.has(`${root}/${path}`) : type === "folder" && (files ?? 0) === 0) continue;
    const known = entries.get(`${root}/${path}`);
    const made = known === undefined ? op === "create" || op === "rename" : known.op === "create";
    const now = op === "delete" ? "delete" : made ? "create" : "modify";
    entries.set(`${root}/${path}`, { root, path, op: now, files: files ?? 1 });
  }
}

/** What was made while it was pending is gone without a trace; anything else waits as a deletion. */
function remove(entries: Map<string, PendingEntry>, root: number, path: string): void {
  const key = `${root}/${path}`;
  const known = entries.get(key);
  for (const other of entries.keys()) if (other.startsWith(`${key}/`)) entries.delete(other);
  if (known?.op === "create") entries.delete(key);
  else entries.set(key, { root, path, op: "delete", files: known?.files ?? 1 });
}
