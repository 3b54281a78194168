/** One sign of a pattern: a character, any one character, any run of them, or a set. */
export type Sign =
  | string
  | { any: true }
  | { star: true }
  | { not: boolean; ranges: readonly (readonly [string, string])[] };
/** One component of a pattern. Text: that very name. */
type Part = { all: true } | { name: string } | { signs: readonly Sign[] };
const ALL: Part = { all: true };

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
  readonly #folded: readonly (readonly Part[])[];

  constructor(text: string, options: { absolute?: boolean } = {}) {
    check(text);
    this.absolute = options.absolute === true || text.startsWith("//");
    const bare = text.replace(/^\.?\/+/, "").replace(/\/+$/, "");
    this.#anchored = /^\.?\//.test(text) || this.absolute || bare.includes("/");
    const whole = braces(bare);
    this.#alternatives = whole.map((one) => this.#parts(one));
    this.#folded = this.#alternatives.map((parts) => parts.map(foldPart));
    this.#folder = text.endsWith("/") || this.#alternatives.every((parts) => isPlain(parts.at(-1)));
  }

  #parts(text: string): Part[] {
    const parts = text
      .split("/")
      .filter((p) => p !== "" && p !== ".")
      .map((p) => (p === "**" ? ALL : partOf(signs(p))));
    return this.#anchored ? parts : [ALL, ...parts];
  }

  /** It says what a name looks like, not where: it matches at any depth. */
  get floating(): boolean {
    return this.#alternatives.some((parts) => parts[0] === ALL);
  }

  /** For an allow: this very path, or below a folder that the pattern names; letter case counts. `tree`: all below it too. */
  covers(path: string, tree = false): boolean {
    if (path.startsWith("/") !== this.absolute || climbs(path)) return false;
    return this.#alternatives.some((parts) => {
      const hit = scan(parts, components(path));
      if (this.#folder) return hit.exact || hit.ancestor;
      return hit.exact && (!tree || parts.at(-1) === ALL);
    });
  }

  /**
   * For a deny or an ask: this path or a folder above it, whatever the letter case, invisible letters or trailing dots.
   * "below": not itself, but something inside might.
   */
  touches(path: string | ReadPath): "yes" | "below" | "no" {
    const { climbs: escapes, absolute, plain, folded } = typeof path === "string" ? readPath(path) : path;
    if (escapes) return "yes";
    if (absolute !== this.absolute && (this.absolute || this.#anchored)) return "no";
    const hits = [...this.#folded.map((p) => scan(p, folded)), ...this.#alternatives.map((p) => scan(p, plain))];
    if (hits.some((h) => h.exact || h.ancestor)) return "yes";
    return hits.some((h) => h.below) ? "below" : "no";
  }
}

/** A path as many rules look at it. */
export interface ReadPath {
  climbs: boolean;
  absolute: boolean;
  plain: readonly string[];
  folded: readonly string[];
}

export function readPath(path: string): ReadPath {
  const plain = components(path);
  return { climbs: climbs(path), absolute: path.startsWith("/"), plain, folded: plain.map(fold) };
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

function components(path: string): string[] {
  return path.split("/").filter((c) => c !== "" && c !== ".");
}

function fold(text: string): string {
  // Most names are plain, and folding is most of the work.
  if (/^[a-z0-9_-][a-z0-9_.-]*[a-z0-9_-]$/.test(text)) return text;
  const plain = bare(text);
  return plain.replace(/[. ]+$/, "") || plain;
}

function bare(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{DI}/gu, "")
    .toLowerCase();
}

function foldPart(part: Part): Part {
  if ("all" in part) return part;
  if ("name" in part) return { name: fold(part.name) };
  return {
    signs: part.signs.flatMap((s): Sign[] => {
      if (typeof s === "string") return Array.from(bare(s));
      if (!("ranges" in s)) return [s];
      return [{ not: s.not, ranges: s.not ? s.ranges : [...s.ranges, ...s.ranges.map(lowerRange)] }];
    }),
  };
}

function partOf(all: readonly Sign[]): Part {
  return all.every((s) => typeof s === "string") ? { name: all.join("") } : { signs: all };
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
  return part !== undefined && "name" in part;
}

/** Walks all parts at once: the positions in the pattern, in order, that the components so far can have reached. */
function scan(parts: readonly Part[], path: readonly string[]): Hit {
  let reached = open(parts, [0]);
  let ancestor = false;
  for (const [n, component] of path.entries()) {
    const next: number[] = [];
    for (const at of reached) {
      const part = parts[at];
      if (part === undefined) continue;
      if ("all" in part) next.push(at);
      else if ("name" in part ? part.name === component : matchSigns(part.signs, Array.from(component)))
        next.push(at + 1);
    }
    if (next.length === 0) return { exact: false, ancestor, below: false };
    reached = open(parts, next);
    if (n < path.length - 1 && reached.at(-1) === parts.length) ancestor = true;
  }
  return { exact: reached.at(-1) === parts.length, ancestor, below: (reached[0] ?? parts.length) < parts.length };
}

/** With the positions behind each `**`, which may stand for nothing; every position once. */
function open(parts: readonly Part[], at: readonly number[]): number[] {
  const out: number[] = [];
  for (let i of at) {
    while (i > (out.at(-1) ?? -1)) {
      out.push(i);
      const part = parts[i];
      if (part === undefined || !("all" in part)) break;
      i++;
    }
  }
  return out;
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
