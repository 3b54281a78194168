import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grade } from "../../../src/evals/grade.ts";
import type { Graded } from "../../../src/evals/graded.ts";
import { Grader } from "../../../src/evals/grader-schema.ts";
import { permissionFacts } from "../../../src/evals/permission-facts.ts";
import { snapshotOf } from "../../../src/evals/snapshot.ts";
import { loadSuite } from "../../../src/evals/suite.ts";
import type { Trial } from "../../../src/evals/trial.ts";
import { loadKey } from "../../../src/events/key.ts";
import { loadLog } from "../../../src/events/load.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import { beginAt, filesIn, outcomes, ranAt } from "../../support/evals.ts";
import { place } from "../../support/session.ts";

const ORACLE = `turns:
  - calls: [{ name: Read, input: { file_path: a.md } }]
  - calls: [{ name: Edit, input: { file_path: a.md, old_string: one, new_string: two } }]
  - calls: [{ name: Write, input: { file_path: new/b.json, content: '{"n": 3, "list": ["x", "y"]}' } }]
  - calls: [{ name: Delete, input: { file_path: c.md } }]
  - calls: [{ name: Delete, input: { file_path: d.md } }]
  - text: Changed a.md, all of it.
`;
const TASK = `prompt: go
answers:
  permissions:
    - { tool: Delete, matching: '^d\\.md$', answer: deny, note: keep that }
    - { answer: allow }
graders:
  - absent: a.md
`;

let graded: Graded;
let trial: Trial | undefined;
const base = mkdtempSync(join(tmpdir(), "understudy-grade-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeAll(async () => {
  const at = { folder: base, config: join(base, "config"), state: join(base, "state"), home: join(base, "home") };
  for (const made of [at.config, at.state, at.home]) mkdirSync(made);
  const dir = filesIn(join(at.folder, "suite"), {
    "suite.yaml": "name: g\nfixture: project\n",
    "project/a.md": "one\n",
    "project/c.md": "c\n",
    "project/d.md": "d\n",
    "should/a.md": "two\n",
    "should/d.md": "d\n",
    "should/new/b.json": '{"n": 3, "list": ["x", "y"]}',
    "tasks/t/task.yaml": TASK,
    "tasks/t/oracle.yaml": ORACLE,
  });
  const suite = await loadSuite(dir);
  const deps = beginAt(at, suite, { model: "oracle", trials: 1 });
  const { run } = await ranAt(suite, deps);
  [trial] = run.trials;
  const log = join(run.dir, trial?.log ?? "");
  const sessionsDir = dirname(log);
  const key = loadKey(join(run.dir, "config", "key"));
  const sessionId = log.slice(sessionsDir.length + 1, -".jsonl".length);
  const loaded = await loadLog({ sessionsDir, contentDir: join(dirname(sessionsDir), "content"), sessionId, key });
  // Of a trial that failed the folder is kept.
  const folder = join(run.dir, "failed", "t.1");
  graded = {
    folder,
    suiteDir: dir,
    before: await snapshotOf(join(dir, "project")),
    after: await snapshotOf(folder),
    events: loaded.events,
    reply: "Changed a.md, all of it.",
    turns: trial?.steps ?? 0,
    command: (line, timeoutMs) =>
      Promise.resolve({ exit: line === "slow" ? null : Number(line === "bad"), output: `${timeoutMs}\nlast\n` }),
  };
});

