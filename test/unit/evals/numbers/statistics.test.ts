import { describe, expect, it } from "vitest";
import { bootstrapDifference, bootstrapMean, bootstrapUnbounded } from "../../../../src/evals/numbers/bootstrap.ts";
import { normalInterval, wilson, within } from "../../../../src/evals/numbers/interval.ts";
import { mcNemar } from "../../../../src/evals/numbers/mcnemar.ts";
import { deviation, mean } from "../../../../src/evals/numbers/mean.ts";
import { medianOf, middleOf } from "../../../../src/evals/numbers/median.ts";
import { normalQuantile, normalShare, t975, Z80, Z95 } from "../../../../src/evals/numbers/normal.ts";
import { flipRate, passAtK, passHatK } from "../../../../src/evals/numbers/pass-k.ts";
import { chanceSpread, differenceFound, spreadToPlanWith, tasksNeeded } from "../../../../src/evals/numbers/power.ts";
import { prng } from "../../../../src/evals/numbers/prng.ts";

/** Of V7: ten tasks, five trials each. */
const PASSES = [5, 5, 4, 5, 3, 5, 5, 2, 5, 4];
const percent = (x: number): number => Math.round(100 * x);
const RATES = PASSES.map((c) => c / 5);

describe("the worked figures", () => {
  it("V7: 43 of 50 is 86 %, 76 % to 96 % by the normal approximation, pass^5 60 %", () => {
    expect(percent(43 / 50)).toBe(86);
    const { low, high } = normalInterval(43, 50);
    expect([percent(low), percent(high)]).toEqual([76, 96]);
    expect(percent(mean(PASSES.map((c) => passHatK(5, c, 5) ?? Number.NaN)))).toBe(60);
  });
  it("V7: n=8, c=6, k=3 is 0.357", () => {
    expect(passHatK(8, 6, 3)?.toFixed(3)).toBe("0.357");
  });
  it("V7: Wilson and the bootstrap say something else on the same figures, each as it should", () => {
    const score = wilson(43, 50);
    expect([percent(score.low), percent(score.high)]).toEqual([74, 93]);
    const tasks = bootstrapMean(RATES, { seed: 7 });
    expect([tasks.low, tasks.high]).toEqual([expect.closeTo(0.65, 1), expect.closeTo(0.97, 1)]);
    expect(within(0.86, tasks)).toBe(true);
  });
});

describe("intervals of a share", () => {
  it("V2: Wilson's own example and ends (Newcombe 1998, table I)", () => {
    expect(wilson(81, 263).low).toBeCloseTo(0.2553, 4);
    expect(wilson(81, 263).high).toBeCloseTo(0.3662, 4);
    expect(wilson(0, 20)).toEqual({ low: 0, high: expect.closeTo(0.1611, 4) });
    expect(wilson(1, 29)).toEqual({ low: expect.closeTo(0.0061, 4), high: expect.closeTo(0.1718, 4) });
  });
  it("V2: the normal approximation is clamped, and of no trials nothing is known", () => {
    expect(normalInterval(1, 29).low).toBe(0);
    expect(normalInterval(28, 29).high).toBe(1);
    expect([normalInterval(0, 0), wilson(0, 0)]).toEqual([
      { low: 0, high: 1 },
      { low: 0, high: 1 },
    ]);
  });
});

