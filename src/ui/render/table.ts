import type { Style } from "../theme.ts";
import { lineWidth, type Line, type Span, widthOf, wrap } from "./spans.ts";

const GAP = 2;
/** A column that would get less than this is unreadable: then each row is told as key: value. */
const LEAST = 6;
const LONG = 20;

/** A table that fits the width: columns shrink in proportion, cells wrap; too narrow, it becomes key: value rows (T-3). */
export function tableLines(header: readonly Line[], rows: readonly (readonly Line[])[], width: number): Line[] {
  const wide = header.map((cell, at) => Math.max(1, lineWidth(cell), ...rows.map((row) => lineWidth(row[at] ?? []))));
  const room = width - GAP * (header.length - 1);
  const whole = header.map((cell, at) => Math.max(1, ...[cell, ...rows.map((row) => row[at] ?? [])].map(longestWord)));
  // Names and numbers stay in one piece: a table that would cut them is none.
  if (sum(whole) > room) return asPairs(header, rows, width);
  const extra = share(
    wide.map((columns, at) => columns - (whole[at] ?? 0)),
    room - sum(whole),
  );
  const columns = whole.map((least, at) => least + (extra[at] ?? 0));
  if (columns.some((column, at) => column < Math.min(LEAST, wide[at] ?? 0))) return asPairs(header, rows, width);
  const rule = columns.map((column): Line => [{ text: "─".repeat(column), style: "dim" }]);
  const head = header.map((cell): Line => cell.map((span): Span => ({ ...span, style: span.style ?? "bold" })));
  return [head, rule, ...rows].flatMap((row) => rowLines(row, columns));
}

/** Columns of the longest word; one that is longer than this may be cut. */
function longestWord(cell: Line): number {
  const words = cell
    .map((span) => span.text)
    .join("")
    .split(/\s+/);
  // Signs of other scripts may be parted anywhere.
  const widths = words.map((word) => (/^[\x20-\x7e]*$/.test(word) ? word.length : Math.min(2, widthOf(word))));
  return Math.min(LONG, Math.max(...widths));
}

const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);

/** Widths that sum to at most `room`; narrow columns keep theirs, wide ones share what is left. */
function share(wide: readonly number[], room: number): number[] {
  const result = wide.map(() => 0);
  let left = room;
  const order = wide.map((_, at) => at).toSorted((a, b) => (wide[a] ?? 0) - (wide[b] ?? 0));
  for (const [done, at] of order.entries()) {
    const fair = Math.floor(left / (order.length - done));
    const got = Math.max(0, Math.min(wide[at] ?? 0, fair));
    result[at] = got;
    left -= got;
  }
  return result;
}

function rowLines(row: readonly Line[], columns: readonly number[]): Line[] {
  const cells = columns.map((width, at) => wrap(row[at] ?? [], { width }));
  const height = Math.max(1, ...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, y) => {
    const spans: Span[] = [];
    let behind = 0;
    for (const [at, cell] of cells.entries()) {
      const part = cell[y] ?? [];
      if (part.length > 0) spans.push({ text: " ".repeat(behind) }, ...part);
      if (part.length > 0) behind = 0;
      behind += (columns[at] ?? 0) - lineWidth(part) + GAP;
    }
    return spans;
  });
}

function asPairs(header: readonly Line[], rows: readonly (readonly Line[])[], width: number): Line[] {
  const bold: Style = "bold";
  return rows.flatMap((row, at) => {
    const pairs = row.flatMap((cell, column) => {
      const key = (header[column] ?? []).map((span) => span.text).join("");
      const start: Span[] = key === "" ? [] : [{ text: `${key}: `, style: bold }];
      return wrap([...start, ...cell], { width, rest: [{ text: widthOf(key) < width / 2 ? "  " : "" }] });
    });
    return at === 0 ? pairs : [[], ...pairs];
  });
}
