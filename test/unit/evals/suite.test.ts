import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSuite } from "../../../src/evals/suite.ts";
import { filesIn } from "../../support/evals.ts";
import { scratch } from "../../support/scratch.ts";

const TASK = "prompt: do it\ngraders:\n  - absent: a.txt\n";

async function problems(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = filesIn(scratch("suite"), files);
  const text = await loadSuite(dir).then(
    () => "none",
    (error: unknown) => (error instanceof Error ? error.message : ""),
  );
  return text.replaceAll(`${dir}/`, "");
}

describe("a suite's files", () => {
  it.each([
    ["no suite.yaml", {}, /this is no suite/],
    ["a key that there is not", { "suite.yaml": "name: a\nmodes: ask\n" }, /^suite\.yaml:2: modes: Unrecognized key/],
    ["no YAML", { "suite.yaml": "name: a\nmode: [\n" }, /^suite\.yaml:3: /],
    ["no task", { "suite.yaml": "name: a\n" }, /^suite\.yaml: there is no task/],
    [
      "a grader that there is not",
      { "suite.yaml": "name: a\n", "tasks/t/task.yaml": "prompt: x\ngraders:\n  - absent: a\n  - exits: 0\n" },
      /^tasks\/t\/task\.yaml:4: graders\.1: a grader is one of: command, file/,
    ],
    [
      "a key that a grader has not",
      { "suite.yaml": "name: a\n", "tasks/t/task.yaml": "prompt: x\ngraders:\n  - file: a\n    equal: b\n" },
      /^tasks\/t\/task\.yaml:4: graders\.0\.equal: Unrecognized key/,
    ],
    [
      "no regular expression",
      { "suite.yaml": "name: a\n", "tasks/t/task.yaml": "prompt: x\ngraders:\n  - file: a\n    matches: '('\n" },
      /^tasks\/t\/task\.yaml:4: graders\.0\.matches: Invalid regular expression/,
    ],
    [
      "no regular expression among the answers",
      {
        "suite.yaml": "name: a\nanswers:\n  permissions:\n    - { matching: '(', answer: deny }\n",
        "tasks/t/task.yaml": TASK,
      },
      /^suite\.yaml:\d: answers/,
    ],
    [
      "a word of JSON Schema that graders don't know",
      {
        "suite.yaml": "name: a\n",
        "tasks/t/task.yaml": "prompt: x\ngraders:\n  - file: a\n    json:\n      not: {}\n",
      },
      /^tasks\/t\/task\.yaml:5: graders\.0\.json\.not: Unrecognized key/,
    ],
    [
      "a fixture that is not there",
      { "suite.yaml": "name: a\nfixture: nowhere\n", "tasks/t/task.yaml": TASK },
      /^tasks\/t\/task\.yaml: task t: there is no fixture nowhere/,
    ],
    [
      "hidden files that are not there",
      { "suite.yaml": "name: a\n", "tasks/t/task.yaml": `${TASK}hidden: tests\n` },
      /^tasks\/t\/task\.yaml: task t: there is no folder tasks\/t\/tests/,
    ],
    [
      "a task in two places",
      { "suite.yaml": `name: a\ntasks:\n  t: { prompt: x, graders: [{ absent: a }] }\n`, "tasks/t/task.yaml": TASK },
      /^tasks\/t\/task\.yaml: task t is in suite\.yaml too/,
    ],
  ])("V1: %s is told with file and line", async (_, files, message) => {
    expect(await problems(files)).toMatch(message);
  });
});

it("V1: what a task says stands above what the suite says", async () => {
  const dir = filesIn(scratch("suite"), {
    "suite.yaml": "name: a\nmode: auto\nanswers: deny\nlimits: { turns: 9, usd: 1 }\n",
    "tasks/one/task.yaml": TASK,
    "tasks/two/task.yaml": `${TASK}mode: plan\nanswers: allow\nlimits: { turns: 3 }\n`,
  });
  const [one, two] = (await loadSuite(dir)).tasks;
  expect([one?.mode, one?.answers.permissions, one?.limits]).toEqual([
    "auto",
    [{ answer: "deny" }],
    { turns: 9, usd: 1, minutes: 15 },
  ]);
  expect([two?.mode, two?.answers.permissions, two?.limits]).toEqual([
    "plan",
    [{ answer: "allow" }],
    { turns: 3, usd: 1, minutes: 15 },
  ]);
});

it("V1: the hash of a suite is over all its files, and over a fixture that lies elsewhere", async () => {
  const base = filesIn(scratch("suite"), {
    "s/suite.yaml": "name: a\nfixture: ../notes\n",
    "s/tasks/t/task.yaml": TASK,
    "notes/a.md": "a",
  });
  const hash = async (): Promise<string> => (await loadSuite(join(base, "s"))).hash;
  const first = await hash();
  expect(await hash()).toBe(first);
  filesIn(base, { "notes/a.md": "b" });
  const second = await hash();
  filesIn(base, { "s/tasks/t/oracle.yaml": "turns: []\n" });
  expect(new Set([first, second, await hash()]).size).toBe(3);
});