describe("the bootstrap over tasks", () => {
  it("V2: the same seed gives the same interval, another seed nearly", () => {
    const [a, b, c] = [7, 7, 8].map((seed) => bootstrapMean(RATES, { seed }));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    expect(a?.low).toBeCloseTo(c?.low ?? 0, 1);
  });
  it("V2: only whole tasks are drawn: trials of one task don't make it narrower", () => {
    const rates = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 1 : 0));
    const { low, high } = bootstrapMean(rates, { seed: 1 });
    // 40 tasks that are always or never solved are 40 observations, however many trials each had.
    expect(high - low).toBeGreaterThan(0.28);
    const of400 = wilson(200, 400);
    expect(of400.high - of400.low).toBeLessThan(0.1);
  });
  it("V2: tasks that are all the same, or fewer than five, count as one trial each", () => {
    expect(bootstrapMean([1, 1, 1, 1, 1, 1], { seed: 1 })).toEqual(wilson(6, 6));
    expect(bootstrapMean([1, 0.4, 1], { seed: 1 })).toEqual(wilson(2.4, 3));
    expect(bootstrapDifference([0.2, 0.2, 0.2, 0.2, 0.2, 0.2], { seed: 1 }).low).toBeLessThan(0);
    expect(bootstrapDifference([1, 1, 1, 1, 1, 1], { seed: 1 })).toEqual({ low: expect.closeTo(0.219, 2), high: 1 });
    expect(bootstrapUnbounded([3, 3, 3, 3, 3], { seed: 1 })).toBeUndefined();
    expect(bootstrapUnbounded([1, 2, 3, 4, 500], { seed: 1 })?.high).toBeLessThan(510);
  });
  it("V2: it lies within the values, leans away from the crowded end, and widens with the spread", () => {
    const { low, high } = bootstrapMean([1, 1, 1, 1, 1, 1, 1, 1, 1, 0.2], { seed: 3 });
    expect(high).toBeLessThanOrEqual(1);
    expect(0.92 - low).toBeGreaterThan(2 * (high - 0.92));
  });
});

describe("pass@k, pass^k and flips", () => {
  it("V2: agree with counting every choice", () => {
    for (const n of [1, 4, 7])
      for (let c = 0; c <= n; c++)
        for (let k = 1; k <= n; k++) {
          const all = choices(n, k);
          const hat = all.filter((pick) => pick.every((i) => i < c)).length / all.length;
          const at = all.filter((pick) => pick.some((i) => i < c)).length / all.length;
          expect(passHatK(n, c, k)).toBeCloseTo(hat, 12);
          expect(passAtK(n, c, k)).toBeCloseTo(at, 12);
        }
  });
  it("V2: need as many trials as they speak of", () => {
    expect([passHatK(2, 2, 3), passAtK(2, 2, 3), flipRate(1, 1)]).toEqual([undefined, undefined, undefined]);
    expect([flipRate(5, 5), flipRate(2, 1), flipRate(4, 2)]).toEqual([0, 1, expect.closeTo(2 / 3, 12)]);
  });
  it("V2: n in the thousands is no trouble", () => {
    expect(passHatK(10_000, 9_999, 5_000)).toBeCloseTo(0.5, 9);
  });
});

