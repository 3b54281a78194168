import { describe, expect, it } from "vitest";
import { CompareError, compareRuns } from "../../../../src/evals/numbers/compare-runs.ts";
import { compareTasks } from "../../../../src/evals/numbers/compare.ts";
import { COVERAGE, coverageOf, coverageWords } from "../../../../src/evals/numbers/coverage.ts";
import { summarise } from "../../../../src/evals/numbers/summary.ts";
import { pointRange, points, percents, percent } from "../../../../src/evals/numbers/words.ts";
import { madeRun, madeTrial } from "../../../support/eval-run.ts";

const V7 = {
  a: "PPPPP",
  b: "PPPPP",
  c: "PPFPP",
  d: "PPPPP",
  e: "PFPFP",
  f: "PPPPP",
  g: "PPPPP",
  h: "FPFPF",
  i: "PPPPP",
  j: "PPPPF",
};
const none = { asked: 0, denied: 0, byMode: {}, breaches: [] };

describe("summarise", () => {
  it("V7: the worked figures out of a run: 86 %, 76 %–96 %, pass^5 60 %", () => {
    const { rate, normal, passK, tasks } = summarise(madeRun(V7));
    expect([percent(rate?.value), percents(normal), percent(passK.at(-1)?.all.value)]).toEqual([
      "86 %",
      "76 %–96 %",
      "60 %",
    ]);
    expect(tasks.map((t) => t.passes)).toEqual([5, 5, 4, 5, 3, 5, 5, 2, 5, 4]);
  });
  it("V2: the same run gives the same summary", () => {
    expect(summarise(madeRun(V7))).toEqual(summarise(madeRun(V7)));
  });
  it("V2: what broke around the agent is neither pass nor fail, in no figure, and counted", () => {
    const summary = summarise(madeRun({ a: "PP!", b: "FP." }));
    expect([summary.n, summary.passes, summary.missing]).toEqual([4, 3, 2]);
    expect(summary.infra).toEqual({ attempts: 1, share: 0.2, tooMany: true });
    expect(summary.rate?.value).toBe(0.75);
    expect(summary.passK.map(({ k, all }) => [k, all.value])).toEqual([
      [1, 0.75],
      [2, 0.5],
    ]);
  });
  it("V2: a task without a verdict is in no mean; a run without one has no rate", () => {
    expect(summarise(madeRun({ a: "PP", b: "!!" })).rate).toMatchObject({ value: 1, tasks: 1 });
    const empty = summarise(madeRun({ a: "!." }));
    expect([empty.rate, empty.flips, empty.finds, empty.measures.steps]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect([empty.passK, empty.normal]).toEqual([[], { low: 0, high: 1 }]);
    expect(summarise(madeRun({ a: ".." })).infra.share).toBe(0);
  });
  it("V2: flips, medians of the tasks' medians, and an unknown price", () => {
    const run = madeRun({ a: "PF", b: "PP", c: "FF" });
    const priceless = { ...run, trials: run.trials.map((t) => (t.taskId === "a" ? withoutPrice(t) : t)) };
    const { flips, measures } = summarise(priceless);
    expect(flips).toEqual({ rate: expect.closeTo(1 / 3, 12), mixed: 1 });
    expect(measures.steps).toMatchObject({ median: 4.5, level: 0.75 });
    expect(measures.tokens?.median).toBe(6500);
    expect(measures.usd?.level).toBe(0.5);
    expect(measures.ms?.median).toBe(4000);
  });
  it("V5: permissions are summed over all trials; a mode in which nothing landed is told with zeros", () => {
    const ask = madeTrial({ taskId: "a", trial: 1 });
    const broke = madeTrial({ taskId: "a", trial: 2, outcome: "infra" });
    const plan = madeTrial({
      taskId: "b",
      mode: "plan",
      permissions: { ...none, denied: 3, breaches: ["high risk: event 12"] },
    });
    const run = madeRun({ a: "PP", b: "P" });
    const { permissions } = summarise({ ...run, trials: [ask, broke, plan] });
    expect(permissions).toEqual({
      asked: 2,
      denied: 3,
      byMode: [
        { mode: "ask", writes: 4, writesUnasked: 0, deletes: 2, deletesAsked: 2 },
        { mode: "plan", writes: 0, writesUnasked: 0, deletes: 0, deletesAsked: 0 },
      ],
      breaches: ["b/1: high risk: event 12"],
    });
  });
  it("V2: what a model judged has an interval of its own and moves no verdict", () => {
    const judged = (ok: boolean) => ({ name: "polite", ok, text: "", rubric: true });
    const run = madeRun({ a: "PP", b: "PP" });
    const trials = run.trials.map((t, i) => ({ ...t, graders: [...t.graders, judged(i !== 0)] }));
    const { rubrics, rate } = summarise({ ...run, trials });
    expect(rubrics).toMatchObject([{ name: "polite", n: 4, ok: 3 }]);
    expect(rate?.value).toBe(1);
  });
  it("V6: how trials ended is counted, with those that passed all the same", () => {
    const run = madeRun({ a: "PFF" });
    const trials = run.trials.map((t) => (t.outcome === "fail" ? { ...t, end: "turn-limit" as const } : t));
    expect(summarise({ ...run, trials }).ends).toEqual([
      { end: "turn-limit", trials: 2, passes: 0 },
      { end: "done", trials: 1, passes: 1 },
    ]);
  });
});

function withoutPrice(trial: ReturnType<typeof madeTrial>): ReturnType<typeof madeTrial> {
  const { usd, ...rest } = trial;
  return usd === undefined ? trial : rest;
}

describe("compare", () => {
  const pair = (id: string, base: number, candidate: number, n = 5) => ({
    id,
    base: { n, c: base },
    candidate: { n, c: candidate },
  });
  it("V3: says so when they can't be told apart, better, worse; by how much", () => {
    const same = compareTasks([pair("a", 3, 4), pair("b", 4, 3), pair("c", 5, 4), pair("d", 2, 3), pair("e", 3, 3)], {
      seed: 1,
    });
    expect(same.verdict).toBe("can't be told apart");
    expect(same.words).toMatch(
      /^The two can't be told apart: 0 points were seen, and the true difference may be anything from −\d+ to \+\d+ points\.$/,
    );
    const more = Array.from({ length: 10 }, (_, i) => pair(String(i), 1 + (i % 2), 4));
    const better = compareTasks(more, { seed: 1 });
    expect(better).toMatchObject({
      verdict: "better",
      difference: 0.5,
      mcNemar: { onlyCandidate: 10, p: expect.closeTo(2 / 1024, 12) },
    });
    expect(better.words).toMatch(
      /^The candidate is better by 50 points; with 95 % confidence by 4\d points to 5\d points\.$/,
    );
    const turned = more.map(({ id, base, candidate }) => ({ id, base: candidate, candidate: base }));
    const worse = compareTasks(turned, { seed: 1 });
    const names = { base: "plain", candidate: "careful" };
    expect(compareTasks(more, { seed: 1, names }).words).toMatch(/^careful is better than plain by 50 points; with/);
    expect(compareTasks([pair("a", 3, 3)], { seed: 1, names }).words).toMatch(
      /^plain and careful can't be told apart: /,
    );
    expect(worse.words).toMatch(
      /^The candidate is worse by 50 points; with 95 % confidence by 4\d points to 5\d points\.$/,
    );
  });
  it("V3: pairing by task takes out what makes tasks hard", () => {
    // Rates from 20 % to 80 %, the candidate one trial better on nearly every task.
    const pairs = Array.from({ length: 12 }, (_, i) => pair(String(i), 1 + (i % 4), 1 + (i % 4) + (i === 0 ? 0 : 1)));
    expect(compareTasks(pairs, { seed: 1 }).verdict).toBe("better");
  });
  it("V3: a task without verdicts on one side is left out; none at all is an error", () => {
    const half = { id: "x", base: { n: 0, c: 0 }, candidate: { n: 5, c: 5 } };
    expect(compareTasks([half, pair("a", 1, 1)], { seed: 1 }).tasks).toBe(1);
    expect(() => compareTasks([half], { seed: 1 })).toThrow(RangeError);
  });
  it("V3: non-inferior where the whole interval lies above the margin", () => {
    const pairs = Array.from({ length: 20 }, (_, i) =>
      pair(String(i), 4, 4 + (i % 5 === 0 ? -1 : i % 5 === 1 ? 1 : 0)),
    );
    const wide = compareTasks(pairs, { seed: 1, margin: 0.15 }).nonInferior;
    expect(wide).toMatchObject({ shown: true, words: expect.stringContaining("Not worse by 15 points") });
    const narrow = compareTasks(pairs, { seed: 1, margin: 0.02 }).nonInferior;
    expect(narrow).toMatchObject({ shown: false, words: expect.stringContaining("Not shown to be within 2 points") });
    const better = Array.from({ length: 10 }, (_, i) => pair(String(i), i % 2, 4));
    expect(compareTasks(better, { seed: 1, margin: 0 }).nonInferior?.words).toContain("not worse at all");
  });
  it("V3: names the tasks it would take, for the difference that was seen or asked for", () => {
    const pairs = Array.from({ length: 10 }, (_, i) => pair(String(i), 3, 3 + ((i % 3) - 1)));
    const asked = compareTasks(pairs, { seed: 1, find: 0.05 }).power;
    expect(asked.tasks).toBeGreaterThan(60);
    expect(asked.words).toMatch(
      /^These 10 tasks find a difference of \d+ points four times out of five\. To find one of 5 points as surely takes about \d+ tasks\.$/,
    );
    const equal = compareTasks([pair("a", 3, 3), pair("b", 2, 2)], { seed: 1, find: 0.1 }).power;
    expect(equal).toMatchObject({ tasks: undefined, words: "" });
    expect(compareTasks(pairs.slice(0, 3), { seed: 1 }).power.difference).toBeUndefined();
  });
});

describe("compareRuns", () => {
  const base = madeRun(V7);
  const other = { ...V7, h: "PPPPP" };
  it("V3: the margin is the one set before the run; one given afterwards is used and told as such", () => {
    const before = compareRuns(base, madeRun(other, { delta: 0.1 }));
    expect([before.rates.nonInferior?.margin, before.notes]).toEqual([0.1, []]);
    const after = compareRuns(base, madeRun(other), 0.2);
    expect(after.rates.nonInferior).toMatchObject({ margin: 0.2, words: expect.stringContaining("in sight") });
    expect(before.rates.nonInferior?.words).toContain("set before the run");
    expect(after.notes).toEqual([expect.stringContaining("not set before the run")]);
    const both = compareRuns(madeRun(V7, { delta: 0.05 }), madeRun(other, { delta: 0.1 }), 0.3);
    expect(both.rates.nonInferior?.margin).toBe(0.1);
    expect(both.notes.map((n) => n.slice(0, 20))).toEqual(["The run was begun wi", "The earlier run had "]);
    expect(compareRuns(base, madeRun(other)).rates.nonInferior).toBeUndefined();
  });
  it("V3: runs of other files are not compared, nor runs without a task in common", () => {
    expect(() => compareRuns(base, madeRun(other, { suiteHash: "cd".repeat(32) }))).toThrow(CompareError);
    expect(() => compareRuns(base, madeRun({ z: "P" }))).toThrow(/no task in common/);
  });
  it("V3: what makes a comparison lopsided is told", () => {
    const { notes, tasks } = compareRuns(base, madeRun({ a: "PPPP.", k: "PPPPP" }, { mode: "auto", version: "0.2.0" }));
    expect(tasks.map((t) => t.id)).toEqual(["a"]);
    expect(notes).toEqual([
      "1 of 10 tasks are in both runs; only those are compared.",
      expect.stringContaining("is not whole: 1 trials"),
      "The modes differ: as each task says, auto.",
      "The versions differ: 0.1.0, 0.2.0.",
    ]);
    expect(compareRuns(madeRun({ a: "P" }, { mode: "plan" }), madeRun({ a: "P" })).notes).toEqual([
      "The modes differ: plan, as each task says.",
    ]);
  });
  it("V3: steps, tokens, cost and time are paired too", () => {
    const { measures } = compareRuns(madeRun(V7, {}, { steps: 4 }), madeRun(other, {}, { steps: 6 }));
    expect(measures.find((m) => m.name === "steps")).toMatchObject({
      base: 4,
      candidate: 6,
      difference: 2,
      interval: undefined,
    });
    const priceless = { ...base, trials: base.trials.map(withoutPrice) };
    expect(compareRuns(priceless, madeRun(other)).measures.map((m) => m.name)).toEqual(["steps", "tokens", "ms"]);
  });
});

describe("words", () => {
  it("V3: small differences keep a decimal, none is 0, and points have their sign", () => {
    expect([0.004, -0.004, 0.12, -0.5, 0.0001, -0.0001, 0.01].map(points)).toEqual([
      "+0.4",
      "−0.4",
      "+12",
      "−50",
      "0",
      "0",
      "+1",
    ]);
    expect(pointRange({ low: -0.123, high: 0.02 })).toBe("−12 to +2 points");
    expect(percent(undefined)).toBe("–");
  });
  it("V2: the coverage that was measured for so many tasks, or the next fewer", () => {
    expect([coverageOf("rate", 40), coverageOf("rate", 2)]).toEqual([undefined, undefined]);
    expect(coverageOf("rate", 11)).toBe(coverageOf("rate", 10));
    expect([coverageWords("rate", 40), coverageWords("rate", 1), coverageWords("difference", 2)]).toEqual([
      "",
      "one task says nothing about others",
      "2 tasks say nothing about others",
    ]);
    expect(coverageWords("rate", 10)).toMatch(
      /^of 10 tasks such an interval held the truth at least 9\d % of the time/,
    );
    expect(
      Object.values(COVERAGE)
        .flat()
        .filter(([, share]) => share < 0.85 || share > 1),
    ).toEqual([]);
  });
});
