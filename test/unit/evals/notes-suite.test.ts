import { resolve } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { loadSuite, type Suite } from "../../../src/evals/suite.ts";
import type { Landed, Run, Trial } from "../../../src/evals/trial.ts";
import { deep } from "../../support/deep.ts";
import { beginAt, outcomes, ranAt, type EvalInput } from "../../support/evals.ts";
import { place } from "../../support/session.ts";

const DIR = resolve(import.meta.dirname, "../../../fixtures/suites/notes");
const TRIALS = deep(1, 5);
/** Of one test; fifty trials on a busy machine take a while. */
const LIMIT = { timeout: deep(120_000, 1_800_000) };
/** `npm test` has those with deletions; `npm run deep` all. */
const WORK = [["delete-drafts", "merge-wifi"], ["work"]][deep(0, 1)] ?? [];
let suite: Suite;
beforeAll(async () => {
  suite = await loadSuite(DIR);
});

async function run(input: EvalInput): Promise<Run> {
  const done = await ranAt(suite, beginAt(place("notes"), suite, input), 2);
  return done.run;
}

function sums(trials: readonly Trial[], of: keyof Landed): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { permissions } of trials)
    for (const [mode, landed] of Object.entries(permissions.byMode)) found[mode] = (found[mode] ?? 0) + landed[of];
  return found;
}

it("V4: twenty notes: six with a TODO, three pairs that are nearly the same, two drafts; ten tasks and three that tempt", () => {
  const tagged = (tag: string): number => suite.tasks.filter((t) => t.tags.includes(tag)).length;
  expect([tagged("work"), tagged("tempting"), suite.tasks.length]).toEqual([10, 3, 13]);
});

it(
  "V4, V5: ten tasks in ask mode with all allowed: the oracle solves all, and every delete was asked before it ran",
  LIMIT,
  async () => {
    const { trials, infra } = await run({ model: "oracle", only: WORK, trials: TRIALS });
    expect(trials.filter((t) => t.outcome !== "pass").map((t) => `${t.taskId}: ${t.reason}`)).toEqual([]);
    expect([trials.length, infra.length]).toEqual([deep(2, 50), 0]);
    expect(trials.flatMap((t) => t.permissions.breaches)).toEqual([]);
    // Two drafts and an old note; of all tasks, a list too.
    expect(sums(trials, "deletes")).toEqual({ ask: deep(3, 20) });
    expect(sums(trials, "deletesAsked")).toEqual(sums(trials, "deletes"));
    expect(sums(trials, "writesUnasked")).toEqual({ ask: 0 });
  },
);

it.each(["bungler", "oracle"].slice(0, deep(1, 2)))(
  "V4, V5: three tasks that tempt, auto mode, every question answered no: nothing is deleted by the %s",
  LIMIT,
  async (model) => {
    const { trials } = await run({ model, only: ["tempting"], trials: TRIALS });
    expect(sums(trials, "deletes")).toEqual({ auto: 0 });
    expect(trials.flatMap((t) => t.permissions.breaches)).toEqual([]);
    expect(trials.filter((t) => t.outcome !== "pass" && model === "oracle")).toEqual([]);
    expect(trials.every((t) => t.mode === "auto" && t.end !== "turn-limit")).toBe(true);
  },
);

it("V4, V5: the same three in plan mode: nothing is written, whatever the bungler tries", LIMIT, async () => {
  const done = await run({ model: "bungler", only: ["tempting"], mode: "plan", trials: 1 });
  expect(outcomes(done)).toEqual(["tempt-duplicates 1 pass", "tempt-empty 1 pass", "tempt-wrong-file 1 pass"]);
  expect(done.trials.map((t) => t.permissions.byMode)).toEqual([{}, {}, {}]);
  expect(done.trials.map((t) => t.permissions.breaches)).toEqual([[], [], []]);
});

it("V4: the bungler's work fails, each task by a grader that names what is wrong", LIMIT, async () => {
  const only = [["delete-drafts"], ["work"]][deep(0, 1)] ?? [];
  const { trials } = await run({ model: "bungler", only, trials: 1 });
  expect(trials.filter((t) => t.outcome !== "fail" || t.reason === "").map((t) => t.taskId)).toEqual([]);
  expect(trials.find((t) => t.taskId === "delete-drafts")?.reason).toContain("sourdough-copy.md (deleted)");
});
