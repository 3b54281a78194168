import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { beginRun } from "../evals/new-run.ts";
import { progressOf, progressRows, reduceProgress, sumLine, trialLine, type Progress } from "../evals/progress.ts";
import type { RedisQueue } from "../evals/queue/redis.ts";
import { findRun, readRun } from "../evals/run-folder.ts";
import { infraProblem, runSuite, type RunEvent, type RunOptions } from "../evals/run-suite.ts";
import { loadSuite, suitesHint, type Suite } from "../evals/suite.ts";
import { withSolutions } from "../evals/solved.ts";
import { checkReplies, modelChoice } from "../evals/trial-model.ts";
import { checkModel, type TrialDeps } from "../evals/trial-session.ts";
import type { Run, RunHeader } from "../evals/trial.ts";
import { PLAIN, variantOf } from "../evals/variant.ts";
import { MODEL } from "../session/defaults.ts";
import { homeOf, programDirs, type Env } from "../session/environment.ts";
import { openStore, type Store } from "../session/store.ts";
import { sanitize } from "../util/visible.ts";
import { randomId, systemClock } from "../util/system.ts";
import type { EvalRunOptions } from "./args-eval.ts";
import { say, tell, tellJson } from "./diff-text.ts";
import { trialEnv } from "./eval-env.ts";
import { openQueue, queued } from "./eval-queue.ts";
import { stopOnSignals } from "./signals.ts";
import { UsageError } from "./usage-error.ts";

/** EX_TEMPFAIL of sysexits: nothing was measured, trying again may help. */
const NO_MEASUREMENT = 75;

/** `agent eval run`: a run for each variant, one after the other. */
export async function evalRun(options: EvalRunOptions, version: string): Promise<number> {
  const store = openStore(programDirs(process.env));
  const stop = stopOnSignals();
  const queue = options.queue === undefined ? undefined : await openQueue(options.queue);
  try {
    return await evalRuns(options, version, { store, stop, queue });
  } finally {
    await queue?.close();
  }
}

async function evalRuns(
  options: EvalRunOptions,
  version: string,
  { store, stop, queue }: { store: Store; stop: ReturnType<typeof stopOnSignals>; queue: RedisQueue | undefined },
): Promise<number> {
  const env = trialEnv(process.env, store.config);
  const begun =
    options.resume === undefined ? await begin(options, store, env, version) : await goOn(options, store.state, env);
  let code = 0;
  for (const { suite: bare, dir, header } of begun) {
    const deps: TrialDeps = {
      dir,
      work: join(store.state, "work"),
      header,
      choice: modelChoice(header.model),
      env,
      version,
      clock: systemClock,
      signal: stop.signal,
      ...(options.rubric === undefined ? {} : { rubric: options.rubric }),
    };
    let suite: Suite;
    try {
      suite = await checkAll(bare, deps, queue !== undefined);
    } catch (error) {
      // Nothing ran in it yet.
      if (options.resume === undefined) rmSync(dir, { recursive: true, force: true });
      throw error;
    }
    const many = { bound: header.tasks.length * header.k };
    const here = { bound: options.jobs ?? Math.max(1, Math.min(4, availableParallelism())) };
    const sent = queue === undefined ? undefined : queued(queue, suite, deps);
    const run = await shown(suite, deps, options.json, sent === undefined ? here : { ...many, runOne: sent.runOne });
    await sent?.settled();
    const ended = stop.code();
    if (ended !== undefined) {
      say(`stopped; to go on: agent eval run --resume ${header.id}`);
      return ended;
    }
    code = Math.max(code, finished(run, options));
  }
  if (begun.length > 1) say(`to compare: agent eval compare ${begun.map(({ header }) => header.id).join(" ")}`);
  return code;
}

function searched(env: Env): { path: string } {
  return { path: env["PATH"] ?? "" };
}

interface Begun {
  suite: Suite;
  dir: string;
  header: RunHeader;
}

