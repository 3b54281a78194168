import { belongsTo } from "../events/agent-id.ts";
import type { ChangeSummary } from "../events/effect.ts";
import type { LogEvent, LogEventOf } from "../events/event.ts";
import type { SessionState } from "../events/state.ts";
import { showPath } from "../util/bytes.ts";
import { JOURNAL_STEPS } from "../workspace/prune.ts";
import { isInGit } from "../workspace/git-unit.ts";
import type { JournalStep } from "../workspace/workspace.ts";
import { type Breach, type Claim, count } from "./verify-claim.ts";

type Landed = LogEventOf<"changes.landed">;

/** Steps that touched the log's folder, oldest first; or a text, why there are none to compare with. */
export type JournalSeen = readonly JournalStep[] | string;

/** The log and the door's journal agree on what landed, what was undone, and in which files (W8). */
export function verifyJournal(state: SessionState, events: readonly LogEvent[], journal: JournalSeen): Claim {
  if (typeof journal === "string") return { name: "journal", text: "", breaches: [], skipped: journal };
  const all = events.filter((e): e is Landed => e.type === "changes.landed");
  const landed = landedHere(events);
  const steps = new Map(journal.map((step) => [step.operationId, step]));
  const turned = lastTurns(events);
  const forgotten = landed.filter((e) => isForgotten(e, journal));
  const breaches = landed
    .filter((e) => !forgotten.includes(e))
    .flatMap((e) => compared(e, steps.get(e.operationId), turned.get(e.operationId)?.type === "changes.undone", state));
  const open = journal.filter((step) => isUnrecorded(step, state, all));
  const parts = [
    `${count(landed.length, "landing")} as the journal has ${landed.length === 1 ? "it" : "them"}`,
    ...(landed.length === all.length ? [] : [`${all.length - landed.length} in another folder, not looked at`]),
    ...(forgotten.length === 0 ? [] : [`${forgotten.length} too old for it`]),
    ...(open.length === 0 ? [] : [`${open.length} not yet recorded, a resume does that`]),
  ];
  return {
    name: "journal",
    text: parts.join("; "),
    breaches: [...breaches, ...unknownSteps(state, events, all, journal, open)],
  };
}

/** A session goes on elsewhere where its folder was moved; what it landed before is in the journal of the folder's old name. */
function landedHere(events: readonly LogEvent[]): Landed[] {
  let here: Landed[] = [];
  const byFolder = new Map([["", here]]);
  for (const e of events) {
    if (e.type === "changes.landed") here.push(e);
    if (e.type !== "session.opened" && e.type !== "session.resumed") continue;
    const folder = e.roots[0]?.path ?? e.folder;
    here = byFolder.get(folder) ?? [];
    byFolder.set(folder, here);
  }
  return here;
}

/** The journal forgets its oldest steps whole. */
function isForgotten({ operationId, at }: Landed, journal: readonly JournalStep[]): boolean {
  const oldest = journal[0];
  const known = journal.some((step) => step.operationId === operationId);
  return !known && journal.length >= JOURNAL_STEPS && oldest !== undefined && at < oldest.at;
}

function lastTurns(events: readonly LogEvent[]): Map<string, LogEvent> {
  const turns = events.flatMap((e) =>
    e.type === "changes.undone" || e.type === "changes.redone" ? [[e.operationId, e] as const] : [],
  );
  return new Map(turns);
}

function compared(landed: Landed, step: JournalStep | undefined, undone: boolean, state: SessionState): Breach[] {
  const { seq, operationId } = landed;
  if (step === undefined) return [{ seq, what: `step ${operationId} is not in the journal` }];
  if (step.status === "rolled-back") return [{ seq, what: `step ${operationId} was rolled back, says the journal` }];
  const said = undone ? "undone" : "landed";
  if (step.status !== said)
    return [{ seq, what: `step ${operationId} is ${said} in the log, ${step.status} in the journal` }];
  const strange = step.changes.find((change) => !isTold(change, landed.summary, state));
  if (strange !== undefined)
    return [{ seq, what: `the journal has ${showPath(strange.path)} in step ${operationId}, the log does not` }];
  // What a crash left to be recorded is told as it was proposed, what the person left out included.
  if (landed.by === "recovery") return [];
  const missing = landed.summary.entries.find((entry) => !isIn(entry, step.changes));
  return missing === undefined
    ? []
    : [{ seq, what: `the log has ${missing.path} in step ${operationId}, the journal does not` }];
}

type Change = JournalStep["changes"][number];

/** Listed itself, above or below what is, inside of git's own, or regenerable. */
function isTold({ root, path }: Change, summary: ChangeSummary, { roots }: SessionState): boolean {
  const shown = showPath(path);
  const of = roots[root];
  if (of !== undefined && isInGit(of, path)) return true;
  const near = (other: string): boolean =>
    other === shown || other.startsWith(`${shown}/`) || shown.startsWith(`${other}/`);
  return [
    ...summary.entries.flatMap((e) => [
      { root: e.root, path: e.path },
      ...(e.from === undefined ? [] : [{ root: e.root, path: e.from }]),
    ]),
    ...summary.regenerable,
  ].some((told) => told.root === root && near(told.path));
}

function isIn(entry: { root: number; path: string }, changes: readonly Change[]): boolean {
  return changes.some((change) => {
    if (change.root !== entry.root) return false;
    const shown = showPath(change.path);
    return shown === entry.path || (change.tree !== undefined && entry.path.startsWith(`${shown}/`));
  });
}

/** The journal has it as landed and the log as proposed: the program ended in between. */
function isUnrecorded(step: JournalStep, state: SessionState, landed: readonly Landed[]): boolean {
  if (step.sessionId !== state.id || step.status !== "landed") return false;
  if (landed.some((e) => e.operationId === step.operationId)) return false;
  return state.steps.findLast((s) => s.operationId === step.operationId)?.status === "proposed";
}

/** Steps of this session that the log knows nothing of, or says did not land. Kept output that the person landed is told otherwise. */
function unknownSteps(
  state: SessionState,
  events: readonly LogEvent[],
  landed: readonly Landed[],
  journal: readonly JournalStep[],
  open: readonly JournalStep[],
): Breach[] {
  const own = new Set(landed.map((e) => e.operationId));
  const taken = new Set(
    events.flatMap((e) =>
      e.type === "kept.landed"
        ? [e.operationId]
        : e.type === "changes.dropped" && e.reason === "landed by the person"
          ? [`${e.operationId}-kept`]
          : [],
    ),
  );
  return journal
    .filter((s) => belongsTo(s.sessionId, state.id) && s.status !== "rolled-back" && !open.includes(s))
    .filter((s) => !own.has(s.operationId) && !taken.has(s.operationId))
    .map((s) => ({
      seq: state.seq,
      what: `step ${s.operationId} of this session is in the journal and did not land by the log`,
    }));
}
