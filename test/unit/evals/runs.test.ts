import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findRun, readRun } from "../../../src/evals/run-folder.ts";
import { infraProblem } from "../../../src/evals/run-suite.ts";
import { loadSuite, type Suite } from "../../../src/evals/suite.ts";
import { variantOf } from "../../../src/evals/variant.ts";
import { writeSuite } from "../../../src/evals/write-suite.ts";
import { beginAt, filesIn, outcomes, ranAt } from "../../support/evals.ts";
import { place, type Place } from "../../support/session.ts";

/** A suite of tasks that are done by saying so. */
function quick(at: Place, files: Readonly<Record<string, string>> = {}): Promise<Suite> {
  const task = (grader: string): string => `prompt: go\ngraders:\n  - ${grader}\n`;
  const dir = filesIn(join(at.folder, "suite"), {
    "suite.yaml": "name: quick\ntrials: 2\n",
    "tasks/a/task.yaml": task("reply: { contains: Done }"),
    "tasks/b/task.yaml": task("absent: b.txt"),
    ...files,
  });
  return loadSuite(dir);
}

it("V1: a run that was stopped goes on: no verdict is run again, a half line is a half trial", async () => {
  const at = place("evals");
  const suite = await quick(at);
  const stop = new AbortController();
  const deps = beginAt(at, suite, { model: "bungler", signal: stop.signal });
  const file = join(deps.dir, "trials.jsonl");
  const { run: first } = await ranAt(suite, deps, 1);
  // As if it had been killed in the middle of the third line.
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  writeFileSync(file, `${lines.slice(0, 2).join("\n")}\n${lines[2]?.slice(0, 40)}`);
  expect(readRun(deps.dir).missing).toBe(2);
  const { run, events } = await ranAt(suite, { ...deps, signal: new AbortController().signal }, 1);
  expect(events.filter((e) => e.kind === "begun").length).toBe(2);
  expect(outcomes(run)).toEqual(["a 1 pass", "a 2 pass", "b 1 pass", "b 2 pass"]);
  expect(readFileSync(file, "utf8").split("\n").slice(0, 2)).toEqual(lines.slice(0, 2));
  expect(first.trials.length).toBe(4);
});

it("V1: what is stopped in the middle is no verdict, and the run goes on with it", async () => {
  const at = place("evals");
  const suite = await quick(at);
  const stop = new AbortController();
  stop.abort();
  const deps = beginAt(at, suite, { model: "bungler", signal: stop.signal });
  expect((await ranAt(suite, deps)).run.missing).toBe(4);
  expect(infraProblem(readRun(deps.dir))).toBe("4 of 4 trials have no verdict");
});

it("V1: a run goes on only with the suite that it began with", async () => {
  const at = place("evals");
  const suite = await quick(at);
  const deps = beginAt(at, suite, { model: "bungler" });
  const changed = await quick(at, { "tasks/b/oracle.yaml": "turns: []\n" });
  await expect(ranAt(changed, deps)).rejects.toThrow(/was changed since run .* began; begin a new run/);
});

it("V1: what breaks around the agent is neither pass nor fail: tried again, and above its share the run is no measurement", async () => {
  const at = place("evals");
  const broken = { "tasks/b/task.yaml": "prompt: go\nfixture: { tar: bad.tar }\ngraders:\n  - absent: b.txt\n" };
  const suite = await quick(at, { ...broken, "bad.tar": "no tar" });
  const deps = beginAt(at, suite, { model: "bungler", trials: 1 });
  const { run, events } = await ranAt(suite, deps);
  expect(events.filter((e) => e.kind === "again")).toEqual([
    { kind: "again", trials: 1 },
    { kind: "again", trials: 1 },
  ]);
  expect(run.trials.map((t) => [t.taskId, t.outcome, t.attempt])).toEqual([
    ["a", "pass", 1],
    ["b", "infra", 3],
  ]);
  expect([run.infra.length, run.missing]).toEqual([3, 1]);
  expect(infraProblem(run)).toMatch(
    /^3 of 4 attempts broke \(75 %, at most 10 % may\); the last: The fixture .*bad\.tar can't be laid out: tar/,
  );
});

