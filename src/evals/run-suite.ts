import { join } from "node:path";
import { takeLock } from "../events/lock.ts";
import { merge } from "../util/merge.ts";
import { shuffled } from "./chance.ts";
import { openTrials, readRun, RunError, trialKey } from "./run-folder.ts";
import { runTrial, type RunTrial, type TrialJob } from "./run-trial.ts";
import type { Suite } from "./suite.ts";
import type { TrialDeps } from "./trial-session.ts";
import type { Run, Trial } from "./trial.ts";

/** What a front-end shows while a run goes on. */
export type RunEvent =
  | { kind: "begun"; job: TrialJob }
  /** Written and durable. */
  | { kind: "finished"; trial: Trial }
  /** Trials that broke are tried once more. */
  | { kind: "again"; trials: number };

/** How much of a run may break: attempts at one trial, and waiting before another round of them. */
const ATTEMPTS = 3;
const WAIT_MS = 2000;

export interface RunOptions {
  /** Trials at once. */
  bound: number;
  /** Before what broke is tried again. */
  waitMs?: number;
  /** Where a trial runs: here, if nothing else is said. */
  runOne?: RunTrial;
}

/**
 * Runs what a run has no verdict on yet, in an order that its seed decides. What breaks is tried again at
 * the end, up to three times each and within a budget of the run. A verdict is never run again; a half trial is run anew. Gives the run as
 * it stands then.
 * @throws RunError when the suite is no longer the one that the run began with; LogError when another process has the run.
 */
export async function* runSuite(
  suite: Suite,
  deps: TrialDeps,
  { bound, waitMs = WAIT_MS, runOne = runTrial }: RunOptions,
): AsyncGenerator<RunEvent, Run> {
  const { dir, header, clock, signal } = deps;
  if (suite.hash !== header.suiteHash)
    throw new RunError(`The suite ${header.suiteDir} was changed since run ${header.id} began; begin a new run.`);
  const lock = await takeLock(join(dir, "lock"), `the run ${header.id}`, clock);
  try {
    const trials = openTrials(dir);
    try {
      for (let round = 0; !signal.aborted; round++) {
        const jobs = jobsLeft(suite, readRun(dir));
        if (jobs.length === 0) break;
        if (round > 0) {
          yield { kind: "again", trials: jobs.length };
          await clock.sleep(waitMs * round, signal);
        }
        const budget = { left: infraBudget(readRun(dir)) };
        yield* merge(
          jobs.map((job) => one(job, { deps, runOne, trials, budget })),
          bound,
        );
        if (budget.left <= 0) break;
      }
    } finally {
      trials.close();
    }
    return readRun(dir);
  } finally {
    lock.release();
  }
}

async function* one(
  job: TrialJob,
  {
    deps,
    runOne,
    trials,
    budget,
  }: { deps: TrialDeps; runOne: RunTrial; trials: ReturnType<typeof openTrials>; budget: { left: number } },
): AsyncGenerator<RunEvent> {
  if (deps.signal.aborted || budget.left <= 0) return;
  yield { kind: "begun", job };
  const trial = await runOne(deps, job);
  if (trial === undefined) return;
  if (trial.outcome === "infra") budget.left--;
  trials.append(trial);
  yield { kind: "finished", trial };
}

/** Trials without a verdict that may be tried, in the run's order. */
function jobsLeft(suite: Suite, { header, trials, infra }: Run): TrialJob[] {
  const ended = new Set(trials.filter((t) => t.outcome !== "infra").map((t) => trialKey(t.taskId, t.trial)));
  const attempts = (taskId: string, trial: number) =>
    infra.filter((t) => t.taskId === taskId && t.trial === trial).length;
  const wanted = new Set(header.tasks.map(({ id }) => id));
  const all = suite.tasks
    .filter((task) => wanted.has(task.id))
    .flatMap((task) =>
      Array.from({ length: header.k }, (_, i) => ({ task, trial: i + 1, attempt: attempts(task.id, i + 1) + 1 })),
    );
  const left = all.filter(({ task, trial, attempt }) => !ended.has(trialKey(task.id, trial)) && attempt <= ATTEMPTS);
  return shuffled(left, ({ task, trial }) => trialKey(task.id, trial), header.seed);
}

/** How many more attempts may break before nothing more is tried: twice what the run allows, and a few in any case. */
function infraBudget({ header, infra }: Run): number {
  return Math.max(3, Math.ceil(2 * header.maxInfraShare * header.tasks.length * header.k)) - infra.length;
}

/** Why a run is no measurement, in words; undefined where it is one. */
export function infraProblem({ header, trials, infra, missing }: Run): string | undefined {
  const attempts = trials.filter((t) => t.outcome !== "infra").length + infra.length;
  const last = infra.at(-1)?.reason ?? "";
  const share = attempts === 0 ? 0 : infra.length / attempts;
  if (share > header.maxInfraShare) {
    const percent = (x: number) => `${Math.round(x * 100)} %`;
    return `${infra.length} of ${attempts} attempts broke (${percent(share)}, at most ${percent(header.maxInfraShare)} may); the last: ${last}`;
  }
  if (missing === 0) return undefined;
  return `${missing} of ${header.tasks.length * header.k} trials have no verdict${last === "" ? "" : `; the last that broke: ${last}`}`;
}
