import { commitOf } from "./fixture-git.ts";
import type { FixturePlace } from "./fixture.ts";
import type { Task } from "./suite.ts";

/**
 * Tasks whose fixtures of git name commits in full: `HEAD` or a branch is another commit tomorrow, and a run is to be of one. `commits`:
 * for the suite's hash, in the tasks' order. `problems`: a line for each name that no commit has.
 */
export async function pinned(
  tasks: readonly Task[],
  place: FixturePlace,
): Promise<{ tasks: Task[]; commits: string[]; problems: string[] }> {
  const known = new Map<string, Promise<string>>();
  const find = (git: string, ref: string): Promise<string> => {
    const key = JSON.stringify([git, ref]);
    const found = known.get(key) ?? commitOf({ git, ref }, place);
    known.set(key, found);
    return found;
  };
  const commits: string[] = [];
  const problems: string[] = [];
  const all: Task[] = [];
  for (const task of tasks) {
    try {
      const { task: one, commits: its } = await pin(task, find);
      all.push(one);
      commits.push(...its);
    } catch (error) {
      problems.push(`task ${task.id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { tasks: all, commits, problems };
}

async function pin(
  task: Task,
  find: (git: string, ref: string) => Promise<string>,
): Promise<{ task: Task; commits: string[] }> {
  const { fixture, solution } = task;
  if (fixture === undefined || !("git" in fixture)) {
    if (solution !== undefined) throw new Error("solution names a commit, so the fixture must be one: { git, ref }");
    return { task, commits: [] };
  }
  const ref = await find(fixture.git, fixture.ref);
  const solved = solution === undefined ? undefined : await find(fixture.git, solution);
  return {
    task: { ...task, fixture: { ...fixture, ref }, ...(solved === undefined ? {} : { solution: solved }) },
    commits: solved === undefined ? [ref] : [ref, solved],
  };
}
