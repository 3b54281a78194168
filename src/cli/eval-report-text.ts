import type { Report, Section } from "../evals/report/report.ts";
import { cleanRow } from "../ui/render/clean.ts";
import { type Line, line, lineWidth, textOfLine, widthOf, wrap } from "../ui/render/spans.ts";
import { tableLines } from "../ui/render/table.ts";

/** A report as rows for a terminal of this width; nothing in it does anything there. */
export function reportRows({ title, verdict, facts, sections }: Report, width: number): string[] {
  const rows = [
    ...text(title, width),
    ...verdict.flatMap((words) => text(words, width)),
    ...sections.flatMap((section) => sectionRows(section, width)),
    [],
    ...text(facts.map(([name, value]) => `${name} ${value}`).join(" · "), width),
  ];
  return rows.map((row) => textOfLine(row).trimEnd());
}

function text(words: string, width: number): Line[] {
  return wrap(line(cleanRow(words)), { width });
}

function sectionRows({ title, lines, table, notes }: Section, width: number): Line[] {
  return [
    [],
    ...text(title, width),
    ...lines.flatMap((words) => text(words, width)),
    ...(table === undefined
      ? []
      : tableLines(
          table.header.map((cell) => line(cleanRow(cell))),
          flushRight(table.rows, table.header, table.right ?? []).map((row) => row.map((cell) => line(cell))),
          width,
        )),
    ...notes.flatMap((words) => text(words, width)),
  ];
}

/** Columns of figures as wide as their widest, so that they end at the same place. */
function flushRight(
  rows: readonly (readonly string[])[],
  header: readonly string[],
  right: readonly number[],
): string[][] {
  const clean = rows.map((row) => row.map((cell) => cleanRow(cell)));
  const wide = header.map((name, at) => Math.max(widthOf(name), ...clean.map((row) => widthOf(row[at] ?? ""))));
  return clean.map((row) =>
    row.map((cell, at) => (right.includes(at) ? " ".repeat((wide[at] ?? 0) - lineWidth(line(cell))) + cell : cell)),
  );
}
