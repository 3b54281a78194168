import { describe, expect, it } from "vitest";
import { bootstrapMean } from "../../src/evals/numbers/bootstrap.ts";
import { compareTasks, type TaskPair } from "../../src/evals/numbers/compare.ts";
import { type Interval, wilson, within } from "../../src/evals/numbers/interval.ts";
import { mean } from "../../src/evals/numbers/mean.ts";
import { flipRate, passAtK, passHatK } from "../../src/evals/numbers/pass-k.ts";
import { prng } from "../../src/evals/numbers/prng.ts";
import { deep } from "../support/deep.ts";
import { drawSuite, LOPSIDED, passes, type Population, POPULATIONS, shareOf } from "../support/populations.ts";

/** Simulated suites. Fewer of them scatter more: three standard errors more are let through then. */
const SUITES = deep(150, 2000);
const SLACK = SUITES < 2000 ? 3 * Math.sqrt((0.95 * 0.05) / SUITES) : 0;
/** A full run takes minutes where the machine has other work. */
const LONG = { timeout: deep(60_000, 1_200_000) };
const PROMISED: Interval = { low: 0.93 - SLACK, high: Math.min(1, 0.97 + SLACK) };
const draw = (random: () => number) => ({ seed: Math.floor(random() * 2 ** 31), resamples: 1000 });

describe("coverage of the 95 % intervals", LONG, () => {
  it.each([50, 100, 250])("V2: Wilson on %i independent trials of one p holds it 93 to 97 times of 100", (n) => {
    const share = shareOf(SUITES, n, (random) => {
      const p = 0.05 + 0.9 * random();
      return within(p, wilson(passes(p, n, random), n));
    });
    expect(within(share, PROMISED)).toBe(true);
  });
  it.each([50, 100, 250])("V2: for each single p it is 92 to 98 of 100 exactly: %i trials", (n) => {
    const shares = Array.from({ length: 95 }, (_, i) => (i + 3) / 100).map((p) => ({ p, share: exactly(p, n) }));
    expect(shares.filter(({ share }) => share < 0.92 || share > 0.98)).toEqual([]);
  });
  it.each([40, 60])("V2: the bootstrap over %i tasks holds the population's rate 93 to 97 times of 100", (tasks) => {
    const wrong = POPULATIONS.map((of, i) => ({
      of: of.name,
      share: held(of, { tasks, k: 5 }, tasks * 10 + i),
    })).filter(({ share }) => !within(share, PROMISED));
    expect(wrong).toEqual([]);
  });
  it("V2: where most tasks are always solved it is wider than it need be, never narrower", () => {
    const wrong = LOPSIDED.map((of, i) => ({ of: of.name, share: held(of, { tasks: 40, k: 5 }, i) })).filter(
      ({ share }) => share < PROMISED.low,
    );
    expect(wrong).toEqual([]);
  });
  it("V2: 100 suites of 40 tasks drawn anew hold it 89 to 100 times", () => {
    const times = POPULATIONS.map((of, i) => {
      let hits = 0;
      for (let at = 0; at < 100; at++) hits += holds(of, { tasks: 40, k: 5 }, prng(7000 + 100 * i + at)) ? 1 : 0;
      return hits;
    });
    expect(times.filter((n) => n < 89)).toEqual([]);
  });
});

/** How often Wilson's interval of n trials holds p, summed over all that may come out. */
function exactly(p: number, n: number): number {
  let logChance = n * Math.log(1 - p);
  let share = 0;
  for (let c = 0; c <= n; c++) {
    if (within(p, wilson(c, n))) share += Math.exp(logChance);
    logChance += Math.log((n - c) / (c + 1)) + Math.log(p / (1 - p));
  }
  return share;
}

function holds(of: Population, size: { tasks: number; k: number }, random: () => number): boolean {
  const rates = drawSuite(of, size, random).map((c) => c / size.k);
  return within(of.mean, bootstrapMean(rates, draw(random)));
}
function held(of: Population, size: { tasks: number; k: number }, seed: number): number {
  return shareOf(SUITES, seed, (random) => holds(of, size, random));
}

