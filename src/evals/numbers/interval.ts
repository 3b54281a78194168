import { Z95 } from "./normal.ts";

/** Both ends count as inside. */
export interface Interval {
  low: number;
  high: number;
}

/** Sums of fifths and tenths miss their true value by less. */
const DUST = 1e-9;

/** True when the value lies within, ends included. */
export function within(value: number, { low, high }: Interval): boolean {
  return low - DUST <= value && value <= high + DUST;
}

/**
 * 95 % interval of a share by the normal approximation (Laplace 1812, "Wald"): p ± 1.96 √(p(1−p)/n), clamped to 0 to 1. The usual one in papers; too
 * narrow near 0 and 1 and for small n (Brown, Cai, DasGupta, "Interval estimation for a binomial proportion", Statistical Science 2001). Of no trials: 0 to 1.
 */
export function normalInterval(successes: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const share = successes / trials;
  const half = Z95 * Math.sqrt((share * (1 - share)) / trials);
  return { low: Math.max(0, share - half), high: Math.min(1, share + half) };
}

/**
 * 95 % interval of a share by its score (E. B. Wilson, "Probable inference", JASA 1927): good for small n and near 0 and 1. For trials that are
 * independent and of one p: trials of one task, or of tasks that are equally hard. Takes shares of a trial too. Of no trials: 0 to 1.
 */
export function wilson(successes: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const share = successes / trials;
  const scale = 1 + Z95 ** 2 / trials;
  const centre = (share + Z95 ** 2 / (2 * trials)) / scale;
  const half = (Z95 / scale) * Math.sqrt((share * (1 - share)) / trials + Z95 ** 2 / (4 * trials ** 2));
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
