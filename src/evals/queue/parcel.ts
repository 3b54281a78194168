import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { Script } from "../../model/scripted.ts";
import { folderName, layOut } from "../fixture.ts";
import type { Grader } from "../grader-schema.ts";
import { readSuite, type Suite, type Task } from "../suite.ts";
import { RunHeader } from "../trial.ts";
import { type Blobs, putJson } from "./blobs.ts";
import { Place, sendPlace } from "./tree.ts";

/** What a task needs from outside of the suite's folder. `files`: by the words by which its graders name them. */
const TaskPlaces = z.strictObject({
  fixture: Place.optional(),
  hidden: Place.optional(),
  files: z.record(z.string(), Place),
  /** Of the oracle, where they are in no file: the repository with the solution stays where it is. */
  replies: Script.optional(),
});
type TaskPlaces = z.infer<typeof TaskPlaces>;

/** All that a machine needs to run the trials of a run: sent once, and named by its hash. */
export const Parcel = z.strictObject({
  v: z.literal(1),
  /** The program's; another one would measure another agent. */
  version: z.string(),
  header: RunHeader,
  rubric: z.string().optional(),
  suite: Place,
  /** Settings of the variant, and the key of the trials' logs: the run's own, no key of the person's. */
  config: Place,
  tasks: z.record(z.string(), TaskPlaces),
});
export type Parcel = z.infer<typeof Parcel>;

/** Sends suite, settings and fixtures of a run; gives the parcel's hash. `path`: the search path for `tar` and `git`. */
export async function sendParcel(
  suite: Suite,
  run: { dir: string; header: RunHeader; rubric?: string; version: string; path: string },
  blobs: Blobs,
): Promise<string> {
  const { header, rubric, version } = run;
  const wanted = new Set(header.tasks.map(({ id }) => id));
  const tasks = suite.tasks.filter(({ id }) => wanted.has(id));
  const fixtures = await sentFixtures(tasks, { suiteDir: suite.dir, path: run.path }, blobs);
  const places: Record<string, TaskPlaces> = {};
  for (const task of tasks) {
    const fixture = fixtures.get(JSON.stringify(task.fixture));
    const hidden = task.hidden === undefined || inside(suite.dir, task.hidden) ? undefined : task.hidden;
    const files: Record<string, Place> = {};
    for (const word of task.graders.flatMap(filesOf)) {
      const at = resolve(suite.dir, word);
      if (!inside(suite.dir, at)) files[word] = await sendPlace(at, blobs);
    }
    places[task.id] = {
      ...(fixture === undefined ? {} : { fixture }),
      ...(hidden === undefined ? {} : { hidden: await sendPlace(hidden, blobs) }),
      files,
      ...(task.replies === undefined ? {} : { replies: task.replies }),
    };
  }
  const parcel: Parcel = {
    v: 1,
    version,
    header,
    ...(rubric === undefined ? {} : { rubric }),
    suite: await sendPlace(suite.dir, blobs),
    config: await sendPlace(join(run.dir, "config"), blobs),
    tasks: places,
  };
  return putJson(blobs, parcel);
}

/** Each fixture once, laid out, since neither a tarball's program nor a repository has to be on every machine. By its JSON. */
async function sentFixtures(
  tasks: readonly Task[],
  place: { suiteDir: string; path: string },
  blobs: Blobs,
): Promise<Map<string, Place>> {
  const sent = new Map<string, Place>();
  for (const { fixture } of tasks) {
    const key = JSON.stringify(fixture);
    if (fixture === undefined || sent.has(key)) continue;
    const temp = mkdtempSync(join(tmpdir(), "understudy-fixture-"));
    try {
      const at = join(temp, folderName(fixture));
      await layOut(fixture, at, place);
      sent.set(key, await sendPlace(at, blobs));
    } finally {
      rmSync(temp, { recursive: true, force: true });
    }
  }
  return sent;
}

function inside(dir: string, path: string): boolean {
  return path.startsWith(`${dir}/`);
}

/** Paths of the suite's that a grader reads. */
function filesOf(grader: Grader): string[] {
  if ("file" in grader) return grader.same === undefined ? [] : [grader.same];
  return "folder" in grader ? [grader.folder] : [];
}

/** A task of a parcel on the machine that runs it. `lay`: gives the path of a place, laid out. @throws Error where the parcel has no such task. */
export async function unpackTask(
  parcel: Parcel,
  taskId: string,
  lay: (place: Place) => Promise<string>,
): Promise<{ task: Task; suiteDir: string }> {
  const suiteDir = await lay(parcel.suite);
  const { tasks } = await readSuite(suiteDir);
  const task = tasks.find(({ id }) => id === taskId);
  const places = parcel.tasks[taskId];
  if (task === undefined || places === undefined) throw new Error(`The run's suite has no task ${taskId}.`);
  const { fixture: _, ...bare } = task;
  const laid = new Map<string, string>();
  for (const [word, place] of Object.entries(places.files)) laid.set(word, await lay(place));
  return {
    suiteDir,
    task: {
      ...bare,
      ...(places.fixture === undefined ? {} : { fixture: { folder: await lay(places.fixture) } }),
      ...(places.hidden === undefined ? {} : { hidden: await lay(places.hidden) }),
      graders: task.graders.map((grader) => moved(grader, laid)),
      ...(places.replies === undefined ? {} : { replies: places.replies }),
    },
  };
}

function moved(grader: Grader, laid: ReadonlyMap<string, string>): Grader {
  if ("file" in grader && grader.same !== undefined) return { ...grader, same: laid.get(grader.same) ?? grader.same };
  return "folder" in grader ? { ...grader, folder: laid.get(grader.folder) ?? grader.folder } : grader;
}
