/** Lines looked at, and letters of a line compared: a bound on the work, not on the answer's truth. */
const MOST_LINES = 50_000;
const MOST_LETTERS = 400;
/** Below this likeness nothing is named. */
const ALIKE = 0.5;
const SHOWN_LINES = 12;
const SHOWN_LETTERS = 1000;

/**
 * One or two sentences for a text that is not in the file: what stands there that is most like it, where, and what differs. It is named, never used.
 */
export function nearest(text: string, wanted: string): string {
  const lines = text.split("\n").slice(0, MOST_LINES);
  const numbered = ungutter(wanted);
  if (numbered !== undefined && text.includes(numbered))
    return "It holds the line numbers that Read puts before each line: leave them out.";
  const want = wanted.replace(/^\n+|\n+$/g, "").split("\n");
  const at = bestWindow(lines, want);
  if (at === undefined) return "Nothing in it is alike. Read the file again, or Grep for a part of it.";
  const there = lines.slice(at, at + want.length);
  const last = at + there.length;
  const where = there.length === 1 ? `line ${last}` : `lines ${at + 1}-${last}`;
  const shown = there.slice(0, SHOWN_LINES).join("\n").slice(0, SHOWN_LETTERS);
  return `Nearest, ${where}${difference(there.join("\n"), want.join("\n"))}:\n${shown}`;
}

function ungutter(text: string): string | undefined {
  const lines = text.split("\n");
  const gutter = /^\s*\d+\t/;
  if (!lines.every((line, n) => gutter.test(line) || (line === "" && n === lines.length - 1))) return undefined;
  return lines.map((line) => line.replace(gutter, "")).join("\n");
}

/** What kind of difference it is, where it is of one kind. */
function difference(there: string, wanted: string): string {
  const kinds: readonly [string, (text: string) => string][] = [
    [" (differs in white space alone: copy tabs and spaces as Read shows them)", (t) => t.replace(/\s+/g, "")],
    [" (differs in how accents are stored: match a part without them)", (t) => t.normalize("NFC")],
    [" (differs in curly and straight quotes)", (t) => t.replace(/[‘’‚′]/g, "'").replace(/[“”„″]/g, '"')],
    [" (differs in capital letters alone)", (t) => t.toLowerCase()],
    [
      " (it holds bytes that are no letters, shown as \uFFFD: match around them)",
      (t) => t.replace(/[\uDC80-\uDCFF]/gu, "\uFFFD"),
    ],
  ];
  return kinds.find(([, fold]) => fold(there) === fold(wanted))?.[0] ?? "";
}

/** Index of the first of the lines that are most like the wanted ones. */
function bestWindow(lines: readonly string[], want: readonly string[]): number | undefined {
  const anchor = want.reduce((best, line, n) => (line.trim().length > (want[best] ?? "").trim().length ? n : best), 0);
  const pairs = pairsOf(want[anchor] ?? "");
  if (pairs.size === 0) return undefined;
  const scored = lines.map((line, n) => ({ n: n - anchor, score: likeness(pairs, pairsOf(line)) }));
  const best = scored.filter((s) => s.n >= 0 && s.score >= ALIKE).toSorted((a, b) => b.score - a.score || a.n - b.n);
  const wanted = want.map(pairsOf);
  let found: { n: number; score: number } | undefined;
  for (const { n } of best.slice(0, 30)) {
    const score = wanted.reduce((sum, p, k) => sum + likeness(p, pairsOf(lines[n + k] ?? "")), 0) / want.length;
    if (found === undefined || score > found.score) found = { n, score };
  }
  return found !== undefined && found.score >= ALIKE ? found.n : undefined;
}

/** Pairs of neighbouring letters, white space and kinds of quotes and accents aside. */
function pairsOf(line: string): Set<string> {
  const text = line
    .slice(0, MOST_LETTERS)
    .normalize("NFKD")
    .replace(/\s+/g, "")
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"');
  const pairs = new Set<string>();
  for (let n = 0; n < text.length - 1; n++) pairs.add(text.slice(n, n + 2).toLowerCase());
  if (text.length === 1) pairs.add(text.toLowerCase());
  return pairs;
}

/** 0 to 1 (Dice's coefficient over pairs). */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1;
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared++;
  return (2 * shared) / (a.size + b.size);
}

/** The names most like a wanted one, best first; for "No src/a.ts. Near: …". */
export function nearNames(names: readonly string[], wanted: string, most = 3): string[] {
  const pairs = pairsOf(wanted);
  return names
    .map((name) => ({ name, score: likeness(pairs, pairsOf(name)) }))
    .filter((n) => n.score >= ALIKE)
    .toSorted((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map((n) => n.name);
}
