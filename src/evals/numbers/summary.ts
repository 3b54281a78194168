import { promptTokens } from "../../events/usage.ts";
import type { Mode } from "../../events/effect.ts";
import type { Landed, Run, RunHeader, Trial } from "../trial.ts";
import { bootstrapMean } from "./bootstrap.ts";
import { type Interval, normalInterval, wilson } from "./interval.ts";
import { mean } from "./mean.ts";
import { type Median, medianOf, middleOf } from "./median.ts";
import { flipRate, passAtK, passHatK } from "./pass-k.ts";
import { chanceSpread, differenceFound } from "./power.ts";

/** What came of one task. */
export interface TaskSummary {
  id: string;
  title: string;
  tags: readonly string[];
  /** Trials with a verdict. */
  n: number;
  passes: number;
  /** Undefined without a verdict. */
  rate: number | undefined;
  /** In order, one for each that the run promises; undefined where there is none yet. */
  trials: readonly (Trial | undefined)[];
}

/** A mean over tasks with its bootstrap interval. */
export interface Estimate {
  value: number;
  interval: Interval;
  /** Tasks that it is over. */
  tasks: number;
}

/** pass@k: at least one of k trials passes; pass^k: all do. */
export interface PassK {
  k: number;
  any: Estimate;
  all: Estimate;
}

export const MEASURES = ["steps", "tokens", "usd", "ms"] as const;
export type MeasureName = (typeof MEASURES)[number];

/** Medians of the tasks' medians over trials with a verdict. */
export type Measures = Readonly<Record<MeasureName, Median | undefined>>;

export interface RunSummary {
  header: RunHeader;
  tasks: readonly TaskSummary[];
  /** Trials with a verdict, and those that passed. */
  n: number;
  passes: number;
  missing: number;
  infra: { attempts: number; share: number; tooMany: boolean };
  /** Mean over tasks. Undefined without a verdict. */
  rate: Estimate | undefined;
  /** Over trials as if they were independent. */
  normal: Interval;
  wilson: Interval;
  passK: readonly PassK[];
  /** How often two trials of a task end differently; undefined where no task has two. */
  flips: { rate: number; mixed: number } | undefined;
  measures: Measures;
  /** How trials with a verdict ended, the most frequent first. */
  ends: readonly { end: Trial["end"]; trials: number; passes: number }[];
  permissions: Permissions;
  rubrics: readonly { name: string; n: number; ok: number; interval: Interval }[];
  /** The smallest change that another run of the same size finds four times out of five, at best. */
  finds: number | undefined;
}

/** Totals over all trials whose log there is (V5). */
export interface Permissions {
  asked: number;
  denied: number;
  byMode: readonly (Landed & { mode: Mode })[];
  /** "task/1: what", the proof's breaches. */
  breaches: readonly string[];
}

/** What a run came to, out of its trials alone. Pure; the same run gives the same to the digit. */
export function summarise({ header, trials, infra, missing }: Run): RunSummary {
  const tasks = header.tasks.map((task) => taskSummary(task, header.k, trials));
  const counted = tasks.filter(({ n }) => n > 0);
  const n = sum(tasks.map((t) => t.n));
  const passes = sum(tasks.map((t) => t.passes));
  const counts = counted.map((t) => ({ n: t.n, c: t.passes }));
  const attempts = infra.length + n;
  const share = attempts === 0 ? 0 : infra.length / attempts;
  const spread = chanceSpread(counts);
  return {
    header,
    tasks,
    n,
    passes,
    missing,
    infra: { attempts: infra.length, share, tooMany: share > header.maxInfraShare },
    rate: estimate(
      counted.map((t) => t.passes / t.n),
      header.seed,
    ),
    normal: normalInterval(passes, n),
    wilson: wilson(passes, n),
    passK: passKs(counts, header),
    flips: flipsOf(counts),
    measures: measuresOf(counted),
    ends: endsOf(verdicts(trials)),
    permissions: permissionsOf(trials),
    rubrics: rubricsOf(header, trials),
    finds: spread === undefined ? undefined : differenceFound(spread, counted.length),
  };
}

/** Trials that say something about the agent. */
export function verdicts(trials: readonly (Trial | undefined)[]): Trial[] {
  return trials.filter((t) => t !== undefined && t.outcome !== "infra").filter((t) => t !== undefined);
}

function taskSummary(task: RunHeader["tasks"][number], k: number, trials: readonly Trial[]): TaskSummary {
  const of = Array.from({ length: k }, (_, i) => trials.find((t) => t.taskId === task.id && t.trial === i + 1));
  const n = verdicts(of).length;
  const passes = of.filter((t) => t?.outcome === "pass").length;
  return { ...task, n, passes, rate: n === 0 ? undefined : passes / n, trials: of };
}

