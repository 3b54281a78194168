import type { FileDiff } from "../../workspace/workspace.ts";
import { diffBlocks, type DiffLine, lineHead } from "./diff.ts";
import { langOf } from "./highlight.ts";
import { line, type Line, lineWidth, textOfLine, wrap } from "./spans.ts";

/** From how many columns on two sides can be read. */
export const SIDES_FROM = 120;
const GAP = 2;

/** One hunk with what was on the left and what is on the right; lines that took another's place stand beside it. */
export function hunkSides(
  diff: FileDiff,
  at: number,
  { width, digits, exact }: { width: number; digits: number; exact: boolean },
): Line[] {
  const hunk = diff.hunks[at];
  if (hunk === undefined) return [];
  const half = Math.max(1, Math.floor((width - GAP) / 2));
  return diffBlocks(hunk, { exact, lang: langOf(diff.path) }).flatMap((block): Line[] => {
    if ("same" in block) {
      const { same } = block;
      if (same.sign === "\\") return wrap(line(`\\${textOfLine(same.text)}`, "dim"), { width });
      return beside(side(same, same.old, digits, half), side(same, same.now, digits, half), half);
    }
    const count = Math.max(block.removed.length, block.added.length);
    return Array.from({ length: count }, (_, n) => n).flatMap((n) => {
      const [old, now] = [block.removed[n], block.added[n]];
      return beside(
        old === undefined ? [] : side(old, old.old, digits, half),
        now === undefined ? [] : side(now, now.now, digits, half),
        half,
      );
    });
  });
}

function side(of: DiffLine, number: number, digits: number, width: number): Line[] {
  const first = lineHead(of, digits, number);
  return wrap(of.text, { width, first, rest: line(" ".repeat(digits === 0 ? 2 : digits + 3)), hard: true });
}

function beside(left: readonly Line[], right: readonly Line[], half: number): Line[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at): Line => {
    const [old, now] = [left[at] ?? [], right[at] ?? []];
    if (now.length === 0) return old;
    return [...old, { text: " ".repeat(half - lineWidth(old) + GAP) }, ...now];
  });
}
