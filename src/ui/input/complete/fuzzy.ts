const BOUND = " /._-@()[]";

/**
 * How well a path fits what was typed; undefined where its letters are not all in it, in this order. Higher is better: letters together,
 * at the start of words, in the file's own name; a short path before a long one. `lower`: the path in lower case. For some ten thousand
 * paths a key, so nothing is allocated.
 */
export function fit(path: string, lower: string, query: string): number | undefined {
  if (query === "") return 0;
  const name = lower.lastIndexOf("/", lower.length - 2) + 1;
  const whole = lower.lastIndexOf(query);
  if (whole >= 0) return wholeFit(path, lower, query, whole, name) - path.length / 64;
  let score = 0;
  let at = lower.length;
  let last = -1;
  // From the end: what is typed is mostly the end of a path.
  for (let i = query.length - 1; i >= 0; i--) {
    const found = lower.lastIndexOf(query.charAt(i), at - 1);
    if (found < 0 || at === 0) return undefined;
    score += (last === found + 1 ? 6 : 0) + (starts(path, found) ? 8 : 0) + (found >= name ? 3 : 0) + 1;
    last = found;
    at = found;
  }
  return score - path.length / 64;
}

/** The letters as they were typed, in one piece. */
function wholeFit(path: string, lower: string, query: string, at: number, name: number): number {
  const first = lower.startsWith(query);
  const place = at >= name ? 40 : 0;
  const start = starts(path, at) || (at < name && lower.startsWith(query, name)) ? 20 : 0;
  const all = lower.length === query.length || (at === name && at + query.length === lower.length) ? 60 : 0;
  return query.length * 15 + place + start + all + (first ? 30 : 0);
}

function starts(path: string, at: number): boolean {
  if (at === 0) return true;
  const [before, here] = [path.charAt(at - 1), path.charAt(at)];
  return BOUND.includes(before) || (here >= "A" && here <= "Z" && before >= "a" && before <= "z");
}