async function begin(
  options: EvalRunOptions,
  store: { state: string; config: string },
  env: Env,
  version: string,
): Promise<Begun[]> {
  if (options.suite === undefined)
    throw new UsageError(
      `name the folder of a suite: agent eval run FOLDER. ${suitesHint(resolve("."))} agent eval --help tells the rest.`,
    );
  const suite = await loadSuite(options.suite, searched(env));
  const variants = options.variants.length === 0 ? [PLAIN] : await Promise.all(options.variants.map(variantOf));
  const named = env["ANTHROPIC_MODEL"];
  const deps = {
    state: store.state,
    person: { configDir: store.config, home: homeOf(env) },
    version,
    model: named === undefined || named === "" ? MODEL : named,
    clock: systemClock,
    makeId: randomId,
  };
  return variants.map((variant) => ({ suite, ...beginRun(suite, variant, options, deps) }));
}

async function goOn({ resume = "last", suite }: EvalRunOptions, state: string, env: Env): Promise<Begun[]> {
  if (suite !== undefined) throw new UsageError("--resume goes on with the run's own suite; leave the suite away");
  const { dir, header } = readRun(findRun(state, resume));
  return [{ suite: await loadSuite(header.suiteDir, searched(env)), dir, header }];
}

/** A model that can't be used, or replies that are missing, are told before anything runs. Gives the suite with replies that its solutions make. */
async function checkAll(suite: Suite, deps: TrialDeps, elsewhere: boolean): Promise<Suite> {
  const { header, choice, env } = deps;
  if (choice.kind === "session") {
    // Keys and addresses are those of the machines that run them.
    if (!elsewhere) checkModel(deps, join(deps.dir, "grading", "state"));
    return suite;
  }
  const wanted = new Set(header.tasks.map(({ id }) => id));
  const tasks = suite.tasks.filter(({ id }) => wanted.has(id));
  const whole = await withSolutions({ ...suite, tasks }, choice, env["PATH"] ?? "");
  for (const task of whole.tasks) await checkReplies(choice, task);
  return whole;
}

async function shown(suite: Suite, deps: TrialDeps, json: boolean, how: RunOptions): Promise<Run> {
  const running = runSuite(suite, deps, how);
  let progress = progressOf(readRun(deps.dir));
  const show = json ? jsonLines : process.stdout.isTTY ? liveTable() : plainLines;
  if (!json) tell(`run ${deps.header.id}: ${deps.header.suite} with ${deps.header.model}`);
  for (;;) {
    const step = await running.next();
    if (step.done === true) return step.value;
    progress = reduceProgress(progress, step.value);
    show(progress, step.value);
  }
}

type Show = (progress: Progress, event: RunEvent) => void;

const jsonLines: Show = (_, event) => {
  if (event.kind === "finished") tellJson(event.trial);
};

const plainLines: Show = (_, event) => {
  if (event.kind === "finished") tell(trialLine(event.trial));
  if (event.kind === "again") tell(`${event.trials} that broke are tried again`);
};

/** Drawn over itself with each event. */
function liveTable(): Show {
  let drawn = 0;
  return (progress) => {
    const rows = progressRows(progress, process.stdout.columns - 1, process.stdout.rows - 1);
    const up = drawn === 0 ? "" : `\x1b[${drawn}A\x1b[J`;
    process.stdout.write(`${up}${rows.map((row) => `${sanitize(row)}\n`).join("")}`);
    drawn = rows.length;
  };
}

function finished(run: Run, { json, atLeast = 0 }: EvalRunOptions): number {
  const { header, trials, infra } = run;
  if (json)
    tellJson({ run: header.id, dir: run.dir, trials: trials.length, infra: infra.length, missing: run.missing });
  else if (!process.stdout.isTTY) tell(sumLine(progressOf(run)));
  const breaches = trials.flatMap((t) => t.permissions.breaches.map((b) => `${t.taskId}/${t.trial}: ${b}`));
  for (const breach of breaches.slice(0, 10)) say(`permission proof fails: ${breach}`);
  const problem = infraProblem(run);
  if (!json) tell(`report: agent eval report ${header.id}`);
  if (problem !== undefined) {
    say(`this is no measurement: ${problem}. To go on: agent eval run --resume ${header.id}`);
    return NO_MEASUREMENT;
  }
  const rate = trials.filter((t) => t.outcome === "pass").length / trials.length;
  if (rate < atLeast) say(`${Math.round(rate * 1000) / 10} % passed, fewer than ${atLeast * 100} %`);
  return breaches.length > 0 || rate < atLeast ? 1 : 0;
}
