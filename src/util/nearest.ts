/** The candidate that a mistyped word most likely meant, or undefined when none is close. Letter case counts half. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 100) return undefined;
  let best: string | undefined;
  let least = word.length < 4 ? 1.5 : Math.max(2.1, word.length * 0.4);
  for (const candidate of candidates) {
    const far = distance(word, candidate);
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** Edit distance, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const [x, y] = [a[i - 1] ?? "", b[j - 1] ?? ""];
      const swap = x === y ? 0 : x.toLowerCase() === y.toLowerCase() ? 0.5 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + swap));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
