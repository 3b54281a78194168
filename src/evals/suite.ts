import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Mode } from "../events/effect.ts";
import type { Script } from "../model/scripted.ts";
import type { Grader } from "./grader-schema.ts";
import { pinned } from "./pinned.ts";
import { hashOfAll } from "./suite-hash.ts";
import { SuiteFile, TaskFile, type Answers, type Fixture, type TrialLimits } from "./suite-schema.ts";
import { readYaml, SuiteError } from "./yaml-file.ts";

/** A task with what the suite says for all of them. Paths are absolute. */
export interface Task {
  id: string;
  title: string;
  /** Where its own files lie: replies of a scripted model, hidden tests. */
  dir: string;
  prompts: readonly string[];
  fixture?: Fixture;
  setup?: string;
  mode: Mode;
  answers: Answers;
  limits: TrialLimits;
  trust: boolean;
  ends: TaskFile["ends"];
  tags: readonly string[];
  hidden?: string;
  /** A commit of the fixture's repository. */
  solution?: string;
  /** Of the oracle, where no file of the task has them. */
  replies?: Script;
  p?: number;
  graders: readonly Grader[];
}

export interface Suite {
  name: string;
  description: string;
  dir: string;
  hash: string;
  trials: number;
  seed: number;
  delta?: number;
  maxInfraShare: number;
  tasks: readonly Task[];
}

/** A task that says nothing of them has these: an endless trial would cost as much as all others. */
const LIMITS: TrialLimits = { turns: 50, minutes: 15 };

/** Where git is looked for, if nothing else is said. */
const PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * Reads a suite's folder. Commits that its fixtures name are those that the names stand for now. `path`: the search path for `git`.
 * @throws SuiteError with file and line of every problem.
 */
export async function loadSuite(folder: string, { path = PATH }: { path?: string } = {}): Promise<Suite> {
  const { places, ...suite } = await readSuite(folder);
  if (places.problems.length > 0) throw new SuiteError(places.problems);
  const { tasks, commits, problems } = await pinned(suite.tasks, { suiteDir: suite.dir, path });
  if (problems.length > 0) throw new SuiteError(problems.map((problem) => `${suite.dir}: ${problem}`));
  return { ...suite, tasks, hash: await hashOfAll([suite.dir, ...places.outside], commits) };
}

/** What a suite's own files say, whether its fixtures lie where they say or not. @throws SuiteError */
export async function readSuite(
  folder: string,
): Promise<Omit<Suite, "hash"> & { places: { problems: string[]; outside: string[] } }> {
  const dir = folderOf(folder);
  const file = await readYaml(join(dir, "suite.yaml"), SuiteFile);
  const inline = Object.entries(file.tasks).map(([id, task]) => ({
    id,
    task,
    dir: join(dir, "tasks", id),
    file: "suite.yaml",
  }));
  const apart = await Promise.all(
    taskIds(dir).map(async (id) => {
      const at = join(dir, "tasks", id);
      return { id, task: await readYaml(join(at, "task.yaml"), TaskFile), dir: at, file: `tasks/${id}/task.yaml` };
    }),
  );
  const all = [...inline, ...apart];
  const problems = all.flatMap(({ id, task, dir: at, file: where }) => [
    ...(inline.some((t) => t.id === id) && apart.some((t) => t.id === id) && where !== "suite.yaml"
      ? [`${join(dir, where)}: task ${id} is in suite.yaml too`]
      : []),
    ...missing(dir, task.fixture ?? file.fixture, task.hidden === undefined ? undefined : resolve(at, task.hidden)).map(
      (what) => `${join(dir, where)}: task ${id}: ${what}`,
    ),
  ]);
  if (all.length === 0)
    problems.push(`${join(dir, "suite.yaml")}: there is no task, neither here nor in tasks/<id>/task.yaml`);
  return {
    places: { problems, outside: outside(dir, [file, ...all.map(({ task }) => task)]) },
    name: file.name,
    description: file.description ?? "",
    dir,
    trials: file.trials,
    seed: file.seed ?? 1,
    ...(file.delta === undefined ? {} : { delta: file.delta }),
    maxInfraShare: file.maxInfraShare,
    tasks: all.map(({ id, task, dir: at }) => taskOf(id, task, file, at)),
  };
}

