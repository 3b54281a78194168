import { BEGIN, END, ERASE_BELOW, HIDE, NOTHING, step, up, type Painted } from "./paint.ts";
import { wrappedRows } from "./width.ts";

/** Erases what is painted on a terminal that has `cols` columns now, then prints `above` and paints `next` under it. */
export function replaceAll(from: Painted, cols: number, above: string, next: Painted): string {
  const fresh: Painted = { ...NOTHING, shown: false };
  const painted = step(fresh, next).replace(BEGIN, "");
  return `${BEGIN}${from.shown ? HIDE : ""}${erase(from, cols)}${above}${painted === "" ? END : painted}`;
}

/** Erases a frame. A terminal that became narrower has wrapped the rows above the cursor anew; one that became wider joins them again. */
export function erase(from: Painted, cols: number): string {
  const more = cols >= from.cols || cols < 1 ? [] : from.rows.slice(0, from.y);
  return up(more.reduce((sum, row) => sum + wrappedRows(row, cols) - 1, from.y)) + ERASE_BELOW;
}
