import { graphemes } from "../../term/graphemes.ts";
import { graphemeWidth, shown, type EditorState } from "./buffer.ts";

/** One row of the composer. `start` and `end` are offsets into the draft; a line end belongs to no row. */
export interface EditorRow {
  start: number;
  end: number;
  /** As it is shown, at most `width` columns. */
  text: string;
  /** Columns of `text`. */
  width: number;
  /** The row goes on in the next one. */
  soft: boolean;
}
export interface EditorLayout {
  rows: readonly EditorRow[];
  /** Where the caret stands; x < width. */
  row: number;
  x: number;
}

type Cell = { from: number; to: number; width: number; space: boolean };

/**
 * The draft's visual rows for `width` columns: soft wraps behind blanks and around wide characters, else anywhere
 * (IN-1). Rows stay one column short, so that the caret always has a place.
 */
export function layout(state: EditorState, width: number): EditorLayout {
  const max = Math.max(1, width - 1);
  const rows: EditorRow[] = [];
  let offset = 0;
  for (const line of state.text.split("\n")) {
    for (const row of lineRows(line, max, state.chips)) {
      rows.push({ ...row, start: offset + row.start, end: offset + row.end });
    }
    offset += line.length + 1;
  }
  const row = rowOf(rows, state.cursor);
  return { rows, row, x: Math.min(max, columnOf(state, rows[row], state.cursor)) };
}

/** The row that holds an offset: at a soft wrap it is the later one. */
function rowOf(rows: readonly EditorRow[], at: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.start ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function columnOf(state: EditorState, row: EditorRow | undefined, at: number): number {
  if (row === undefined) return 0;
  let x = 0;
  for (const { segment } of graphemes(state.text.slice(row.start, at))) x += graphemeWidth(segment, state.chips);
  return x;
}

/** The offset in a row whose column is nearest to `x` from the left. */
export function offsetAt(state: EditorState, row: EditorRow, x: number): number {
  let at = row.start;
  let column = 0;
  for (const { segment, index } of graphemes(state.text.slice(row.start, row.end))) {
    column += graphemeWidth(segment, state.chips);
    const next = row.start + index + segment.length;
    // The end of a soft row is the start of the next one.
    if (column > x || (row.soft && next >= row.end)) break;
    at = next;
  }
  return at;
}

function lineRows(line: string, max: number, chips: EditorState["chips"]): EditorRow[] {
  if (line.length <= max && /^[\x20-\x7e]*$/.test(line)) {
    return [{ start: 0, end: line.length, text: line, width: line.length, soft: false }];
  }
  const cells: Cell[] = [];
  for (const { segment, index } of graphemes(line)) {
    const width = Math.min(max, graphemeWidth(segment, chips));
    cells.push({ from: index, to: index + segment.length, width, space: segment === " " || segment === "\t" });
  }
  const cuts = breaks(cells, max);
  return cuts.map((from, i) => {
    const until = cuts[i + 1] ?? cells.length;
    return rowFrom(line, cells.slice(from, until), max, chips, until < cells.length);
  });
}

/** Indexes of the cells that begin a row. */
function breaks(cells: readonly Cell[], max: number): number[] {
  const cuts = [0];
  let start = 0;
  let width = 0;
  /** Latest place to break, and the columns before it. */
  let chance = 0;
  let chanceWidth = 0;
  cells.forEach((cell, i) => {
    const wide = cell.width > 1 || (cells[i - 1]?.width ?? 0) > 1;
    if (i > start && (wide || cells[i - 1]?.space === true)) {
      chance = i;
      chanceWidth = width;
    }
    // Blanks hang over the edge rather than begin a row.
    if (width + cell.width > max && i > start && !cell.space) {
      const cut = chance > start ? chance : i;
      width = cut === chance ? width - chanceWidth : 0;
      cuts.push(cut);
      start = cut;
    }
    width += cell.width;
  });
  return cuts;
}

function rowFrom(
  line: string,
  cells: readonly Cell[],
  max: number,
  chips: EditorState["chips"],
  soft: boolean,
): EditorRow {
  let text = "";
  let width = 0;
  for (const cell of cells) {
    if (width + cell.width > max) break;
    const piece = shown(line.slice(cell.from, cell.to), chips);
    // A label longer than the row is cut; nothing else is wider than its cell.
    text += piece.length > max && cell.width === max ? `${piece.slice(0, max - 1)}…` : piece;
    width += cell.width;
  }
  return { start: cells[0]?.from ?? 0, end: cells.at(-1)?.to ?? 0, text, width, soft };
}
