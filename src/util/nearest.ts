/** The candidate that a mistyped word most likely meant, or undefined when none is close. Letter case counts half. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 100) return undefined;
  let best: string | undefined;
  // Of a short word half would be another word.
  let least = word.length < 5 ? 1.6 : Math.max(2.1, word.length * 0.4);
  for (const candidate of candidates) {
    const far = distance(word, candidate);
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** Edit distance, one row at a time; two letters that changed places are one step. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  let above: number[] = [];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const [x, y] = [a[i - 1] ?? "", b[j - 1] ?? ""];
      const swap = x === y ? 0 : x.toLowerCase() === y.toLowerCase() ? 0.5 : 1;
      const turned = i > 1 && j > 1 && x === b[j - 2] && a[i - 2] === y ? (above[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + swap, turned));
    }
    [above, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
