import type { Interval } from "./interval.ts";

/** A median of tasks, and where the median of all tasks that these are a sample of lies. */
export interface Median extends Interval {
  median: number;
  /** How often such an interval holds it: 0.95 or more, less only where there are fewer than six values. */
  level: number;
}

/**
 * Median with its 95 % interval by order statistics: the narrowest pair of values, equally far from both ends, that holds the population's median with 95 %;
 * exact whatever the distribution (W. J. Conover, "Practical nonparametric statistics", 1971; Hahn and Meeker, "Statistical intervals", 1991). Five values
 * or fewer reach no 95 %: then it goes from the least to the greatest, and `level` says what that is worth. Undefined of no values.
 */
export function medianOf(values: readonly number[]): Median | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  if (n === 0) return undefined;
  const { skip, level } = ranks(n);
  return { median: middleOf(sorted), low: sorted[skip] ?? 0, high: sorted[n - 1 - skip] ?? 0, level };
}

/** The middle value, or the mean of the two in the middle. Of no values: NaN. */
export function middleOf(sorted: readonly number[]): number {
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2;
}

/** How many values may be left out at each end: the number of values below the median is binomial with p = 1/2. In logarithms, so that no n is too large. */
function ranks(n: number): { skip: number; level: number } {
  let term = -n * Math.LN2;
  let tail = Math.exp(term);
  for (let skip = 0; ; skip++) {
    term += Math.log((n - skip) / (skip + 1));
    if (tail + Math.exp(term) > 0.025) return { skip, level: 1 - 2 * tail };
    tail += Math.exp(term);
  }
}
