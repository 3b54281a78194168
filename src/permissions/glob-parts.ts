/** One sign of a pattern: a character, any one character, any run of them, or a set. */
export type Sign =
  | string
  | { any: true }
  | { star: true }
  | { not: boolean; ranges: readonly (readonly [string, string])[] };
/** One component of a pattern. Text: that very name. */
export type Part = { all: true } | { name: string } | { signs: readonly Sign[] };
export const ALL: Part = { all: true };
const MAX_ALTERNATIVES = 64;

/** One component of a pattern. Throws an Error that says what is wrong. */
export function readPart(text: string): Part {
  if (text === "**") return ALL;
  const all = signs(text);
  return all.every((s) => typeof s === "string") ? { name: all.join("") } : { signs: all };
}

/** `a{b,c}d` to `abd`, `acd`; a `{` without a comma and its end stands for itself. */
export function braces(text: string): string[] {
  const found = firstBrace(text);
  if (found === undefined) return [text];
  const tails = braces(text.slice(found.end + 1));
  const middles = found.options.flatMap(braces);
  if (tails.length * middles.length > MAX_ALTERNATIVES)
    throw new Error(`more than ${MAX_ALTERNATIVES} alternatives in {…}`);
  return middles.flatMap((m) => tails.map((t) => text.slice(0, found.start) + m + t));
}

function firstBrace(text: string): { start: number; end: number; options: string[] } | undefined {
  for (let start = 0; start < text.length; start++) {
    if (text[start] === "\\") start++;
    else if (text[start] === "{") {
      const cuts = [start];
      let depth = 0;
      for (let i = start; i < text.length; i++) {
        if (text[i] === "\\") i++;
        else if (text[i] === "{") depth++;
        else if (text[i] === "," && depth === 1) cuts.push(i);
        else if (text[i] === "}" && --depth === 0) {
          if (cuts.length === 1) break;
          return { start, end: i, options: cuts.map((cut, n) => text.slice(cut + 1, cuts[n + 1] ?? i)) };
        }
      }
    }
  }
  return undefined;
}

function signs(text: string): Sign[] {
  const chars = Array.from(text);
  const out: Sign[] = [];
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i] ?? "";
    if (c === "\\") {
      if (chars[i + 1] === undefined) throw new Error("a \\ at the end of a path's part takes nothing literally");
      out.push(chars[++i] ?? "");
    } else if (c === "*") {
      if (!isStar(out.at(-1))) out.push({ star: true });
    } else if (c === "?") out.push({ any: true });
    else if (c === "[") {
      const { set, end } = bracket(chars, i);
      out.push(set);
      i = end;
    } else out.push(c);
  }
  return out;
}

function bracket(chars: readonly string[], start: number): { set: Sign; end: number } {
  const not = chars[start + 1] === "!" || chars[start + 1] === "^";
  const first = start + (not ? 2 : 1);
  const end = chars.indexOf("]", first + 1);
  if (end < 0) throw new Error("a [ without its ]; write \\[ for the sign itself");
  const ranges: [string, string][] = [];
  for (let i = first; i < end; i++) {
    const from = chars[i] ?? "";
    const isRange = chars[i + 1] === "-" && i + 2 < end;
    ranges.push([from, isRange ? (chars[i + 2] ?? from) : from]);
    if (isRange) i += 2;
  }
  return { set: { not, ranges }, end };
}

function isStar(sign: Sign | undefined): boolean {
  return typeof sign === "object" && "star" in sign;
}

/** A part as it would be written. */
export function partText(part: Part): string {
  if ("all" in part) return "**";
  return "name" in part ? literal(part.name) : part.signs.map(signText).join("");
}

function signText(sign: Sign): string {
  if (typeof sign === "string") return literal(sign);
  if ("any" in sign) return "?";
  if ("star" in sign) return "*";
  const ranges = sign.ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`));
  return `[${sign.not ? "!" : ""}${ranges.join("")}]`;
}

/** The pattern of these very letters. */
export function literal(text: string): string {
  return text.replace(/[\\*?[\]{}]/g, "\\$&");
}

/** Wildcards on one component or word; goes back to the newest star alone, so never more than signs times characters. */
export function matchSigns(pattern: readonly Sign[], text: readonly string[]): boolean {
  let p = 0;
  let star = -1;
  let from = 0;
  for (let t = 0; t < text.length;) {
    const sign = pattern[p];
    if (isStar(sign)) {
      star = p++;
      from = t;
    } else if (sign !== undefined && isOne(sign, text[t] ?? "")) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++from;
    } else return false;
  }
  while (isStar(pattern[p])) p++;
  return p === pattern.length;
}

function isOne(sign: Sign, c: string): boolean {
  if (typeof sign === "string") return sign === c;
  if (!("ranges" in sign)) return "any" in sign;
  return sign.ranges.some(([from, to]) => from <= c && c <= to) !== sign.not;
}
