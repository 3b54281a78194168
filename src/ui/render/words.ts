import type { Line, Span } from "./spans.ts";

/** Longer lines are compared by their common ends alone. */
const MAX_WORDS = 120;

/** Marks in a removed and an added line what really changed, word by word. */
export function wordChanges(before: string, after: string): { before: Line; after: Line } {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const same = a.length <= MAX_WORDS && b.length <= MAX_WORDS ? commonWords(a, b) : commonEnds(a, b);
  const kept = same.a.filter(Boolean).length;
  // Lines that share little are simply two lines: marking all of it says nothing.
  if (kept * 3 < Math.max(a.length, b.length)) {
    return { before: [{ text: before, style: "removed" }], after: [{ text: after, style: "added" }] };
  }
  return { before: marked(a, same.a, "removed"), after: marked(b, same.b, "added") };
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

interface Same {
  a: boolean[];
  b: boolean[];
}

function commonEnds(a: readonly string[], b: readonly string[]): Same {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (n: number) => Array.from({ length: n }, (_, at) => at < head || at >= n - tail);
  return { a: same(a.length), b: same(b.length) };
}

/** Longest common run of words. */
function commonWords(a: readonly string[], b: readonly string[]): Same {
  const wide = b.length + 1;
  const best = new Uint16Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const down = best[(i + 1) * wide + j] ?? 0;
      const right = best[i * wide + j + 1] ?? 0;
      best[i * wide + j] = a[i] === b[j] ? (best[(i + 1) * wide + j + 1] ?? 0) + 1 : Math.max(down, right);
    }
  }
  const same: Same = { a: a.map(() => false), b: b.map(() => false) };
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      same.a[i++] = true;
      same.b[j++] = true;
    } else if ((best[(i + 1) * wide + j] ?? 0) >= (best[i * wide + j + 1] ?? 0)) i++;
    else j++;
  }
  return same;
}

function marked(words: readonly string[], same: readonly boolean[], style: "added" | "removed"): Line {
  const spans: Span[] = [];
  for (const [at, word] of words.entries()) {
    const as = same[at] === true ? style : (`${style}Word` as const);
    const last = spans.at(-1);
    if (last !== undefined && last.style === as) last.text += word;
    else spans.push({ text: word, style: as });
  }
  return spans;
}
