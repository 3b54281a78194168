import { exact } from "./clean.ts";
import { line, type Line, wrap } from "./spans.ts";
import { grouped } from "./units.ts";
import type { Style } from "../theme.ts";

/** One row of a question's body. Rows with the same `must` belong to one thing that has to be on screen before a yes counts (P5). */
export interface BodyRow {
  row: Line;
  must?: string;
}

const BLANKS = / {20,}/g;

/** Rows that need not have been seen. */
export function free(rows: readonly Line[]): BodyRow[] {
  return rows.map((row) => ({ row }));
}

/** Rows of one thing that must have been seen. */
export function must(id: string, rows: readonly Line[]): BodyRow[] {
  return rows.map((row) => ({ row, must: id }));
}

/** A text as it is, hidden characters and long runs of blanks written out. */
export function exactRows(text: string, width: number, first: Line, style?: Style): Line[] {
  const rest = line(" ".repeat(first.reduce((n, span) => n + span.text.length, 0)));
  return exact(text)
    .replaceAll(BLANKS, (run) => ` ⟨${grouped(run.length)} blanks⟩ `)
    .replaceAll(/ +$/gm, (run) => `${"·".repeat(run.length)}`)
    .split("\n")
    .flatMap((row, at) => wrap(line(row, style), { width, first: at === 0 ? first : rest, rest, hard: true }));
}
