import { sideEffectText } from "../events/side-effect.ts";
import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import { findSession } from "../events/sessions.ts";
import type { SessionState, StepState } from "../events/state.ts";
import { openStore, type Store } from "../session/store.ts";
import { nameWords, stepNamed } from "../session/step-words.ts";
import { randomId, systemClock } from "../util/system.ts";
import { showPath } from "../util/bytes.ts";
import { visible } from "../util/visible.ts";
import { openWorkspace } from "../workspace/open.ts";
import { UNDO_KEEP } from "../workspace/prune.ts";
import { findRoots } from "../workspace/roots.ts";
import type { FileDiff, JournalStep, Workspace } from "../workspace/workspace.ts";
import { diffText, say, tell, tellJson } from "./diff-text.ts";
import { programDirs } from "../session/environment.ts";
import { UsageError } from "./usage-error.ts";

interface Wanted {
  session?: string;
  step?: string;
  json: boolean;
}

/** One step as it is listed. */
interface Row {
  step: string;
  at: string;
  session: string;
  status: string;
  /** It can be undone (or redone). */
  kept: boolean;
  text: string;
  files: string[];
  /** What else it did, which no undo takes back. */
  beyond?: string;
}

/**
 * `agent changes [SESSION] [STEP]`: what landed in this folder, or what a session changed, newest first; with a step its diff. Nothing is
 * changed, and a running session can be looked at too.
 */
export async function printChanges({ session, step, json }: Wanted): Promise<number> {
  const store = openStore(programDirs(process.env));
  const state = session === undefined ? undefined : await stateOf(store, session);
  const roots = state === undefined ? await findRoots({ folder: process.cwd() }) : state.roots;
  const workspace = await openWorkspace(
    { roots, foldersDir: store.folders, sessionId: "changes" },
    { clock: systemClock, makeId: randomId },
  );
  try {
    for (const note of workspace.recovered) say(note);
    const journal = await workspace.journal();
    const rows = state === undefined ? journal.map((s) => rowOf(s, workspace)) : rowsOf(state, journal, workspace);
    if (step !== undefined) return await printStep(workspace, rows, step, json);
    for (const row of rows.toReversed()) {
      if (json) tellJson(row);
      else tell(lineOf(row));
    }
    if (rows.length === 0)
      say(state === undefined ? "nothing has landed in this folder yet" : "this session has changed nothing");
    else if (!json) tell(`undo: ${storeLine(journal)}`);
    return 0;
  } finally {
    await workspace.close();
  }
}

async function stateOf(store: Store, session: string): Promise<SessionState> {
  const { id } = findSession(store.sessions, session);
  const log = { sessionsDir: store.sessions, contentDir: store.content, sessionId: id, key: loadKey(store.key) };
  const { state, notices } = await loadLog(log);
  for (const notice of notices) say(notice);
  return state;
}

function rowOf(step: JournalStep, workspace: Workspace): Row {
  const { operationId, at, sessionId, status, kept, changes } = step;
  const text = nameWords(changes, workspace, 4);
  const files = changes.map((c) => visible(showPath(c.path), ""));
  return {
    step: operationId,
    at,
    session: sessionId,
    status: statusOf(step),
    kept: kept && status !== "rolled-back",
    text,
    files,
  };
}

function statusOf({ status, kept }: JournalStep): string {
  return status === "rolled-back" || kept
    ? status
    : `${status}, can't be ${status === "landed" ? "undone" : "redone"} any more`;
}

/** The session's log says what it made, the journal what became of it. */
function rowsOf(state: SessionState, journal: readonly JournalStep[], workspace: Workspace): Row[] {
  return state.steps.map((step) => {
    const known = journal.find((s) => s.operationId === step.operationId);
    const words = sideEffectText(step.summary?.sideEffects ?? []);
    const beyond = words === undefined ? {} : { beyond: visible(words, "") };
    if (known !== undefined) return { ...rowOf(known, workspace), ...beyond };
    const files = (step.summary?.entries ?? []).map((e) => visible(e.path, ""));
    const git = (step.summary?.git ?? []).map((g) => g.text);
    const text = [...files.slice(0, 4), ...(files.length > 4 ? [`${files.length - 4} more`] : []), ...git].join(", ");
    return {
      step: step.operationId,
      at: step.at,
      session: state.id,
      status: forgotten(step),
      kept: false,
      text,
      files,
      ...beyond,
    };
  });
}

function forgotten({ status }: StepState): string {
  return status === "landed" || status === "undone" ? `${status}, can't be turned any more` : status;
}

function lineOf({ step, at, status, text, session }: Row): string {
  return `${step}  ${at.slice(0, 16).replace("T", " ")}  ${status.padEnd(8)}  ${text}  (${session})`;
}

async function printStep(workspace: Workspace, rows: readonly Row[], step: string, json: boolean): Promise<number> {
  const named = stepNamed(
    rows.map((r) => ({ operationId: r.step })),
    step,
  );
  const row = rows.find((r) => r.step === named?.operationId);
  if (row === undefined) throw new UsageError(`there is no step ${step} here; \`agent changes\` without it lists them`);
  const diffs: readonly FileDiff[] | undefined = await workspace.stepDiffs(row.step);
  if (json) {
    tellJson({ ...row, diffs: diffs ?? [] });
    return 0;
  }
  tell(lineOf(row));
  if (row.beyond !== undefined) tell(`it also ${row.beyond}: no undo takes that back`);
  if (diffs === undefined) {
    say("its diff is not kept any more, or nothing of it landed");
    for (const file of row.files) tell(`  ${file}`);
  }
  for (const diff of diffs ?? []) for (const line of diffText(diff)) tell(line);
  return 0;
}

/** What undo occupies, and what it can't do any more. */
export function storeLine(journal: readonly JournalStep[]): string {
  const turned = journal.filter((s) => s.status !== "rolled-back");
  const kept = turned.filter((s) => s.kept);
  const bytes = kept.reduce((sum, s) => sum + s.bytes, 0);
  const lost = turned.length - kept.length;
  const mega = (n: number): string => (n / 1e6).toLocaleString("en-US", { maximumFractionDigits: 1 });
  const gone = lost === 0 ? "" : `; ${lost} older ${lost === 1 ? "one" : "ones"} can't be undone any more`;
  return `${kept.length} of at most ${UNDO_KEEP.steps} steps kept, ${mega(bytes)} of ${mega(UNDO_KEEP.bytes)} MB${gone}`;
}