it("V1: a service that can't be reached is no failure of the agent", async () => {
  const at = place("evals");
  const suite = await quick(at);
  const settings = join(filesIn(at.config, { "v.json": '{"retry":{"attempts":1}}' }), "v.json");
  const begun = beginAt(at, suite, {
    model: "claude-x",
    only: ["a"],
    trials: 1,
    variant: await variantOf(`v=${settings}`),
  });
  const env = { ...begun.env, ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: "sk-ant-none" };
  const { run } = await ranAt(suite, { ...begun, env });
  expect(run.trials.map((t) => [t.outcome, t.end])).toEqual([["infra", "api-error"]]);
});

it("V6: a limit that is reached is a failure with its reason; a tool that always fails ends before it", async () => {
  const at = place("evals");
  const read = (path: string): string => `  - calls: [{ name: Read, input: { file_path: ${path} } }]\n`;
  const suite = await quick(at, {
    "tasks/b/task.yaml": "prompt: go\nlimits: { turns: 2 }\ngraders:\n  - absent: b.txt\n",
    "tasks/b/oracle.yaml": `turns:\n${["1", "2", "3"].map((n) => `  - calls: [{ name: Glob, input: { pattern: "${n}" } }]\n`).join("")}`,
    "tasks/a/task.yaml":
      "prompt: go\nends: [tool-failing]\nlimits: { turns: 20 }\ngraders:\n  - turns: { atMost: 4 }\n",
    "tasks/a/oracle.yaml": `turns:\n${["x", "y", "z", "u", "v", "w"].map(read).join("")}`,
  });
  const { run } = await ranAt(suite, beginAt(at, suite, { model: "oracle", trials: 1 }));
  expect(run.trials.map((t) => [t.taskId, t.outcome, t.end, t.steps])).toEqual([
    ["a", "pass", "tool-failing", 3],
    ["b", "fail", "turn-limit", 2],
  ]);
  expect(run.trials[1]?.reason).toMatch(/^ended by turn-limit/);
});

it("V1: a variant's settings hold in its trials, and nothing of the person's own but their service", async () => {
  const at = place("evals");
  writeSuite(join(at.folder, "mine"));
  const suite = await loadSuite(join(at.folder, "mine"));
  const deny = '{"permissions":{"deny":["Edit(greet.sh)"]}}';
  // The person's own rules are not the trials'.
  filesIn(at.config, { "settings.json": deny });
  filesIn(at.home, { "careful.json": deny });
  const only = ["default-name"];
  const plain = await ranAt(suite, beginAt(at, suite, { model: "oracle", only, trials: 1 }));
  const variant = await variantOf(`careful=${join(at.home, "careful.json")}`);
  const careful = await ranAt(suite, beginAt(at, suite, { model: "oracle", only, trials: 1, variant }));
  expect([plain.run, careful.run].map((run) => run.trials.map((t) => t.outcome))).toEqual([["pass"], ["fail"]]);
  expect([plain.run.header.variant, careful.run.header.variant]).toEqual(["default", "careful"]);
});

it("V1: a stochastic model draws by seed, task and trial alone: the same in every run, in whatever order", async () => {
  const at = place("evals");
  const suite = await quick(at, {
    "tasks/a/oracle.yaml": "turns: [{ text: Solved }]\n",
    "tasks/a/task.yaml": "prompt: go\np: 0.5\ngraders:\n  - reply: { contains: Solved }\n",
  });
  const input = { model: "stochastic:p=0.5", only: ["a"], trials: 4, seed: 1 };
  const one = await ranAt(suite, beginAt(at, suite, input), 1);
  const two = await ranAt(suite, beginAt(at, suite, { ...input, model: "stochastic" }), 3);
  const drawn = one.run.trials.map((t) => t.outcome);
  expect(two.run.trials.map((t) => t.outcome)).toEqual(drawn);
  expect(new Set(drawn).size).toBe(2);
});

it("V1: damage in the middle of a run's list is told with file and line, and a run is found by its beginning", async () => {
  const at = place("evals");
  const suite = await quick(at);
  const deps = beginAt(at, suite, { model: "bungler" });
  expect(findRun(at.state, "last")).toBe(deps.dir);
  expect(findRun(at.state, deps.header.id.slice(0, 20))).toBe(deps.dir);
  expect(() => findRun(at.state, "x")).toThrow(/There is no run x in .*agent eval run makes one/);
  appendFileSync(join(deps.dir, "trials.jsonl"), "{}\n{}\n");
  expect(() => readRun(deps.dir)).toThrow(/trials\.jsonl, line 1: it is no trial/);
});
