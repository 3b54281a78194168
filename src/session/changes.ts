import { belongsTo } from "../events/agent-id.ts";
import { sideEffectText } from "../events/side-effect.ts";
import type { Conflict } from "../workspace/change.ts";
import type { JournalStep, TurnKind, UndoPreview, UndoWay } from "../workspace/workspace.ts";
import { pathsOf } from "./catch-up.ts";
import type { LiveParts } from "./live-parts.ts";
import type { ChangeReport, StepPreview, StepRow, UndoHow, WayPreview } from "./session.ts";
import {
  areWords,
  changesOf,
  choiceWords,
  conflictWords,
  countWords,
  nameOf,
  nameWords,
  stepNamed,
} from "./step-words.ts";

/** What an undo needs of a session, or of a run of `agent undo`. */
export type StepParts = Pick<LiveParts, "log" | "workspace">;

const DONE: Readonly<Record<TurnKind, string>> = { undo: "undone", redo: "redone" };

/**
 * Undoes (or redoes) a step: the one named, else the newest of this session that is not undone yet, or what was undone last, together
 * with what was undone with it (W4). What is in the way is told, and nothing is touched then.
 */
export async function turnStep(
  parts: StepParts,
  kind: TurnKind,
  operationId?: string,
  how: UndoHow = "alone",
): Promise<ChangeReport> {
  const ids = await find(parts, kind, operationId);
  if (ids.length === 0) return nothing(operationId, kind);
  return turnSteps(parts, kind, ids, how);
}

/** What it came to, for a report in any form. */
export interface Turned extends ChangeReport {
  steps: readonly string[];
  conflicts: readonly { path: string; why: string }[];
  merged: readonly string[];
  /** What could be done instead, in words. */
  choices: readonly string[];
}

/** The same for several steps as one operation. */
export async function turnSteps(
  parts: StepParts,
  kind: TurnKind,
  ids: readonly string[],
  how: UndoHow = "alone",
): Promise<Turned> {
  const { workspace } = parts;
  // One step needs no look ahead; of several none is to be touched where one can't be.
  const plain = how === "alone" && ids.length === 1 ? await workspace.turn({ kind, steps: ids }) : undefined;
  const preview = plain?.ok === true ? undefined : await workspace.previewTurn({ kind, steps: ids });
  const way = preview === undefined ? undefined : wayOf(preview, how);
  if (preview !== undefined && (plain !== undefined || way === undefined || way.conflicts.length > 0))
    return refused(preview, parts, ids.length, plain?.conflicts ?? way?.conflicts);
  const chosen = way?.steps.map((step) => step.operationId) ?? ids;
  const report = plain ?? (await workspace.turn({ kind, steps: chosen, merge: how === "merge" }));
  if (!report.ok) {
    const text = inTheWay(kind, conflictWords(report.conflicts, workspace));
    return { ...NONE, ok: false, text, conflicts: named(report.conflicts, workspace) };
  }
  const journal = (await workspace.journal()).filter((step) => chosen.includes(step.operationId));
  const turned = kind === "undo" ? journal.toReversed() : journal;
  await record(parts, kind, turned, report.merged);
  const steps = turned.map((step) => step.operationId);
  const merged = report.merged.length === 0 ? "" : ` Later lines stayed in ${nameWords(report.merged, workspace)}.`;
  const what = kind === "undo" ? "Undone" : "Redone";
  const several = steps.length > 1 ? `${steps.length} steps, ` : "";
  const all = changesOf(turned);
  const text = `${what}: ${nameWords(all, workspace, 10)} (${several}${countWords(all, workspace)}).${merged}${kind === "undo" ? stays(parts, steps) : ""}`;
  const paths = turned.flatMap((step) => pathsOf(step, workspace));
  return { ...NONE, ok: true, text, paths, steps, merged: report.merged.map((m) => nameOf(m, workspace)) };
}

/** What of these steps no undo takes back. */
function stays({ log }: StepParts, steps: readonly string[]): string {
  const did = log.state.steps.filter((s) => steps.includes(s.operationId)).flatMap((s) => s.summary?.sideEffects ?? []);
  const words = sideEffectText(did);
  return words === undefined ? "" : ` Not undone: it ${words}.`;
}

const NONE = { paths: [], steps: [], conflicts: [], merged: [], choices: [] };

function named(conflicts: readonly Conflict[], workspace: StepParts["workspace"]): Turned["conflicts"] {
  return conflicts.map((c) => ({ path: nameOf(c, workspace), why: c.why }));
}

