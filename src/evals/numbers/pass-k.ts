/**
 * The chance that at least one of k trials passes, out of c passes in n: 1 − C(n−c, k)/C(n, k), unbiased (Chen et al., "Evaluating large language models
 * trained on code", 2021). Undefined where n < k.
 */
export function passAtK(n: number, c: number, k: number): number | undefined {
  const none = allOf(n, n - c, k);
  return none === undefined ? undefined : 1 - none;
}

/**
 * The chance that all of k trials pass, out of c passes in n: C(c, k)/C(n, k), unbiased (Yao et al., "τ-bench", 2024, "pass^k"). Undefined where n < k.
 */
export function passHatK(n: number, c: number, k: number): number | undefined {
  return allOf(n, c, k);
}

/** The share of choices of k out of n that lie all among the c: a product, so that no factorial grows too large. */
function allOf(n: number, c: number, k: number): number | undefined {
  if (n < k) return undefined;
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(0, c - i) / (n - i);
  return share;
}

/**
 * The chance that two trials of one task end differently: 2c(n−c)/(n(n−1)), unbiased (Gini's impurity, of pairs without repetition). 0: it always
 * ends the same; above 0.5: hardly better than a coin. Undefined of fewer than two trials.
 */
export function flipRate(n: number, c: number): number | undefined {
  return n < 2 ? undefined : (2 * c * (n - c)) / (n * (n - 1));
}
