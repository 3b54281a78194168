import { diffIndices } from "node-diff3";
import { showPath } from "../util/bytes.ts";
import { HUNK_CONTEXT } from "./hunk.ts";
import { linesOf } from "./merge.ts";
import type { Hunk } from "./workspace.ts";

/** Lines of three texts that belong together, each with its end on. `clash`: folder and rehearsal changed them, each in its own way. */
export interface Chunk {
  kind: "same" | "folder" | "ours" | "clash";
  folder: readonly string[];
  /** What both come from. */
  base: readonly string[];
  ours: readonly string[];
}

interface Edit {
  side: "folder" | "ours";
  at: number;
  length: number;
  /** Lines more than before. */
  grows: number;
}

/**
 * Takes a file that was changed on both sides apart into its chunks, in order; undefined where one of them is no text. Without a base
 * every line that differs is changed on both sides.
 */
export function chunksOf(folder: Uint8Array, base: Uint8Array | undefined, ours: Uint8Array): Chunk[] | undefined {
  const [a, o, b] = [linesOf(folder), base === undefined ? [] : linesOf(base), linesOf(ours)];
  if (a === undefined || o === undefined || b === undefined) return undefined;
  return base === undefined ? twoSided(a, b) : threeSided(a, o, b);
}

function twoSided(a: readonly string[], b: readonly string[]): Chunk[] {
  const out: Chunk[] = [];
  let at = 0;
  const same = (to: number): void => {
    const lines = a.slice(at, to);
    if (lines.length > 0) out.push({ kind: "same", folder: lines, base: lines, ours: lines });
  };
  for (const { buffer1, buffer2 } of diffIndices([...a], [...b])) {
    same(buffer1[0]);
    at = buffer1[0] + buffer1[1];
    out.push({
      kind: "clash",
      folder: a.slice(buffer1[0], at),
      base: [],
      ours: b.slice(buffer2[0], buffer2[0] + buffer2[1]),
    });
  }
  same(a.length);
  return out;
}

function editsOf(side: Edit["side"], base: readonly string[], now: readonly string[]): Edit[] {
  return diffIndices([...base], [...now]).map(({ buffer1, buffer2 }) => ({
    side,
    at: buffer1[0],
    length: buffer1[1],
    grows: buffer2[1] - buffer1[1],
  }));
}

function threeSided(a: readonly string[], o: readonly string[], b: readonly string[]): Chunk[] {
  const edits = [...editsOf("folder", o, a), ...editsOf("ours", o, b)].toSorted((x, y) => x.at - y.at);
  const out: Chunk[] = [];
  // How far each side's lines are moved against the base.
  const moved = { folder: 0, ours: 0 };
  let at = 0;
  const add = (to: number, sides: ReadonlySet<Edit["side"]>, grown: typeof moved): void => {
    const base = o.slice(at, to);
    const folder = a.slice(at + moved.folder, to + moved.folder + grown.folder);
    const ours = b.slice(at + moved.ours, to + moved.ours + grown.ours);
    moved.folder += grown.folder;
    moved.ours += grown.ours;
    at = to;
    if (base.length + folder.length + ours.length > 0)
      out.push({ kind: kindOf(sides, folder, ours), folder, base, ours });
  };
  for (let next = edits.shift(); next !== undefined; next = edits.shift()) {
    add(next.at, new Set(), { folder: 0, ours: 0 });
    // What touches is one: neither side's lines have a place without the other's.
    const together = [next];
    let end = next.at + next.length;
    for (let more = edits[0]; more !== undefined && more.at <= end; more = edits[0]) {
      together.push(more);
      edits.shift();
      end = Math.max(end, more.at + more.length);
    }
    const grow = (side: Edit["side"]) => together.reduce((sum, e) => sum + (e.side === side ? e.grows : 0), 0);
    add(end, new Set(together.map((e) => e.side)), { folder: grow("folder"), ours: grow("ours") });
  }
  add(o.length, new Set(), { folder: 0, ours: 0 });
  return out;
}

function kindOf(sides: ReadonlySet<Edit["side"]>, folder: readonly string[], ours: readonly string[]): Chunk["kind"] {
  if (!sides.has("ours")) return sides.has("folder") ? "folder" : "same";
  if (!sides.has("folder")) return "ours";
  return folder.join("") === ours.join("") ? "folder" : "clash";
}

/** Chunks that a person can take or leave: the hunks of `hunksOf`, by their numbers. */
export function choicesIn(chunks: readonly Chunk[]): Chunk[] {
  return chunks.filter((chunk) => chunk.kind === "ours" || chunk.kind === "clash");
}

/** The text with one side of each chunk that can be chosen; all others are the folder's. */
export function joined(
  chunks: readonly Chunk[],
  side: (chunk: Chunk, n: number) => "folder" | "base" | "ours",
): Buffer {
  let n = -1;
  const parts = chunks.map((chunk) => {
    const chosen = chunk.kind === "ours" || chunk.kind === "clash";
    return chosen ? chunk[side(chunk, ++n)].join("") : chunk.folder.join("");
  });
  return Buffer.from(parts.join(""), "latin1");
}

/** The folder's text with all rehearsed lines, and marks around those that both sides changed. */
export function withMarkers(chunks: readonly Chunk[]): Buffer {
  const ended = (lines: readonly string[]): string => lines.map((l) => (l.endsWith("\n") ? l : `${l}\n`)).join("");
  const parts = chunks.map(({ kind, folder, base, ours }) => {
    if (kind !== "clash") return (kind === "ours" ? ours : folder).join("");
    return `<<<<<<< folder\n${ended(folder)}||||||| before\n${ended(base)}=======\n${ended(ours)}>>>>>>> rehearsed\n`;
  });
  return Buffer.from(parts.join(""), "latin1");
}

/** What differs between the folder's text and the one with all rehearsed lines, a hunk for each choice. `was`: both sides changed it. */
export function hunksOfChunks(chunks: readonly Chunk[], utf8: boolean): Hunk[] {
  const show = (line: string): string => (utf8 ? showPath(line) : line);
  const hunks: Hunk[] = [];
  let [oldLine, newLine] = [1, 1];
  chunks.forEach((chunk, n) => {
    const { kind, folder, base, ours } = chunk;
    if (kind === "ours" || kind === "clash") {
      const [above, below] = [contextOf(chunks[n - 1], -HUNK_CONTEXT), contextOf(chunks[n + 1], HUNK_CONTEXT)];
      const signed = (sign: string, lines: readonly string[]) => lines.flatMap((l) => rowsOf(sign + show(l)));
      hunks.push({
        oldStart: Math.max(1, oldLine - above.length),
        newStart: Math.max(1, newLine - above.length),
        lines: [...signed(" ", above), ...signed("-", folder), ...signed("+", ours), ...signed(" ", below)],
        ...(kind === "clash" ? { was: base.map((l) => show(l).replace(/\n$/, "")) } : {}),
      });
    }
    oldLine += folder.length;
    newLine += (kind === "ours" || kind === "clash" ? ours : folder).length;
  });
  return hunks;
}

/** Lines around a hunk as they stay, whatever is chosen. */
function contextOf(chunk: Chunk | undefined, count: number): readonly string[] {
  if (chunk === undefined || chunk.kind === "ours" || chunk.kind === "clash") return [];
  return count < 0 ? chunk.folder.slice(count) : chunk.folder.slice(0, count);
}

function rowsOf(line: string): string[] {
  return line.endsWith("\n") ? [line.slice(0, -1)] : [line, "\\ No newline at end of file"];
}