describe("medians", () => {
  it("V2: the interval is that of the order statistics (Conover, table A3)", () => {
    const ten = Array.from({ length: 10 }, (_, i) => i + 1);
    expect(medianOf(ten.toReversed())).toEqual({ median: 5.5, low: 2, high: 9, level: expect.closeTo(0.9785, 4) });
    expect(medianOf(Array.from({ length: 25 }, (_, i) => i + 1))).toMatchObject({ median: 13, low: 8, high: 18 });
  });
  it("V2: of few values it goes from the least to the greatest and says what that is worth", () => {
    expect(medianOf([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3, level: expect.closeTo(0.75, 12) });
    expect(medianOf([4])).toEqual({ median: 4, low: 4, high: 4, level: expect.closeTo(0, 12) });
    expect([medianOf([]), middleOf([])]).toEqual([undefined, Number.NaN]);
  });
  it("V2: of thousands of values it is still an interval", () => {
    const { low, high, level } = medianOf(Array.from({ length: 4001 }, (_, i) => i)) ?? { low: 0, high: 0, level: 0 };
    expect([low > 1930, high < 2070, level > 0.95, level < 0.96]).toEqual([true, true, true, true]);
  });
});

describe("McNemar", () => {
  it("V3: counts who solved what; the exact test is a coin for each task that only one solved", () => {
    const pair = (times: number, base: boolean, candidate: boolean) =>
      Array.from({ length: times }, () => ({ base, candidate }));
    const table = mcNemar([
      ...pair(3, true, true),
      ...pair(1, true, false),
      ...pair(7, false, true),
      ...pair(2, false, false),
    ]);
    expect(table).toEqual({ both: 3, onlyBase: 1, onlyCandidate: 7, neither: 2, p: expect.closeTo(0.0703, 4) });
    expect(mcNemar([]).p).toBe(1);
    expect(mcNemar([...pair(2, true, false), ...pair(2, false, true)]).p).toBe(1);
  });
});

describe("how many tasks", () => {
  it("V3: the usual figure, and its other way round", () => {
    // A spread of 0.5 and a difference of 0.2: (2.8 × 2.5)² = 49.05, and 1.92 for the spread's own doubt.
    expect(tasksNeeded(0.5, 0.2)).toBe(51);
    expect(tasksNeeded(0.5, -0.2)).toBe(51);
    expect(tasksNeeded(0, 0.2)).toBe(2);
    expect(differenceFound(0.5, 51)).toBeCloseTo(0.2, 2);
    expect(differenceFound(0.5, 1)).toBeUndefined();
  });
  it("V3: a spread out of few tasks is planned with as a larger one (chi-squared of 9 degrees below 5.380 one time in five)", () => {
    expect(spreadToPlanWith(1, 10)).toBeCloseTo(Math.sqrt(9 / 5.38), 2);
    expect([spreadToPlanWith(1, 1), spreadToPlanWith(1, 1000) < 1.03]).toEqual([0, true]);
  });
  it("V3: chance alone scatters differences as binomials do", () => {
    // Two of four trials: p(1−p) is 1/3 by its unbiased estimate, so twice 1/3 over 4.
    expect(chanceSpread([{ n: 4, c: 2 }])).toBeCloseTo(Math.sqrt(2 / 12), 12);
    expect(
      chanceSpread([
        { n: 5, c: 5 },
        { n: 1, c: 0 },
      ]),
    ).toBe(0);
    expect(chanceSpread([{ n: 1, c: 1 }])).toBeUndefined();
  });
});

describe("what they stand on", () => {
  it("V2: the normal and Student's distribution as in any table", () => {
    expect(normalShare(1.96)).toBeCloseTo(0.9750021048517795, 12);
    expect(normalShare(-8)).toBeCloseTo(6.22e-16, 18);
    expect([normalShare(40), normalShare(-40)]).toEqual([1, 0]);
    expect(normalQuantile(0.975)).toBeCloseTo(Z95, 9);
    expect(normalQuantile(0.8)).toBeCloseTo(Z80, 9);
    expect([t975(4), t975(9), t975(39)]).toEqual([
      expect.closeTo(2.776, 2),
      expect.closeTo(2.262, 3),
      expect.closeTo(2.023, 3),
    ]);
  });
  it("V2: the random numbers are even, and other seeds give others", () => {
    const random = prng(1);
    const drawn = Array.from({ length: 20_000 }, () => random());
    const counts = Array.from({ length: 10 }, (_, i) => drawn.filter((x) => Math.floor(10 * x) === i).length);
    expect(counts.filter((n) => n < 1850 || n > 2150)).toEqual([]);
    const firsts = [0, 1, 2, 2 ** 32, 2 ** 40].map((seed) => prng(seed)());
    expect(new Set(firsts).size).toBe(firsts.length);
  });
  it("V2: spreads", () => {
    expect(deviation([1, 2, 3])).toBe(1);
    expect([deviation([1]), mean([])]).toEqual([0, Number.NaN]);
  });
});

/** All choices of k out of 0 to n − 1. */
function choices(n: number, k: number, from = 0): number[][] {
  if (k === 0) return [[]];
  const found: number[][] = [];
  for (let i = from; i <= n - k; i++) for (const rest of choices(n, k - 1, i + 1)) found.push([i, ...rest]);
  return found;
}