/** Fixtures that lie elsewhere belong to the suite all the same; a git repository counts by its commit. */
function outside(dir: string, parts: readonly { fixture?: Fixture | undefined }[]): string[] {
  const places = parts.flatMap(({ fixture }) => {
    if (fixture === undefined || "git" in fixture) return [];
    return [resolve(dir, "folder" in fixture ? fixture.folder : fixture.tar)];
  });
  return [...new Set(places)].filter((place) => !place.startsWith(`${dir}/`)).toSorted();
}

/** What there is instead, near the place where one was looked for. */
export function suitesHint(at: string): string {
  const near = [resolve("."), resolve("evals"), resolve("suites"), dirname(at)];
  const found = near.flatMap((dir) => suitesIn(dir).map((name) => relative(resolve("."), join(dir, name)) || "."));
  const some = [...new Set(found)].slice(0, 10);
  return some.length === 0
    ? "agent eval init DIR makes one."
    : `There is ${some.map((name) => (name.startsWith("..") ? name : `./${name}`)).join(", ")}; agent eval init DIR makes one.`;
}

function suitesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => existsSync(join(dir, name, "suite.yaml")));
  } catch {
    return [];
  }
}

function folderOf(folder: string): string {
  const at = resolve(folder);
  const file = join(at, "suite.yaml");
  if (!existsSync(file))
    throw new SuiteError([`${folder}: this is no suite, since it has no suite.yaml. ${suitesHint(at)}`]);
  return realpathSync(at);
}

function taskIds(dir: string): string[] {
  const at = join(dir, "tasks");
  if (!existsSync(at)) return [];
  return readdirSync(at)
    .filter((id) => existsSync(join(at, id, "task.yaml")))
    .toSorted();
}

function missing(dir: string, fixture: Fixture | undefined, hidden: string | undefined): string[] {
  const place =
    fixture === undefined
      ? undefined
      : resolve(dir, "folder" in fixture ? fixture.folder : "tar" in fixture ? fixture.tar : fixture.git);
  const beside =
    place === undefined || fixture === undefined || !("git" in fixture)
      ? []
      : (fixture.with ?? []).map((name) => resolve(place, fixture.path ?? "", name));
  const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;
  return [
    ...(place === undefined || isThere(place) ? [] : [`there is no fixture ${place}`]),
    ...beside
      .filter((path) => !isThere(path))
      .map((path) => `there is no ${path}, which the fixture is to have with it`),
    ...(hidden === undefined || isThere(hidden) ? [] : [`there is no folder ${hidden} of hidden files`]),
  ];
}

function taskOf(id: string, task: TaskFile, suite: SuiteFile, dir: string): Task {
  const fixture = task.fixture ?? suite.fixture;
  const setup = task.setup ?? suite.setup;
  return {
    id,
    title: task.title ?? id,
    dir,
    prompts: task.prompt,
    ...(fixture === undefined ? {} : { fixture }),
    ...(setup === undefined ? {} : { setup }),
    mode: task.mode ?? suite.mode ?? "ask",
    answers: task.answers ?? suite.answers ?? { permissions: [], questions: [] },
    limits: { ...LIMITS, ...suite.limits, ...task.limits },
    trust: task.trust ?? suite.trust ?? false,
    ends: task.ends,
    tags: task.tags,
    ...(task.hidden === undefined ? {} : { hidden: resolve(dir, task.hidden) }),
    ...(task.solution === undefined ? {} : { solution: task.solution }),
    ...(task.p === undefined ? {} : { p: task.p }),
    graders: task.graders,
  };
}
