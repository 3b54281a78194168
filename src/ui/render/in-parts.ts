import { type Line, lineWidth, wrap } from "./spans.ts";

const BETWEEN = " · ";

/** Parts with " · " between them; one that doesn't fit behind the others begins a row of its own. */
export function inParts(parts: readonly Line[], width: number): Line[] {
  const rows: Line[] = [];
  for (const part of parts) {
    const last = rows.at(-1);
    const fits = last !== undefined && lineWidth(last) + BETWEEN.length + lineWidth(part) <= width;
    if (fits) rows[rows.length - 1] = [...last, { text: BETWEEN, style: "dim" }, ...part];
    else rows.push(part);
  }
  return rows.flatMap((row) => wrap(row, { width }));
}
