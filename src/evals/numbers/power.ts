import { Z80, Z95 } from "./normal.ts";

/**
 * How many tasks a comparison needs to find a true difference four times out of five (power 80 %) at 95 %, where differences by task scatter with this
 * standard deviation: ((1.96 + 0.84) · σ/Δ)², and 1.96²/2 more for a σ that is only estimated (W. C. Guenther, "Sample size formulas for normal theory t
 * tests", The American Statistician 1981; by task and paired as in Miller 2024). `difference` is not 0.
 */
export function tasksNeeded(spread: number, difference: number): number {
  return Math.ceil(((Z95 + Z80) * (spread / difference)) ** 2 + Z95 ** 2 / 2);
}

/** The smallest true difference that so many tasks find four times out of five; undefined of two tasks or fewer. */
export function differenceFound(spread: number, tasks: number): number | undefined {
  const left = tasks - Z95 ** 2 / 2;
  return left <= 0 ? undefined : ((Z95 + Z80) * spread) / Math.sqrt(left);
}

/**
 * How differences by task would scatter if the same model were run twice, from chance within tasks alone: √(2 · mean p(1−p)/n), each p(1−p) by its unbiased
 * estimate c(n−c)/(n(n−1)). A change that helps one task and harms another scatters more. Undefined without a task of two trials.
 */
export function chanceSpread(counts: readonly { n: number; c: number }[]): number | undefined {
  const known = counts.filter(({ n }) => n >= 2);
  if (known.length === 0) return undefined;
  const variance = known.reduce((sum, { n, c }) => sum + (c * (n - c)) / (n * n * (n - 1)), 0) / known.length;
  return Math.sqrt(2 * variance);
}

/**
 * A spread that is not below the true one four times out of five, out of one that was measured on so many tasks: who plans with it gets the power that is promised
 * though a few tasks tell the spread badly (R. H. Browne, "On the use of a pilot sample for sample size determination", Statistics in Medicine 1995; chi-squared by
 * Wilson and Hilferty 1931). Of one task: 0.
 */
export function spreadToPlanWith(spread: number, tasks: number): number {
  const freedom = tasks - 1;
  if (freedom < 1) return 0;
  const unit = 2 / (9 * freedom);
  return spread / (1 - unit - Z80 * Math.sqrt(unit)) ** 1.5;
}
