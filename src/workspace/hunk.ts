import { structuredPatch } from "diff";

/** Lines of context around a change: where they touch, two changes are one hunk. */
export const HUNK_CONTEXT = 3;

/** The hunks between two texts, as the question numbers them. */
export function hunksOf(
  before: string,
  after: string,
): { oldStart: number; oldLines: number; newStart: number; lines: string[] }[] {
  return structuredPatch("a", "b", before, after, "", "", { context: HUNK_CONTEXT }).hunks;
}

const NO_END = "\\ No newline at end of file";

/**
 * `after` with some hunks of its diff taken back, byte by byte. Throws for a number that no hunk has: what the person was
 * shown is not what would land.
 */
export function withoutHunks(before: Uint8Array, after: Uint8Array, left: readonly number[]): Buffer {
  const old = Buffer.from(before).toString("latin1");
  const hunks = hunksOf(old, Buffer.from(after).toString("latin1"));
  const wrong = left.find((n) => hunks[n] === undefined);
  if (wrong !== undefined) throw new Error(`there is no hunk ${wrong}: the diff has ${hunks.length}`);
  const lines = old.split(/(?<=\n)/);
  const out: string[] = [];
  let at = 0;
  hunks.forEach((hunk, n) => {
    if (left.includes(n)) return;
    // A hunk of an empty side names the line before it.
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    out.push(...lines.slice(at, start), ...newLines(hunk.lines));
    at = start + hunk.oldLines;
  });
  return Buffer.from([...out, ...lines.slice(at)].join(""), "latin1");
}

function newLines(lines: readonly string[]): string[] {
  return lines.flatMap((line, n) => {
    if (line.startsWith("-") || line === NO_END) return [];
    return [line.slice(1) + (lines[n + 1] === NO_END ? "" : "\n")];
  });
}
