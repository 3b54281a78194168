import { BEGIN, END, ERASE_BELOW, HIDE, NOTHING, step, up, type Painted } from "./paint.ts";
import { wrappedRows } from "./width.ts";

/** Erases what is painted on a terminal that has `cols` columns now, then prints `above` and paints `next` under it. */
export function replaceAll(from: Painted, cols: number, above: string, next: Painted): string {
  const fresh: Painted = { ...NOTHING, shown: false };
  const painted = step(fresh, next).replace(BEGIN, "");
  return `${BEGIN}${from.shown ? HIDE : ""}${erase(from, cols)}${above}${painted === "" ? END : painted}`;
}

/**
 * Erases a frame. A terminal that became narrower has wrapped the rows above the cursor anew, so that the frame's top is
 * further up than it was. A terminal that became wider joins them again, and nothing has to be added. `cursorStays`: this one leaves the
 * cursor in its row of the window while what stands there moves up, also for rows that were wrapped below it.
 */
export function erase(from: Painted, cols: number, cursorStays = false): string {
  return up(from.rows.length === 0 ? 0 : from.y + reflowed(from, cols, cursorStays)) + ERASE_BELOW;
}

function reflowed(from: Painted, cols: number, cursorStays: boolean): number {
  if (cols >= from.cols || cols < 1) return 0;
  const moved = cursorStays ? from.rows : from.rows.slice(0, from.y);
  return moved.reduce((sum, row) => sum + wrappedRows(row, cols) - 1, 0);
}
