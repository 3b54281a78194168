import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Script } from "../model/scripted.ts";
import { type FixturePlace, layOut } from "./fixture.ts";
import { type Difference, differences, snapshotOf } from "./snapshot.ts";
import type { Suite, Task } from "./suite.ts";
import type { ModelChoice } from "./trial-model.ts";
import { SuiteError } from "./yaml-file.ts";

/** Characters of base64 in one command. */
const PIECE = 60_000;
/** A solution that is larger is no piece of work to try graders with. */
const MOST = 4_000_000;

/**
 * The suite with replies for those of its tasks that have a solution and no `oracle.yaml`, where this model is played from replies: the
 * commit's changes, made by commands. @throws SuiteError
 */
export async function withSolutions(suite: Suite, choice: ModelChoice, path: string): Promise<Suite> {
  if (choice.kind !== "stochastic" && (choice.kind !== "replies" || choice.name !== "oracle")) return suite;
  const tasks: Task[] = [];
  for (const task of suite.tasks) {
    if (task.solution === undefined || existsSync(join(task.dir, "oracle.yaml"))) tasks.push(task);
    else tasks.push({ ...task, replies: await solved(task, task.solution, { suiteDir: suite.dir, path }) });
  }
  return { ...suite, tasks };
}

async function solved({ id, fixture, hidden }: Task, solution: string, place: FixturePlace): Promise<Script> {
  if (fixture === undefined || !("git" in fixture)) throw new SuiteError([`task ${id}: its fixture is no commit`]);
  const { git, ref, path } = fixture;
  const part = path === undefined ? {} : { path };
  const temp = mkdtempSync(join(tmpdir(), "understudy-solution-"));
  try {
    const [before, after] = [join(temp, "before"), join(temp, "after")];
    await layOut({ git, ref, ...part }, before, place);
    await layOut({ git, ref: solution, ...part }, after, place);
    const own = hidden === undefined ? new Map<string, string>() : await snapshotOf(hidden);
    const todo = differences(await snapshotOf(before), await snapshotOf(after)).filter(({ path: at }) => !own.has(at));
    if (todo.length === 0) throw new SuiteError([`task ${id}: its solution is as its fixture, the hidden files aside`]);
    const lines = todo.flatMap((difference) => commandsFor(difference, after));
    if (lines.reduce((sum, line) => sum + line.length, 0) > MOST)
      throw new SuiteError([`task ${id}: what its solution changes is too large; write an oracle.yaml`]);
    const turns = packed(lines).map((command) => ({ calls: [{ name: "Bash", input: { command } }] }));
    return Script.parse({ turns: [...turns, { text: "It is done." }] });
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** As few commands as hold all lines. */
function packed(lines: readonly string[]): string[] {
  const commands: string[] = [];
  for (const line of lines) {
    const last = commands.at(-1);
    if (last === undefined || last.length + line.length > PIECE) commands.push(`set -e\n${line}`);
    else commands[commands.length - 1] = `${last}\n${line}`;
  }
  return commands;
}

/** Commands that make one path as it is below this folder. */
function commandsFor({ path, what }: Difference, dir: string): string[] {
  const at = quoted(path);
  if (what === "deleted") return [`rm -r -- ${at}`];
  const file = join(dir, path);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return [`mkdir -p -- ${at}`];
  const text = readFileSync(file).toString("base64");
  const pieces = Array.from({ length: Math.max(1, Math.ceil(text.length / PIECE)) }, (_, i) =>
    text.slice(i * PIECE, (i + 1) * PIECE),
  );
  const mode = (stat.mode & 0o111) === 0 ? "-x" : "+x";
  return pieces.map((piece, i) => {
    const put = `printf %s ${piece === "" ? "''" : piece} | base64 -d ${i === 0 ? ">" : ">>"} ${at}`;
    return i === 0 ? `mkdir -p -- ${quoted(dirname(path))} && ${put} && chmod ${mode} -- ${at}` : put;
  });
}

function quoted(path: string): string {
  return `'./${path.replaceAll("'", "'\\''")}'`;
}
