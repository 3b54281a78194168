import { cpSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { NO_USAGE } from "../events/usage.ts";
import { privateFolder } from "../events/private.ts";
import { homeOf } from "../session/environment.ts";
import { chance } from "./chance.ts";
import { copyOver } from "./copy-over.ts";
import { makeShellDirs, type ShellPlace, withShell } from "./copy-shell.ts";
import { folderName, layOut } from "./fixture.ts";
import { grade } from "./grade.ts";
import { inTime, mostMs } from "./in-time.ts";
import { judge } from "./judge.ts";
import { permissionFacts } from "./permission-facts.ts";
import { snapshotOf } from "./snapshot.ts";
import type { Task } from "./suite.ts";
import { variantShows } from "./variant.ts";
import { modelOf } from "./trial-model.ts";
import { proofOf, runPrompts, trialSetup, type TrialDeps } from "./trial-session.ts";
import type { Trial } from "./trial.ts";

export interface TrialJob {
  task: Task;
  trial: number;
  attempt: number;
}

/**
 * The folders of one trial. What the agent sees (`own` and below: its files, its settings, the long results that it may read) has a path
 * that tells neither what the task is nor that it is one; `log` says which trial it is, and has its state once it ended.
 */
function placesOf({ dir, work, header }: TrialDeps, { task, trial }: TrialJob) {
  const name = Math.floor(chance("folder", header.seed, header.id, task.id, trial) * 2 ** 40)
    .toString(36)
    .padStart(8, "0");
  const own = join(work, name);
  const is = `${task.id}.${trial}`;
  return {
    own,
    folder: join(own, "files", folderName(task.fixture)),
    config: join(own, "program", "config"),
    state: join(own, "program", "state"),
    grading: join(dir, "grading", name),
    log: join("logs", is),
    logs: join(dir, "logs", is),
    failed: join(dir, "failed", is),
  };
}

/** Runs one trial to its verdict; undefined: the signal ended it, so nothing is to be recorded. */
export type RunTrial = (deps: TrialDeps, job: TrialJob) => Promise<Trial | undefined>;

/**
 * Runs one trial here, from a fresh copy of its fixture. What a half one left is taken away first. What breaks around the agent
 * (service, disk, a grader) is the outcome infra, as is one that goes on when all of its limits are over.
 */
export const runTrial: RunTrial = async (deps, job) => {
  const ms = mostMs(job.task);
  if (ms === undefined) return tried(deps, job);
  const { signal, clock } = deps;
  const startedAt = isoNow(deps);
  const ended = await inTime((own) => tried({ ...deps, signal: own }, job), { ms, signal, clock });
  if (!ended.late) return ended.value;
  if (signal.aborted) return undefined;
  return brokenTrial(
    deps,
    job,
    `it went on for ${Math.round(ms / 60_000)} minutes, longer than its limits allow`,
    startedAt,
  );
};

const tried: RunTrial = async (deps, job) => {
  const at = placesOf(deps, job);
  const startedAt = isoNow(deps);
  for (const dir of [at.own, at.grading, at.logs, at.failed]) rmSync(dir, { recursive: true, force: true });
  const base = baseOf(deps, job, startedAt, at.log);
  try {
    const trial = await worked(deps, job, at, base);
    if (trial?.outcome === "pass") slim(at.state);
    if (trial?.outcome === "fail") move(at.folder, at.failed);
    if (trial !== undefined) move(at.state, at.logs);
    return deps.signal.aborted ? undefined : trial;
  } catch (error) {
    if (deps.signal.aborted) return undefined;
    return brokenTrial(deps, job, error instanceof Error ? error.message : String(error), startedAt);
  } finally {
    for (const dir of [at.own, at.grading]) rmSync(dir, { recursive: true, force: true });
  }
};

type Places = ReturnType<typeof placesOf>;

/** Moves a folder; a run's own may lie on another disk. */
function move(from: string, to: string): void {
  privateFolder(dirname(to));
  try {
    renameSync(from, to);
  } catch {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
}

/** Of a trial that passed the log is kept, and what it refers to: not the journal of a folder that is gone, nor HOME of its commands. */
function slim(state: string): void {
  const below = (dir: string, goes: (name: string) => boolean): void => {
    for (const name of readdirSync(dir).filter(goes)) rmSync(join(dir, name), { recursive: true, force: true });
  };
  below(state, (name) => !["sessions", "content", "results"].includes(name));
  below(join(state, "sessions"), (name) => name.endsWith(".home"));
}

/** A trial that broke around the agent, for this reason. */
export function brokenTrial(deps: TrialDeps, job: TrialJob, reason: string, startedAt = isoNow(deps)): Trial {
  return { ...baseOf(deps, job, startedAt, placesOf(deps, job).log), reason: oneLine(reason) };
}

function isoNow({ clock }: TrialDeps): string {
  return new Date(clock.now()).toISOString();
}

function baseOf({ header }: TrialDeps, { task, trial, attempt }: TrialJob, startedAt: string, log: string): Trial {
  return {
    v: 1,
    taskId: task.id,
    trial,
    variant: header.variant,
    mode: header.mode ?? task.mode,
    outcome: "infra",
    reason: "",
    graders: [],
    end: "none",
    steps: 0,
    calls: 0,
    tokens: NO_USAGE,
    durationMs: 0,
    startedAt,
    attempt,
    permissions: { asked: 0, denied: 0, byMode: {}, breaches: [] },
    log,
  };
}

async function worked(deps: TrialDeps, job: TrialJob, at: Places, base: Trial): Promise<Trial | undefined> {
  const { task, trial } = job;
  const { dir, header, env, version, clock } = deps;
  const { config } = at;
  for (const parent of [at.own, dirname(at.folder), at.state, join(dir, "grading")]) privateFolder(parent);
  cpSync(join(dir, "config"), config, { recursive: true, verbatimSymlinks: true });
  await layOut(task.fixture, at.folder, { suiteDir: header.suiteDir, path: env["PATH"] ?? "" });
  const folder = realpathSync(at.folder);
  const shell = { dirs: { config: join(at.grading, "config"), state: join(at.grading, "state") }, env, version, clock };
  const shows = variantShows(config, homeOf(env));
  if (task.setup !== undefined) await setUpFolder(task.setup, { ...shell, folder }, shows);
  const before = await snapshotOf(folder);
  const model = await modelOf(deps.choice, task, { n: trial, seed: header.seed }, clock);
  const setup = trialSetup(deps, task, { folder, config, state: at.state }, model);
  const done = await runPrompts(setup, task, deps.signal);
  if (deps.signal.aborted) return undefined;
  const { result, events } = done;
  const claims = await proofOf(setup, done.id, events, clock);
  const facts: Trial = {
    ...base,
    ...done.facts,
    end: result.reason,
    permissions: permissionFacts(events, claims),
    log: join(at.log, "sessions", `${done.id}.jsonl`),
  };
  if (result.reason === "api-error")
    return { ...facts, outcome: "infra", reason: oneLine(result.detail ?? "the service failed") };
  const after = await snapshotOf(folder);
  const read = (path: string) => readText(join(folder, path));
  const judgeModel = deps.rubric === undefined ? undefined : setup.openModel(deps.rubric);
  const graders = await grade(task.graders, {
    folder,
    suiteDir: header.suiteDir,
    before,
    after,
    events,
    reply: result.text,
    turns: done.facts.steps,
    command: (line, timeoutMs) => graded(line, timeoutMs, { at, folder, task, shell, shows }),
    ...(judgeModel === undefined
      ? {}
      : {
          judge: (rubric) =>
            judge(judgeModel, rubric, { prompts: task.prompts, reply: result.text, before, after, read }),
        }),
  });
  const failed = graders.find((g) => !g.ok && g.rubric !== true);
  const ended = task.ends.includes(result.reason)
    ? undefined
    : `ended by ${result.reason}${result.detail === undefined ? "" : `: ${result.detail}`}`;
  const reason = ended ?? (failed === undefined ? "" : `${failed.name}: ${failed.text}`);
  return { ...facts, graders, outcome: reason === "" ? "pass" : "fail", reason: oneLine(reason) };
}

async function setUpFolder(setup: string, place: ShellPlace, shows: readonly string[]): Promise<void> {
  makeShellDirs(place.dirs, shows);
  const { exit, output } = await withShell(place, (run) => run(setup, 300_000));
  if (exit !== 0)
    throw new Error(
      `The task's setup failed (exit code ${exit ?? "none"}): ${output.trimEnd().split("\n").at(-1) ?? ""}`,
    );
}

/** A grader's command runs in a copy of its own, with the hidden files over it. */
async function graded(
  line: string,
  timeoutMs: number,
  {
    at,
    folder,
    task,
    shell,
    shows,
  }: { at: Places; folder: string; task: Task; shell: Omit<ShellPlace, "folder">; shows: readonly string[] },
): Promise<{ exit: number | null; output: string }> {
  rmSync(at.grading, { recursive: true, force: true });
  makeShellDirs(shell.dirs, shows);
  const copy = join(at.grading, folderName(task.fixture));
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  if (task.hidden !== undefined) copyOver(task.hidden, copy);
  return withShell({ ...shell, folder: realpathSync(copy) }, (run) => run(line, timeoutMs));
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function oneLine(text: string): string {
  return text.split("\n").join(" ").slice(0, 500);
}
