import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadSuite } from "../../../src/evals/suite.ts";
import { writeSuite } from "../../../src/evals/write-suite.ts";
import { beginAt, outcomes, ranAt } from "../../support/evals.ts";
import { place } from "../../support/session.ts";

it("V1: the suite that init writes runs: its oracle solves all, each trial in a fresh copy", async () => {
  const at = place("evals");
  writeSuite(join(at.folder, "mine"));
  const suite = await loadSuite(join(at.folder, "mine"));
  const { run } = await ranAt(suite, beginAt(at, suite, { model: "oracle", trials: 2 }));
  expect(outcomes(run)).toEqual(["default-name 1 pass", "default-name 2 pass", "explain 1 pass", "explain 2 pass"]);
  // What a trial that passed leaves is its log.
  expect(readdirSync(join(run.dir, "logs", "default-name.1")).toSorted()).toEqual(["content", "results", "sessions"]);
  expect(readdirSync(join(at.state, "work"))).toEqual([]);
  // What the model is told of its folder tells neither the suite nor the task.
  const told = run.trials.map(({ log }) => /Folder: [^"\\]+/.exec(readFileSync(join(run.dir, log), "utf8"))?.[0] ?? "");
  expect(
    told.filter((line) => !line.startsWith(`Folder: ${at.state}/work/`) || !line.endsWith("/files/project")),
  ).toEqual([]);
  expect(told.map((line) => line.slice(at.state.length)).join("\n")).not.toMatch(/eval|suite|trial|explain|default/);
});
