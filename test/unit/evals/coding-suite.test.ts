import { resolve } from "node:path";
import { expect, it } from "vitest";
import { loadSuite } from "../../../src/evals/suite.ts";
import { deep } from "../../support/deep.ts";
import { beginAt, ranAt } from "../../support/evals.ts";
import { place } from "../../support/session.ts";

const DIR = resolve(import.meta.dirname, "../../../fixtures/suites/coding");
/** The one with setup, git and hidden tests; `npm run deep`: all. */
const ONLY = [["merge-conflict"], []][deep(0, 1)] ?? [];

it.each(
  [
    { model: "oracle", outcome: "pass" },
    { model: "bungler", outcome: "fail" },
  ].slice(0, deep(1, 2)),
)(
  "V1: eight small repositories with hidden tests: each trial of the $model is a $outcome",
  { timeout: deep(120_000, 1_800_000) },
  async ({ model, outcome }) => {
    const suite = await loadSuite(DIR);
    expect(suite.tasks.length).toBe(8);
    const { run } = await ranAt(suite, beginAt(place("coding"), suite, { model, only: ONLY, trials: 1 }));
    expect(run.trials.filter((t) => t.outcome !== outcome).map((t) => `${t.taskId}: ${t.outcome} ${t.reason}`)).toEqual(
      [],
    );
    expect([run.trials.length, run.infra.length]).toEqual([deep(1, 8), 0]);
    expect(run.trials.flatMap((t) => t.permissions.breaches)).toEqual([]);
  },
);