describe("graders", () => {
  it.each<[object, string]>([
    [{ file: "a.md", equals: "two\n" }, ""],
    [{ file: "a.md", equals: "two\nthree\n" }, 'it differs in line 2: "" instead of "three"'],
    [{ file: "a.md", contains: "two", lacks: "one" }, ""],
    [{ file: "a.md", contains: ["two", "three"] }, '"three" is not in it'],
    [{ file: "a.md", lacks: ["two"] }, '"two" is in it'],
    [{ file: "a.md", matches: "^two$" }, ""],
    [{ file: "a.md", matches: "^one$" }, "nothing in it matches /^one$/"],
    [{ file: "a.md", same: "should/a.md" }, ""],
    [{ file: "a.md", same: "project/a.md" }, 'it differs in line 1: "two" instead of "one"'],
    [{ file: "x.md" }, "there is no such file"],
    [{ file: "new" }, "it is no file"],
    [{ file: "../a.md" }, "../a.md is not in the folder"],
    [{ file: "new/b.json", json: { type: "object", required: ["n"], properties: { n: { type: "integer" } } } }, ""],
    [{ file: "new/b.json", json: { required: ["m"] } }, "$.m is missing"],
    [{ file: "new/b.json", json: { additionalProperties: { type: "number" } } }, "$.list is no number"],
    [
      { file: "new/b.json", json: { properties: { list: { items: { maxLength: 0 } } } } },
      "$.list[0]: length 1 is more than 0",
    ],
    [{ file: "new/b.json", json: { properties: { n: { enum: [1, 2] } } } }, "$.n is none of the values allowed"],
    [{ file: "a.md", json: {} }, expect.stringMatching(/^it is no JSON/) as string],
    [{ absent: "c.md" }, ""],
    [{ absent: ["c.md", "d.md"] }, "d.md is there"],
    [{ folder: "should" }, ""],
    [{ folder: "project" }, "a.md differs, c.md is missing, new/b.json is too many"],
    [{ onlyChanged: ["*.md", "new/**"] }, ""],
    [{ onlyChanged: ["a.md"] }, "also c.md (deleted), new/b.json (made)"],
    [{ untouched: "d.md" }, ""],
    [{ untouched: ["*.json", "c*"] }, "c.md (deleted), new/b.json (made)"],
    [{ asked: "before" }, ""],
    [{ asked: "none" }, "4 questions asked"],
    [{ asked: { atMost: 3 } }, "4 questions, at most 3 wanted"],
    [{ calls: { tool: "Edit" } }, ""],
    [{ calls: { tool: "Bash" } }, "0 such calls, at least 1 wanted"],
    [{ calls: { tool: "Delete", status: "denied", atLeast: 1, atMost: 1 } }, ""],
    [{ calls: { tool: "Delete", matching: "^c\\.md$", status: "denied" } }, "0 such calls, at least 1 wanted"],
    [{ calls: { atMost: 4 } }, "5 such calls, at most 4 wanted"],
    [{ turns: { atMost: 5 } }, "6 turns, at most 5 wanted"],
    [{ reply: { matches: "all of it" } }, ""],
    [{ reply: { contains: "b.json" } }, '"b.json" is not in it'],
    [{ command: "good" }, ""],
    [{ command: "bad" }, "exit code 1: last"],
    [{ command: "slow", timeout: 3 }, "did not end within 3 s: last"],
  ])("V1: %j", async (written, problem) => {
    const [result] = await grade([Grader.parse(written)], graded);
    expect([result?.text, result?.ok]).toEqual([problem, problem === ""]);
  });

  it.each([
    ["TAP version 13\n# Subtest: zone\nnot ok 1 - zone\n  ---\n# fail 1\n# duration_ms 31", "not ok 1 - zone"],
    ['F.\n  File "a.py", line 3\nAssertionError: 1 != 2\n\nFAILED (failures=1)', "AssertionError: 1 != 2"],
    ["E   assert 1 == 2\n1 failed in 0.1s", "E   assert 1 == 2"],
    ["all is well\nbut for this", "but for this"],
  ])("V1: of a command's output the line is told that says what is wrong: %j", async (output, line) => {
    const command = () => Promise.resolve({ exit: 1, output });
    const [result] = await grade([Grader.parse({ command: "npm test" })], { ...graded, command });
    expect(result?.text).toBe(`exit code 1: ${line}`);
  });

  it("V1: a program that is missing is told as such, since no agent can be judged by it", async () => {
    const command = () => Promise.resolve({ exit: 127, output: "sh: 1: tape: not found\n" });
    const [result] = await grade([Grader.parse({ command: "npm test" })], { ...graded, command });
    expect(result?.text).toBe("exit code 127, a program is missing: sh: 1: tape: not found");
  });

  it("V1: a rubric says nothing unless a judge is asked for, and is kept apart", async () => {
    const rubric = Grader.parse({ rubric: "is polite" });
    expect(await grade([rubric], graded)).toEqual([]);
    const judge = () => Promise.resolve({ ok: false, text: "curt" });
    expect(await grade([rubric], { ...graded, judge })).toEqual([
      { name: "rubric: is polite", ok: false, text: "curt", rubric: true },
    ]);
  });
});

it("V5: writes and deletes by mode, each delete asked before; without its question it counts as unasked, and the proof fails", () => {
  const { events } = graded;
  const facts = permissionFacts(events, verifyLog({ events: [...events], torn: 0 }, "s", "none"));
  expect(facts).toEqual({
    asked: 4,
    denied: 1,
    byMode: { ask: { writes: 2, writesUnasked: 0, deletes: 1, deletesAsked: 1 } },
    breaches: [],
  });
  expect(trial?.permissions).toEqual(facts);
  const forged = events.filter((e) => e.type !== "permission.asked");
  const claims = verifyLog({ events: forged, torn: 0 }, "s", "none");
  const without = permissionFacts(forged, claims);
  expect([without.asked, without.byMode.ask]).toEqual([
    0,
    { writes: 2, writesUnasked: 2, deletes: 1, deletesAsked: 0 },
  ]);
  expect(without.breaches.some((b) => b.startsWith("high risk: "))).toBe(true);
});

it("V1: a commit as fixture, setup, and hidden tests that the agent can't read and graders have", async () => {
  const at = place("hidden");
  const dir = join(at.folder, "suite");
  const hidden = join(dir, "tasks/t/hidden/secret.txt");
  filesIn(dir, {
    "suite.yaml": "name: h\nanswers: allow\n",
    "tasks/t/hidden/secret.txt": "the answer",
    "tasks/t/task.yaml": `prompt: go
fixture: { git: ../repo, ref: HEAD~1, path: sub }
setup: cp old.txt made.txt
hidden: hidden
graders:
  - file: old.txt
    equals: "first"
  - file: made.txt
    equals: "first"
  - onlyChanged: []
  - calls: { tool: Read, status: denied, atLeast: 2 }
  - calls: { tool: Bash, status: ok }
  - absent: secret.txt
  - command: grep -q answer secret.txt && test -f made.txt
`,
    "tasks/t/oracle.yaml": `turns:
  - calls: [{ name: Read, input: { file_path: ${hidden} } }, { name: Read, input: { file_path: ${join(at.folder, "repo/sub/old.txt")} } }]
  - calls: [{ name: Bash, input: { command: "cp ${hidden} stolen.txt; true" } }]
  - text: I saw nothing.
`,
  });
  const repo = filesIn(join(at.folder, "repo"), { "sub/old.txt": "first", "other.txt": "x" });
  const git = (...args: string[]) =>
    spawnSync("git", ["-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
      encoding: "utf8",
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  filesIn(repo, { "sub/old.txt": "second" });
  git("commit", "-qam", "two");
  const suite = await loadSuite(dir);
  const { run } = await ranAt(suite, beginAt(at, suite, { model: "oracle", trials: 1 }));
  expect(outcomes(run)).toEqual(["t 1 pass"]);
});
