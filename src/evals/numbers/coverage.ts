import { percent } from "./words.ts";

/**
 * How often the 95 % bootstrap intervals hold the truth, by number of tasks: the lowest of nine populations of tasks with 1, 3 and 5 trials each, 1,500 suites
 * of each. Measured by `node scripts/coverage.mjs 1500`; `test/property/evals-numbers.test.ts` measures from 40 tasks on.
 */
export const COVERAGE: Readonly<Record<"rate" | "difference", readonly (readonly [tasks: number, share: number])[]>> = {
  rate: [
    [3, 0.86],
    [4, 0.87],
    [5, 0.91],
    [6, 0.92],
    [8, 0.93],
    [10, 0.945],
    [13, 0.92],
    [16, 0.935],
    [20, 0.94],
    [30, 0.95],
  ],
  difference: [
    [3, 1],
    [4, 0.99],
    [5, 0.945],
    [6, 0.94],
    [8, 0.945],
    [10, 0.945],
    [13, 0.94],
    [16, 0.935],
    [20, 0.94],
    [30, 0.945],
  ],
};

/** What was measured for the largest size that is no larger; undefined from 40 tasks on, where it is what is promised, and for fewer than three tasks. */
export function coverageOf(of: keyof typeof COVERAGE, tasks: number): number | undefined {
  if (tasks >= ENOUGH) return undefined;
  return COVERAGE[of].findLast(([size]) => size <= tasks)?.[1];
}

const ENOUGH = 40;

/** What to say beside such an interval; empty where nothing needs to be said. */
export function coverageWords(of: keyof typeof COVERAGE, tasks: number): string {
  if (tasks < (COVERAGE[of][0]?.[0] ?? 0))
    return `${tasks === 1 ? "one task says" : `${tasks} tasks say`} nothing about others`;
  const share = coverageOf(of, tasks);
  return share === undefined
    ? ""
    : `of ${tasks} tasks such an interval held the truth at least ${percent(share)} of the time in simulations`;
}
