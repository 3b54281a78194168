import { ALL, braces, matchSigns, partText, readPart, type Part, type Sign } from "./glob-parts.ts";

/** What a path has to do with a pattern. `below`: something inside this folder might match. */
export interface Hit {
  exact: boolean;
  ancestor: boolean;
  below: boolean;
}

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
      .map(readPart);
    return this.#anchored ? parts : [ALL, ...parts];
  }

  /** It names a path from the top of a root, or of the file system. */
  get anchored(): boolean {
    return this.#anchored;
  }

  /** It says what a name looks like, not where: it matches at any depth. */
  get floating(): boolean {
    return this.#alternatives.some((parts) => parts[0] === ALL);
  }

  /** Paths that it names without any sign that stands for more; what lies at any depth is named from the top. */
  get names(): string[] {
    return this.#alternatives.flatMap((parts) => {
      const named = parts[0] === ALL ? parts.slice(1) : parts;
      const all = named.flatMap((part) => ("name" in part ? [part.name] : []));
      return all.length === named.length && all.length > 0 ? [(this.absolute ? "/" : "") + all.join("/")] : [];
    });
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
   * What an absolute pattern says of paths within a folder, as patterns from that folder's own top; empty where it leads elsewhere.
   * `fold`: as `touches` compares, else as `covers`.
   */
  within(folder: string, fold: boolean): string[] {
    const names = fold ? readPath(folder).folded : components(folder);
    const texts = this.#alternatives.flatMap((written, i) => {
      const parts = (fold ? this.#folded[i] : undefined) ?? written;
      let reached = open(parts, [0]);
      for (const name of names) {
        if (reached.includes(parts.length) && (fold || this.#folder)) return ["**"];
        reached = step(parts, reached, name);
      }
      return reached.flatMap((at) => {
        if (at < parts.length) return [`/${written.slice(at).map(partText).join("/")}${this.#folder ? "/" : ""}`];
        return fold || this.#folder ? ["**"] : [];
      });
    });
    return [...new Set(texts)];
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

function lowerRange([from, to]: readonly [string, string]): readonly [string, string] {
  return [from.toLowerCase(), to.toLowerCase()];
}

function isPlain(part: Part | undefined): boolean {
  return part !== undefined && "name" in part;
}

/** Walks all parts at once: the positions in the pattern, in order, that the components so far can have reached. */
function scan(parts: readonly Part[], path: readonly string[]): Hit {
  let reached = open(parts, [0]);
  let ancestor = false;
  for (const [n, component] of path.entries()) {
    reached = step(parts, reached, component);
    if (reached.length === 0) return { exact: false, ancestor, below: false };
    if (n < path.length - 1 && reached.at(-1) === parts.length) ancestor = true;
  }
  return { exact: reached.at(-1) === parts.length, ancestor, below: (reached[0] ?? parts.length) < parts.length };
}

/** The positions behind one more component. */
function step(parts: readonly Part[], reached: readonly number[], component: string): number[] {
  const next: number[] = [];
  for (const at of reached) {
    const part = parts[at];
    if (part === undefined) continue;
    if ("all" in part) next.push(at);
    else if ("name" in part ? part.name === component : matchSigns(part.signs, Array.from(component)))
      next.push(at + 1);
  }
  return open(parts, next);
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
