/** One sign of a pattern: a character, any one character, any run of them, or a set. */
export type Sign =
  | string
  | { any: true }
  | { star: true }
  | { not: boolean; ranges: readonly (readonly [string, string])[] };
type Part = "**" | readonly Sign[];

/** What a path has to do with a pattern. `below`: something inside this folder might match. */
export interface Hit {
  exact: boolean;
  ancestor: boolean;
  below: boolean;
}

const MAX_ALTERNATIVES = 64;

/**
 * Gitignore-like patterns on paths, compared component by component in time proportional to pattern times path, so that no
 * pattern (a project's rules are foreign text) can hang the gate. `*` and `?` stay inside a component and match leading
 * dots, `**` spans components, `[a-z]`, `[!a]`, `{a,b}`, `\` before a sign takes it literally. A pattern without `/` in front or
 * inside matches at any depth. Throws an Error that says what is wrong.
 */
export class PathPattern {
  /** `//path`: the file system's root instead of a root of the session. */
  readonly absolute: boolean;
  readonly #anchored: boolean;
  /** The last part is a plain name or ends with `/`: an allow covers what lies below. */
  readonly #folder: boolean;
  readonly #alternatives: readonly (readonly Part[])[];

  constructor(text: string, options: { absolute?: boolean } = {}) {
    check(text);
    this.absolute = options.absolute === true || text.startsWith("//");
    const bare = text.replace(/^\.?\/+/, "").replace(/\/+$/, "");
    this.#anchored = /^\.?\//.test(text) || this.absolute || bare.includes("/");
    const whole = braces(bare);
    this.#alternatives = whole.map((one) => this.#parts(one));
    this.#folder = text.endsWith("/") || this.#alternatives.every((parts) => isPlain(parts.at(-1)));
  }

  #parts(text: string): Part[] {
    const parts = text
      .split("/")
      .filter((p) => p !== "" && p !== ".")
      .map((p): Part => (p === "**" ? "**" : signs(p)));
    return this.#anchored ? parts : ["**", ...parts];
  }

  /** For an allow: this very path, or below a folder that the pattern names; letter case counts. `tree`: all below it too. */
  covers(path: string, tree = false): boolean {
    if (path.startsWith("/") !== this.absolute || climbs(path)) return false;
    return this.#alternatives.some((parts) => {
      const hit = scan(
        parts,
        components(path, (c) => c),
      );
      if (this.#folder) return hit.exact || hit.ancestor;
      return hit.exact && (!tree || parts.at(-1) === "**");
    });
  }

  /**
   * For a deny or an ask: this path or a folder above it, whatever the letter case, invisible letters or trailing dots.
   * "below": not itself, but something inside might.
   */
  touches(path: string): "yes" | "below" | "no" {
    if (climbs(path)) return "yes";
    if (path.startsWith("/") !== this.absolute && (this.absolute || this.#anchored)) return "no";
    const hits = this.#alternatives.flatMap((parts) => [
      scan(parts.map(foldPart), components(path, fold)),
      scan(
        parts,
        components(path, (c) => c),
      ),
    ]);
    if (hits.some((h) => h.exact || h.ancestor)) return "yes";
    return hits.some((h) => h.below) ? "below" : "no";
  }
}

function check(text: string): void {
  if (text.trim() === "" || /^[./]*$/.test(text)) throw new Error("the path is missing; write ** for everything");
  if (text.length > 1000) throw new Error("the path is longer than 1,000 characters");
  if (text.startsWith("!")) throw new Error("a path can't begin with !; write a rule of the other kind instead");
  if (text.split("/").includes("..")) throw new Error("a path can't climb with ..; name it from the folder's own top");
  if (text.includes("\0")) throw new Error("the path holds a NUL");
}

function climbs(path: string): boolean {
  return path.split("/").includes("..") || path.includes("\0");
}

function components(path: string, each: (c: string) => string): (readonly string[])[] {
  return path
    .split("/")
    .filter((c) => c !== "" && c !== ".")
    .map((c) => Array.from(each(c)));
}

function fold(text: string): string {
  const plain = text
    .normalize("NFKC")
    .replace(/\p{DI}/gu, "")
    .toLowerCase();
  return plain.replace(/[. ]+$/, "") || plain;
}

function foldPart(part: Part): Part {
  if (part === "**") return part;
  if (part.every((s) => typeof s === "string")) return Array.from(fold(part.join("")));
  return part.flatMap((s): Sign[] => {
    if (typeof s === "string")
      return Array.from(
        s
          .normalize("NFKC")
          .replace(/\p{DI}/gu, "")
          .toLowerCase(),
      );
    if (!("ranges" in s)) return [s];
    // Folding both ends of every range and keeping the unfolded ones: a deny may match more, never less.
    return [{ not: s.not, ranges: s.not ? s.ranges : [...s.ranges, ...s.ranges.map(lowerRange)] }];
  });
}

function lowerRange([from, to]: readonly [string, string]): readonly [string, string] {
  return [from.toLowerCase(), to.toLowerCase()];
}

/** `a{b,c}d` to `abd`, `acd`; a `{` without a comma and its end stands for itself. */
function braces(text: string): string[] {
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

function isPlain(part: Part | undefined): boolean {
  return part !== undefined && part !== "**" && part.every((s) => typeof s === "string");
}

/** Walks all parts at once: the set of positions in the pattern that the components so far can have reached. */
function scan(parts: readonly Part[], path: readonly (readonly string[])[]): Hit {
  let reached = open(parts, new Set([0]));
  let ancestor = false;
  for (const [n, component] of path.entries()) {
    const next = new Set<number>();
    for (const at of reached) {
      const part = parts[at];
      if (part === "**") next.add(at);
      else if (part !== undefined && matchSigns(part, component)) next.add(at + 1);
    }
    reached = open(parts, next);
    if (n < path.length - 1 && reached.has(parts.length)) ancestor = true;
  }
  const exact = reached.has(parts.length);
  return { exact, ancestor, below: [...reached].some((at) => at < parts.length) };
}

/** `**` may stand for nothing. */
function open(parts: readonly Part[], at: Set<number>): Set<number> {
  for (const i of at) if (parts[i] === "**") at.add(i + 1);
  return at;
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
