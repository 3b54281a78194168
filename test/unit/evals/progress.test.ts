import { expect, it } from "vitest";
import { progressOf, progressRows, reduceProgress, trialLine } from "../../../src/evals/progress.ts";
import type { RunEvent } from "../../../src/evals/run-suite.ts";
import type { RunHeader, Trial } from "../../../src/evals/trial.ts";

const header: RunHeader = {
  v: 1,
  id: "r",
  suite: "s",
  suiteDir: "/s",
  suiteHash: "",
  model: "m",
  variant: "default",
  variantHash: "",
  seed: 1,
  k: 3,
  tasks: ["one", "two", "three"].map((id) => ({ id, title: id, tags: [] })),
  maxInfraShare: 0.1,
  version: "0",
  date: "",
};

function trial(taskId: string, n: number, outcome: Trial["outcome"], reason = ""): Trial {
  return {
    v: 1,
    taskId,
    trial: n,
    variant: "default",
    mode: "ask",
    outcome,
    reason,
    graders: [],
    end: "done",
    steps: 2,
    calls: 1,
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    durationMs: 1234,
    startedAt: "",
    attempt: 1,
    permissions: { asked: 0, denied: 0, byMode: {}, breaches: [] },
    log: "",
  };
}

function shown(width: number, height: number): string[] {
  const begun = (taskId: string, n: number): RunEvent =>
    ({ kind: "begun", job: { task: { id: taskId }, trial: n, attempt: 1 } }) as RunEvent;
  const events: RunEvent[] = [
    begun("one", 1),
    { kind: "finished", trial: trial("one", 1, "pass") },
    { kind: "finished", trial: trial("one", 2, "fail", "no") },
    { kind: "finished", trial: trial("two", 1, "infra", "down") },
    begun("three", 2),
  ];
  const start = progressOf({ dir: "", header, trials: [], infra: [], missing: 9 });
  return progressRows(events.reduce(reduceProgress, start), width, height);
}

it("V1: the live table has a row for each task, a sign for each trial, and sums", () => {
  expect(shown(60, 20)).toEqual([
    "one    ✓✗·  1/2",
    "two    !··  0/0",
    "three  ·▸·  0/0",
    "2 of 9 trials: 1 passed, 1 failed, 1 broke; 1 running",
  ]);
});

it("V1: in a window that can't hold it, it keeps what goes on and never more rows and columns than there are", () => {
  expect(shown(24, 3)).toEqual(["three  ·▸·  0/0", "and 2 more tasks", "2 of 9 trials: 1 passed,"]);
});

it("V1: a line of a trial holds nothing that a terminal would act on", () => {
  expect(trialLine(trial("one", 3, "fail", "\x1b[31mred"))).toBe("fail  one/3  2 turns, 1.2 s: red");
});
