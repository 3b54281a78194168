/** Tasks by who solved them. */
export interface McNemar {
  both: number;
  onlyBase: number;
  onlyCandidate: number;
  neither: number;
  /** How likely a split as uneven as this among tasks that only one solved would be by chance: exact, two-sided. 1 where there are none. */
  p: number;
}

/**
 * Counts tasks that both, one or none of two models solved (Q. McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika
 * 1947); its exact test is a coin for each task that only one solved. Coarser than the difference of rates: it forgets how often a task was solved.
 */
export function mcNemar(pairs: readonly { base: boolean; candidate: boolean }[]): McNemar {
  const count = (base: boolean, candidate: boolean): number =>
    pairs.filter((pair) => pair.base === base && pair.candidate === candidate).length;
  const onlyBase = count(true, false);
  const onlyCandidate = count(false, true);
  const p = coinTail(onlyBase + onlyCandidate, Math.min(onlyBase, onlyCandidate));
  return { both: count(true, true), onlyBase, onlyCandidate, neither: count(false, false), p };
}

/** The chance that n throws of a coin fall at most `few` times to either side. */
function coinTail(n: number, few: number): number {
  let term = 0.5 ** n;
  let tail = term;
  for (let i = 0; i < few; i++) {
    term *= (n - i) / (i + 1);
    tail += term;
  }
  return Math.min(1, 2 * tail);
}