function estimate(values: readonly number[], seed: number): Estimate | undefined {
  if (values.length === 0) return undefined;
  return { value: mean(values), interval: bootstrapMean(values, { seed }), tasks: values.length };
}

/** So many of the tasks must have k trials with a verdict: a mean over a few of them would be one of other tasks. */
const MOST_TASKS = 0.8;

/** For every k that most tasks have trials for; those with fewer are left out of it. */
function passKs(counts: readonly { n: number; c: number }[], { k: most, seed }: RunHeader): PassK[] {
  return Array.from({ length: most }, (_, i) => i + 1).flatMap((k) => {
    const any = estimate(
      counts.flatMap(({ n, c }) => passAtK(n, c, k) ?? []),
      seed,
    );
    const all = estimate(
      counts.flatMap(({ n, c }) => passHatK(n, c, k) ?? []),
      seed,
    );
    if (any === undefined || all === undefined || all.tasks < MOST_TASKS * counts.length) return [];
    return [{ k, any, all }];
  });
}

function flipsOf(counts: readonly { n: number; c: number }[]): RunSummary["flips"] {
  const rates = counts.flatMap(({ n, c }) => flipRate(n, c) ?? []);
  return rates.length === 0 ? undefined : { rate: mean(rates), mixed: rates.filter((r) => r > 0).length };
}

/** One figure of a trial; undefined where it is not known. */
export function measureOf(trial: Trial, name: MeasureName): number | undefined {
  switch (name) {
    case "steps":
      return trial.steps;
    case "tokens":
      return promptTokens(trial.tokens) + trial.tokens.output;
    case "usd":
      return trial.usd;
    case "ms":
      return trial.durationMs;
  }
}

function measuresOf(tasks: readonly TaskSummary[]): Measures {
  const median = (name: MeasureName): Median | undefined =>
    medianOf(tasks.flatMap((task) => taskMedian(task, name) ?? []));
  return { steps: median("steps"), tokens: median("tokens"), usd: median("usd"), ms: median("ms") };
}

/** Over the trials with a verdict of which it is known. */
export function taskMedian(task: TaskSummary, name: MeasureName): number | undefined {
  const values = verdicts(task.trials).flatMap((trial) => measureOf(trial, name) ?? []);
  return values.length === 0 ? undefined : middleOf(values.toSorted((a, b) => a - b));
}

function endsOf(trials: readonly Trial[]): RunSummary["ends"] {
  const ends = [...new Set(trials.map(({ end }) => end))].map((end) => {
    const of = trials.filter((t) => t.end === end);
    return { end, trials: of.length, passes: of.filter((t) => t.outcome === "pass").length };
  });
  return ends.toSorted((a, b) => b.trials - a.trials);
}

function permissionsOf(trials: readonly Trial[]): Permissions {
  const byMode = new Map<Mode, Landed>();
  for (const { permissions } of trials)
    for (const [mode, landed] of Object.entries(permissions.byMode)) {
      const before = byMode.get(mode as Mode);
      byMode.set(mode as Mode, before === undefined ? landed : added(before, landed));
    }
  // A mode in which nothing landed is told too: in plan mode that is what is to be shown.
  for (const { mode } of trials) if (!byMode.has(mode)) byMode.set(mode, NOTHING);
  return {
    asked: sum(trials.map((t) => t.permissions.asked)),
    denied: sum(trials.map((t) => t.permissions.denied)),
    byMode: [...byMode].map(([mode, landed]) => ({ mode, ...landed })),
    breaches: trials.flatMap((t) => t.permissions.breaches.map((text) => `${t.taskId}/${t.trial}: ${text}`)),
  };
}

const NOTHING: Landed = { writes: 0, writesUnasked: 0, deletes: 0, deletesAsked: 0 };

function added(a: Landed, b: Landed): Landed {
  return {
    writes: a.writes + b.writes,
    writesUnasked: a.writesUnasked + b.writesUnasked,
    deletes: a.deletes + b.deletes,
    deletesAsked: a.deletesAsked + b.deletesAsked,
  };
}

/** What a model judged: beside the verdicts, over the tasks that have it. */
function rubricsOf({ seed }: RunHeader, trials: readonly Trial[]): RunSummary["rubrics"] {
  const judged = verdicts(trials).flatMap((t) =>
    t.graders.filter((g) => g.rubric === true).map(({ name, ok }) => ({ name, ok, taskId: t.taskId })),
  );
  return [...new Set(judged.map(({ name }) => name))].map((name) => {
    const of = judged.filter((g) => g.name === name);
    const rates = [...new Set(of.map((g) => g.taskId))].map((taskId) => {
      const mine = of.filter((g) => g.taskId === taskId);
      return mine.filter((g) => g.ok).length / mine.length;
    });
    return { name, n: of.length, ok: of.filter((g) => g.ok).length, interval: bootstrapMean(rates, { seed }) };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
