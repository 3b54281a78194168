import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sendParcel } from "../../../src/evals/queue/parcel.ts";
import { queueWork } from "../../../src/evals/queue/work.ts";
import { withSolutions } from "../../../src/evals/solved.ts";
import { loadSuite } from "../../../src/evals/suite.ts";
import { beginAt, filesIn, outcomes, ranAt } from "../../support/evals.ts";
import { memoryBlobs } from "../../support/memory-queue.ts";
import { scratch } from "../../support/scratch.ts";
import { place, type Place } from "../../support/session.ts";

const PATH = process.env["PATH"] ?? "";
const BYTES = Buffer.from([0, 255, 10, 128]);

/** A repository with packages that no commit has, and the commits before and after a piece of work. */
function repository(at: Place): string {
  const repo = filesIn(join(at.folder, "shop"), {
    ".gitignore": "deps\n",
    "deps/tool.sh": "echo tool\n",
    "old.txt": "old\n",
    "it's.txt": "one\n",
    "run.sh": "echo run\n",
    "test/own.txt": "wrong\n",
  });
  const git = (...args: string[]): string =>
    spawnSync("git", ["-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { encoding: "utf8" })
      .stdout;
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "before");
  git("tag", "before");
  rmSync(join(repo, "old.txt"));
  filesIn(repo, { "it's.txt": "two\n", "deep/new/empty.txt": "", "large.txt": "x".repeat(100_000) });
  writeFileSync(join(repo, "bytes.bin"), BYTES);
  chmodSync(join(repo, "run.sh"), 0o755);
  filesIn(repo, { "test/own.txt": "right\n" });
  git("add", ".");
  git("commit", "-qm", "after");
  return repo;
}

function suiteIn(at: Place): string {
  return filesIn(join(at.folder, "mine"), {
    "suite.yaml": "name: s\nanswers: allow\ntrials: 1\n",
    "tasks/t/hidden/test/own.txt": "right\n",
    "tasks/t/task.yaml": `prompt: go
fixture: { git: ../shop, ref: before, with: [deps] }
solution: main
hidden: hidden
graders:
  - command: sh deps/tool.sh && grep -q right test/own.txt
  - command: test "$("$UNDERSTUDY_NODE" --version)" = ${process.version}
  - file: "it's.txt"
    equals: "two\\n"
  - absent: old.txt
  - command: test -x run.sh && test -f deep/new/empty.txt && test "$(od -An -tx1 bytes.bin)" = " 00 ff 0a 80"
  - command: test "$(wc -c < large.txt)" -eq 100000
  - untouched: ["test/**", "deps/**"]
`,
  });
}

it("V1: a commit that solves a task is its oracle, files that no commit has come along, and Node of the program is there for tests", async () => {
  const at = place("solved");
  repository(at);
  const suite = await loadSuite(suiteIn(at));
  const oracle = await withSolutions(suite, { kind: "replies", name: "oracle" }, PATH);
  const { run } = await ranAt(oracle, beginAt(at, suite, { model: "oracle" }));
  expect(outcomes(run)).toEqual(["t 1 pass"]);
  // Of another model nothing is made ready.
  expect(await withSolutions(suite, { kind: "session" }, PATH)).toBe(suite);
});

it("V8: a machine without the repository has the fixture, what lies beside it and the solution's replies", async () => {
  const at = place("solved-far");
  const repo = repository(at);
  const suite = await withSolutions(await loadSuite(suiteIn(at)), { kind: "replies", name: "oracle" }, PATH);
  const deps = beginAt(at, suite, { model: "oracle" });
  const blobs = memoryBlobs();
  const parcel = await sendParcel(suite, { ...deps, path: PATH }, blobs);
  rmSync(repo, { recursive: true });
  const work = queueWork({ ...deps, dir: scratch("worker"), blobs, version: "test" });
  const done = await work({ v: 1, run: deps.header.id, parcel, taskId: "t", trial: 1, attempt: 1 });
  expect([done?.trial.outcome, done?.trial.reason]).toEqual(["pass", ""]);
});

it("V1: a fixture is the commit that its name stood for: the suite is another one when the branch moves on", async () => {
  const at = place("pinned");
  const repo = repository(at);
  const dir = suiteIn(at);
  const first = await loadSuite(dir);
  expect((await loadSuite(dir)).hash).toBe(first.hash);
  expect(first.tasks[0]?.fixture).toMatchObject({ ref: expect.stringMatching(/^[0-9a-f]{40}$/) as string });
  const commit = ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "on", "--allow-empty"];
  spawnSync("git", ["-C", repo, ...commit]);
  expect((await loadSuite(dir)).hash).not.toBe(first.hash);
});

it.each([
  ["ref: before", "ref: nosuch", /task t: git \.\.\/shop has no commit nosuch$/],
  ["solution: main", "solution: nosuch", /task t: git \.\.\/shop has no commit nosuch$/],
  ["with: [deps]", "with: [libs]", /task t: there is no .*\/shop\/libs, which the fixture is to have with it$/],
  ["with: [deps]", "with: [../deps]", /task\.yaml:2: .*a path below the repository's folder/],
  [
    "{ git: ../shop, ref: before, with: [deps] }",
    "../shop",
    /task t: solution names a commit, so the fixture must be one/,
  ],
])("V1: what a task says of commits is told before anything runs: %s", async (was, is, message) => {
  const at = place("wrong");
  repository(at);
  const dir = suiteIn(at);
  const file = join(dir, "tasks/t/task.yaml");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(was, is));
  await expect(loadSuite(dir)).rejects.toThrow(message);
});

it("V1: a solution that changes nothing is told", async () => {
  const at = place("nothing");
  repository(at);
  const dir = suiteIn(at);
  const suite = await loadSuite(dir);
  const [task] = suite.tasks;
  const same = { ...suite, tasks: [{ ...task, solution: "before" }] } as typeof suite;
  await expect(withSolutions(same, { kind: "stochastic" }, PATH)).rejects.toThrow(
    /task t: its solution is as its fixture/,
  );
});
