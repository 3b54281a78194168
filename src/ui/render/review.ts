import type { Question, ReviewConflict } from "../../permissions/asker.ts";
import type { Hunk } from "../../workspace/workspace.ts";
import { type BodyRow, free, must } from "./body-row.ts";
import { cleanRow, exact } from "./clean.ts";
import { diffBody } from "./diff.ts";
import { boxes, type ChoicePart, hunkLine, type QuestionOptions } from "./choice-part.ts";
import { line, type Line, wrap } from "./spans.ts";

/** What a review can't land, with both sides' lines, and what it lands with the person's own lines in it. */
export function reviewRows({ review }: Question, { width, parts }: QuestionOptions): BodyRow[] {
  if (review === undefined) return [];
  const byConflict = Map.groupBy(parts ?? [], (part) => part.conflict);
  const key = "− yours · + rehearsed · was: what both began with";
  return [
    ...(review.conflicts.some((c) => c.hunks.length > 0) ? free(wrap(line(key, "dim"), { width })) : []),
    ...review.conflicts.flatMap((conflict, at) => conflictRows(conflict, at, byConflict.get(at) ?? [], width)),
    ...free(
      review.merged.flatMap((path) => wrap(line(`with your own edits in it: ${exact(path)}`, "warning"), { width })),
    ),
  ];
}

function conflictRows(conflict: ReviewConflict, at: number, parts: readonly ChoicePart[], width: number): BodyRow[] {
  const whole = parts.find((part) => part.hunk === undefined);
  const head = `${whole?.fate ?? "stays pending"}: ${exact(conflict.path)}: ${cleanRow(conflict.why)}`;
  const { sides, hidden } = conflict;
  const words =
    sides === undefined ? [] : [`was ${sides.before}`, `yours: ${sides.folder}`, `rehearsed: ${sides.rehearsed}`];
  return [
    ...must(`stuck:${at}`, wrap([...boxes(whole), ...line(head, "error")], { width, rest: line("    ") })),
    ...free(
      [...words, ...(hidden === undefined ? [] : [`not shown: ${hidden}`])].flatMap((text) =>
        wrap(line(`    ${exact(text)}`, "dim"), { width, rest: line("      ") }),
      ),
    ),
    ...free(conflict.hunks.flatMap((hunk) => hunkRows(conflict, hunk, parts, width))),
  ];
}

function hunkRows({ root, path }: ReviewConflict, hunk: Hunk, parts: readonly ChoicePart[], width: number): Line[] {
  const part = parts.find((p) => p.hunk === hunk);
  const was = hunk.was ?? [];
  return [
    ...(part === undefined ? [] : [hunkLine(part, hunk, width)]),
    ...diffBody({ root, path, op: "modify", hunks: [hunk], added: 0, removed: 0 }, { width, exact: true }),
    ...was.flatMap((text) => wrap(line(`  was: ${exact(text)}`, "dim"), { width, rest: line("       ") })),
    ...(hunk.was?.length === 0 ? wrap(line("  was: nothing", "dim"), { width }) : []),
  ];
}