/** Each step is a fact; the model is told once, at its next turn. */
async function record(
  { log, workspace }: StepParts,
  kind: TurnKind,
  turned: readonly JournalStep[],
  merged: UndoWay["merged"],
): Promise<void> {
  const type = kind === "undo" ? "changes.undone" : "changes.redone";
  for (const step of turned) {
    await log.append({ type, operationId: step.operationId, by: "person", paths: pathsOf(step, workspace) });
  }
  const steps = turned.length === 1 ? "a step" : `${turned.length} steps`;
  const are = areWords(changesOf(turned), workspace);
  const lines = merged.length === 0 ? "" : ` In ${nameWords(merged, workspace)} lines of later changes stayed.`;
  const ids = new Set(turned.map((step) => step.operationId));
  const git = log.state.steps.flatMap((s) => (ids.has(s.operationId) ? (s.summary?.git ?? []).map((g) => g.text) : []));
  const meant = git.length === 0 ? "" : ` In git that was: ${git.join("; ")}.`;
  const text =
    kind === "undo"
      ? `The person undid ${steps}: ${are} as before.${meant}${lines} Read again before you change them.`
      : `The person redid ${steps} that had been undone: ${are} changed again.${meant}${lines} Read again before you change them.`;
  await log.append({ type: "note.added", text });
}

/** What an undo or redo would do, each way that there is; undefined where there is no such step. Touches nothing. */
export async function previewStep(
  parts: StepParts,
  kind: TurnKind,
  operationId?: string,
): Promise<StepPreview | undefined> {
  const ids = await find(parts, kind, operationId);
  return ids.length === 0 ? undefined : previewSteps(parts, kind, ids);
}

/** The same for several steps. */
export async function previewSteps(
  parts: Pick<StepParts, "workspace">,
  kind: TurnKind,
  ids: readonly string[],
): Promise<StepPreview> {
  const { alone, along, merged } = await parts.workspace.previewTurn({ kind, steps: ids });
  return {
    kind,
    asked: ids,
    alone: await shown(parts, alone),
    ...(along === undefined ? {} : { along: await shown(parts, along) }),
    ...(merged === undefined ? {} : { merged: await shown(parts, merged) }),
  };
}

async function shown({ workspace }: Pick<StepParts, "workspace">, way: UndoWay): Promise<WayPreview> {
  return {
    steps: way.steps.map(({ operationId, at, changes }) => ({
      operationId,
      at,
      text: nameWords(changes, workspace),
    })),
    diffs: await workspace.turnDiffs(way.changes),
    conflicts: named(way.conflicts, workspace),
    merged: way.merged.map((m) => nameOf(m, workspace)),
  };
}

function wayOf({ alone, along, merged }: UndoPreview, how: UndoHow): UndoWay | undefined {
  // Without a conflict there is only one way.
  if (how === "alone" || alone.conflicts.length === 0) return alone;
  return how === "along" ? along : merged;
}

function refused(
  { kind, alone, along, merged }: UndoPreview,
  { workspace }: StepParts,
  count: number,
  found: readonly Conflict[] = alone.conflicts,
): Turned {
  const conflicts = found.length > 0 ? found : alone.conflicts;
  const choices = choiceWords(kind, along, merged, count);
  const could = choices.length === 0 ? "" : ` Possible is: ${choices.join("; or ")}.`;
  const text = `${inTheWay(kind, conflictWords(conflicts, workspace))}.${could}`;
  const paths = conflicts.map((c) => nameOf(c, workspace));
  return { ...NONE, ok: false, text, paths, conflicts: named(conflicts, workspace), choices };
}

function inTheWay(kind: TurnKind, words: string): string {
  return `Nothing was ${DONE[kind]}: ${words}`;
}

/** Ids of what is to be turned; empty where there is none. */
async function find({ workspace, log }: StepParts, kind: TurnKind, operationId?: string): Promise<string[]> {
  const status: JournalStep["status"] = kind === "undo" ? "landed" : "undone";
  const steps = (await workspace.journal()).filter((s) => s.status === status);
  if (operationId !== undefined) {
    const named = stepNamed(steps, operationId);
    return named === undefined ? [] : [named.operationId];
  }
  const own = steps.filter((s) => belongsTo(s.sessionId, log.state.id));
  const newest = own.toSorted(byTurn(kind)).at(-1);
  if (newest === undefined) return [];
  // What was undone as one comes back as one.
  const together = own.filter(
    (s) => s === newest || (kind === "redo" && s.group !== undefined && s.group === newest.group),
  );
  return together.map((s) => s.operationId);
}

/** What was done last is last; of steps of one moment, those that landed later are undone first, and redone last. */
function byTurn(kind: TurnKind): (a: JournalStep, b: JournalStep) => number {
  return (a, b) => {
    if (a.turnedAt !== b.turnedAt) return a.turnedAt < b.turnedAt ? -1 : 1;
    const order = a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
    return kind === "undo" ? order : -order;
  };
}

/** The steps of this session that landed, oldest first, as the person tells them apart. */
export async function listSteps({ workspace, log }: StepParts): Promise<StepRow[]> {
  const own = (await workspace.journal()).filter(
    (s) => belongsTo(s.sessionId, log.state.id) && s.status !== "rolled-back",
  );
  return own.map(({ operationId, at, status, kept, changes }) => ({
    operationId,
    at,
    undone: status === "undone",
    kept,
    text: nameWords(changes, workspace),
  }));
}

function nothing(operationId: string | undefined, verb: string): ChangeReport {
  const text =
    operationId === undefined
      ? `Nothing to ${verb} in this session.`
      : `There is no step ${operationId} to ${verb}. /changes lists the steps.`;
  return { ok: false, text, paths: [] };
}
