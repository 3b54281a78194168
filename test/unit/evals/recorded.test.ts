import { resolve } from "node:path";
import { expect, it } from "vitest";
import { sawOf } from "../../../src/evals/recorded-answers.ts";
import { infraProblem } from "../../../src/evals/run-suite.ts";
import { loadSuite } from "../../../src/evals/suite.ts";
import type { Message } from "../../../src/events/message.ts";
import { deep } from "../../support/deep.ts";
import { beginAt, outcomes, ranAt } from "../../support/evals.ts";
import { place } from "../../support/session.ts";

const suites = resolve(import.meta.dirname, "../../../fixtures/suites");
/** Those without commands; `npm run deep`: all. */
const QUICK = ["answer", "fix-name"];

it.each(
  [
    { name: "notes", only: [QUICK, []][deep(0, 1)] ?? [], tasks: deep(2, 13) },
    { name: "coding", only: [], tasks: 8 },
  ].slice(0, deep(1, 2)),
)(
  "V1: what a thinking model answered once still fits what it is told, and the graders of $name pass it",
  { timeout: deep(120_000, 1_800_000) },
  async ({ name, only, tasks }) => {
    const suite = await loadSuite(resolve(suites, name));
    const { run } = await ranAt(suite, beginAt(place("recorded"), suite, { model: "recorded", only, trials: 1 }));
    expect(outcomes(run).filter((line) => !line.endsWith(" 1 pass"))).toEqual([]);
    expect([run.trials.length, run.infra.length]).toEqual([tasks, 0]);
  },
);

it("V1: a recording that no longer fits what the model is told is reported with the line, and passes nothing", async () => {
  const suite = await loadSuite(resolve(suites, "notes"));
  // The same answers, asked for something else.
  const tasks = suite.tasks.map((task) => ({ ...task, prompts: ["On which weekday does the last ferry not run?"] }));
  const deps = beginAt(place("recorded"), suite, { model: "recorded", only: ["answer"], trials: 1 });
  const { run } = await ranAt({ ...suite, tasks }, deps);
  expect(run.trials.map((t) => [t.outcome, t.reason])).toEqual([
    [
      "infra",
      expect.stringContaining(
        'The recording no longer fits its requests, so record the task anew: before answer 1 the model saw "On which weekday does the first ferry not run, and at what time would it leave?',
      ),
    ],
  ]);
  expect(infraProblem(run)).toContain("attempts broke");
});

it("V1: what is another in each run is no misfit: paths, dates, commits, owners, times, the order of files", () => {
  const said = (text: string): Message[] => [
    { role: "assistant", content: [{ type: "text", text: "Look." }] },
    { role: "user", content: [{ type: "text", text }] },
  ];
  const here =
    "b.md\na.md\nFolder: /home/ada/x/files/notes\n-rw-r--r-- 1 ada staff 42 Dec  1 12:00 a.md\n[main 1a2b3c4] go\nin 0.003s";
  const there =
    "a.md\nb.md\nFolder: /srv/y/files/notes\n-rw-r--r--. 1 root root 42 Jan 11 2027 a.md\n[main 99aabbc] go\nin 1.5s";
  expect(sawOf(said(here))).toEqual(sawOf(said(there)));
  expect(sawOf(said(here))).not.toEqual(sawOf(said(`${there}\nc.md`)));
});
