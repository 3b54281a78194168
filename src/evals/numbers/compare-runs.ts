import type { Run, RunHeader } from "../trial.ts";
import { bootstrapUnbounded } from "./bootstrap.ts";
import { compareTasks, type Comparison } from "./compare.ts";
import type { Interval } from "./interval.ts";
import { mean } from "./mean.ts";
import { MEASURES, type MeasureName, summarise, taskMedian, type TaskSummary } from "./summary.ts";

/** What two runs can't be compared for; the message says why. */
export class CompareError extends Error {
  override name = "CompareError";
}

export interface TaskDifference {
  id: string;
  title: string;
  base: { n: number; passes: number };
  candidate: { n: number; passes: number };
}

/** By how much a measure changed from task to task, in its own unit; `share` of the base's mean. */
export interface MeasureDifference {
  name: MeasureName;
  base: number;
  candidate: number;
  difference: number;
  interval: Interval | undefined;
  tasks: number;
}

export interface RunComparison {
  base: RunHeader;
  candidate: RunHeader;
  rates: Comparison;
  tasks: readonly TaskDifference[];
  measures: readonly MeasureDifference[];
  /** What to know before relying on it. */
  notes: readonly string[];
}

/**
 * Compares a run with the one before it. The margin of non-inferiority is the one that stands in the candidate's header, set before it ran; one that is given only now
 * is used and told as such.
 * @throws CompareError where they are of different suites, or have no task with verdicts in common.
 */
export function compareRuns(base: Run, candidate: Run, delta?: number): RunComparison {
  const [before, after] = [base.header, candidate.header];
  if (before.suiteHash !== after.suiteHash)
    throw new CompareError(
      `${before.id} and ${after.id} are runs of different suites, or the suite's files changed between them (${before.suite} ${before.suiteHash.slice(0, 8)}, ${after.suite} ${after.suiteHash.slice(0, 8)}); run both on the same files`,
    );
  const both = pairs(base, candidate);
  const margin = after.delta ?? delta;
  const counts = both.map(([a, b]) => ({
    id: a.id,
    base: { n: a.n, c: a.passes },
    candidate: { n: b.n, c: b.passes },
  }));
  if (!counts.some((pair) => pair.base.n > 0 && pair.candidate.n > 0))
    throw new CompareError(`${before.id} and ${after.id} have no task in common that both have a verdict on`);
  return {
    base: before,
    candidate: after,
    rates: compareTasks(counts, {
      seed: before.seed,
      margin,
      marginNow: after.delta === undefined,
      names: namesOf(before, after),
    }),
    tasks: both.map(([a, b]) => ({
      id: a.id,
      title: a.title,
      base: { n: a.n, passes: a.passes },
      candidate: { n: b.n, passes: b.passes },
    })),
    measures: MEASURES.flatMap((name) => measureDifference(name, both, before.seed) ?? []),
    notes: notesOf(base, candidate, both.length, delta),
  };
}

/** What tells the two apart for the person who ran them; undefined where neither variant nor model does. */
export function namesOf(base: RunHeader, candidate: RunHeader): { base: string; candidate: string } | undefined {
  for (const key of ["variant", "model"] as const)
    if (base[key] !== candidate[key] && base[key] !== "" && candidate[key] !== "")
      return { base: base[key], candidate: candidate[key] };
  return undefined;
}

function pairs(base: Run, candidate: Run): (readonly [TaskSummary, TaskSummary])[] {
  const others = new Map(summarise(candidate).tasks.map((task) => [task.id, task]));
  return summarise(base).tasks.flatMap((task) => {
    const other = others.get(task.id);
    return other === undefined ? [] : [[task, other] as const];
  });
}

function measureDifference(
  name: MeasureName,
  both: readonly (readonly [TaskSummary, TaskSummary])[],
  seed: number,
): MeasureDifference | undefined {
  const known = both.flatMap(([a, b]) => {
    const [base, candidate] = [taskMedian(a, name), taskMedian(b, name)];
    return base === undefined || candidate === undefined ? [] : [{ base, candidate }];
  });
  if (known.length === 0) return undefined;
  const differences = known.map(({ base, candidate }) => candidate - base);
  return {
    name,
    base: mean(known.map((k) => k.base)),
    candidate: mean(known.map((k) => k.candidate)),
    difference: mean(differences),
    interval: bootstrapUnbounded(differences, { seed }),
    tasks: known.length,
  };
}

function notesOf(base: Run, candidate: Run, common: number, delta: number | undefined): string[] {
  const [before, after] = [base.header, candidate.header];
  const notes: string[] = [];
  const most = Math.max(before.tasks.length, after.tasks.length);
  if (common < most) notes.push(`${common} of ${most} tasks are in both runs; only those are compared.`);
  for (const { header, missing } of [base, candidate])
    if (missing > 0) notes.push(`Run ${header.id} is not whole: ${missing} trials have no verdict.`);
  if (before.mode !== after.mode)
    notes.push(`The modes differ: ${before.mode ?? "as each task says"}, ${after.mode ?? "as each task says"}.`);
  if (before.version !== after.version) notes.push(`The versions differ: ${before.version}, ${after.version}.`);
  if (after.delta === undefined && delta !== undefined)
    notes.push("The margin was not set before the run but given now, with the result in sight: it proves little.");
  else if (after.delta !== undefined && delta !== undefined && after.delta !== delta)
    notes.push(`The run was begun with a margin of ${100 * after.delta} points; that one counts.`);
  if (after.delta !== undefined && before.delta !== undefined && before.delta !== after.delta)
    notes.push(`The earlier run had another margin (${100 * before.delta} points); the later one's counts.`);
  return notes;
}