describe("estimators", () => {
  const cases = [0.3, 0.7, 0.95].flatMap((p) => [2, 3, 5].map((k) => ({ p, k })));
  it.each(cases)("V2: pass^k and pass@k are unbiased: p=$p, k=$k of 8", ({ p, k }) => {
    const drawn = counts(p, 8);
    expect(errors(drawn, { p, n: 8, truth: p ** k }, (c) => passHatK(8, c, k) ?? Number.NaN)).toBeLessThan(3);
    const any = { p, n: 8, truth: 1 - (1 - p) ** k };
    expect(errors(drawn, any, (c) => passAtK(8, c, k) ?? Number.NaN)).toBeLessThan(3);
  });
  it("V2: the flip rate is unbiased", () => {
    const truth = 2 * 0.7 * 0.3;
    expect(errors(counts(0.7, 5), { p: 0.7, n: 5, truth }, (c) => flipRate(5, c) ?? Number.NaN)).toBeLessThan(3);
  });
});

function counts(p: number, n: number): number[] {
  const random = prng(Math.round(1000 * p) + n);
  return Array.from({ length: 5 * SUITES }, () => passes(p, n, random));
}

/** How many standard errors (of the estimator's true spread) the mean of what was estimated is away from the truth. */
function errors(
  drawn: readonly number[],
  { p, n, truth }: { p: number; n: number; truth: number },
  estimate: (c: number) => number,
): number {
  let variance = 0;
  let chance = (1 - p) ** n;
  for (let c = 0; c <= n; c++) {
    variance += chance * (estimate(c) - truth) ** 2;
    chance *= ((n - c) / (c + 1)) * (p / (1 - p));
  }
  return Math.abs(mean(drawn.map(estimate)) - truth) / Math.sqrt(variance / drawn.length);
}

describe("compare", LONG, () => {
  it.each([10, 40])("V3: equal models on %i tasks can't be told apart at least 94 times of 100", (tasks) => {
    const all = [...POPULATIONS, ...LOPSIDED];
    const share = shareOf(3 * SUITES, tasks, (random, at) => {
      const of = all[at % all.length];
      const pairs = of === undefined ? [] : pairsOf(of, { tasks, k: 5, more: 0 }, random);
      return compareTasks(pairs, draw(random)).verdict === "can't be told apart";
    });
    expect(share).toBeGreaterThanOrEqual(0.94 - SLACK);
  });
  it("V3: a difference of 20 points is found four times out of five with the number of tasks that it named", () => {
    const found = FINDABLE.map((of, i) => {
      const share = shareOf(SUITES, 50 + i, (random) => {
        const pilot = pairsOf(of, { tasks: 40, k: 5, more: 0.2 }, random);
        const tasks = compareTasks(pilot, { ...draw(random), find: 0.2 }).power.tasks ?? 0;
        const made = compareTasks(pairsOf(of, { tasks, k: 5, more: 0.2 }, random), draw(random));
        return made.verdict === "better";
      });
      return { of: of.name, share };
    });
    expect(found.filter(({ share }) => share < 0.8 - SLACK)).toEqual([]);
    expect(found.filter(({ share }) => share > 0.9 + SLACK)).toEqual([]);
  });
  it("V3: a margin that is just missed is shown kept no more than 5 times of 100", () => {
    const of = FINDABLE[0];
    const share = shareOf(SUITES, 90, (random) => {
      const pairs = of === undefined ? [] : pairsOf(of, { tasks: 40, k: 5, more: -0.1 }, random);
      return compareTasks(pairs, { ...draw(random), margin: 0.1 }).nonInferior?.shown === true;
    });
    expect(share).toBeLessThan(0.05 + SLACK);
  });
});

/** Tasks that a model solves 20 points more, or 10 less, often without reaching an end. */
const FINDABLE: readonly Population[] = [
  { name: "coins", mean: 0.5, draw: (random) => 0.3 + 0.4 * random() },
  { name: "hard", mean: 0.3, draw: (random) => 0.1 + 0.4 * random() },
  { name: "each helped otherwise", mean: 0.45, draw: (random) => 0.1 + 0.7 * random() },
];

/** The candidate solves each task that much more often; the third population's by nothing or by twice as much. */
function pairsOf(
  of: Population,
  { tasks, k, more }: { tasks: number; k: number; more: number },
  random: () => number,
): TaskPair[] {
  return Array.from({ length: tasks }, (_, i) => {
    const p = of.draw(random);
    const lift = of.name === "each helped otherwise" && p < 0.6 ? 2 * more * (i % 2) : more;
    return {
      id: String(i),
      base: { n: k, c: passes(p, k, random) },
      candidate: { n: k, c: passes(Math.min(1, p + lift), k, random) },
    };
  });
}
