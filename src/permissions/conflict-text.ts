import { visible } from "../util/visible.ts";
import type { Hunk } from "../workspace/workspace.ts";
import type { ReviewConflict } from "./asker.ts";

/** What stands before the lines of a conflict, told once. */
export const CONFLICT_KEY = "- is yours, + is rehearsed, | is what both began with";

/** Conflicts of a review with both sides' lines, in their exact bytes; hunks have their numbers. */
export function conflictLines(conflicts: readonly ReviewConflict[]): string[] {
  if (conflicts.length === 0) return [];
  return [`in conflict with what you changed meanwhile, stays pending (${CONFLICT_KEY}):`, ...conflicts.flatMap(one)];
}

function one({ path, why, ways, hunks, hidden, sides }: ReviewConflict): string[] {
  return [
    `can't land, stays pending: ${visible(path, "")}: ${why}`,
    ...(sides === undefined
      ? []
      : [`  before: ${sides.before}`, `  yours: ${sides.folder}`, `  rehearsed: ${sides.rehearsed}`].map((row) =>
          visible(row, ""),
        )),
    ...(hidden === undefined ? [] : [`  not shown: ${hidden}`]),
    ...hunks.flatMap((hunk, n) => [
      `@@ -${hunk.oldStart} +${hunk.newStart} @@ #${n + 1} ${hunk.was === undefined ? "fits" : "both changed it"}`,
      ...withWas(hunk).map((row) => visible(row, "\t")),
    ]),
    ...(ways.length === 0 ? ["  it can stay pending, or be dropped"] : []),
  ];
}

/** A hunk's rows with what both sides' lines were before, behind them. */
export function withWas({ lines, was }: Hunk): string[] {
  if (was === undefined) return [...lines];
  const end = lines.findLastIndex((row) => !row.startsWith(" ")) + 1;
  return [...lines.slice(0, end), ...was.map((row) => `|${row}`), ...lines.slice(end)];
}
