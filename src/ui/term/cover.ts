import { BEGIN, END, ERASE_BELOW, HIDE } from "./paint.ts";

/** What stands on the alternate screen. */
export interface Cover {
  rows: readonly string[];
  cols: number;
  height: number;
  cursor: { x: number; y: number } | undefined;
}
/** Nothing is known of what stands there: all of it is written. */
export const BARE: Cover = { rows: [], cols: 0, height: 0, cursor: undefined };

/** One synchronized step from one whole screen to the next: only rows that differ are written, each at its own place. Empty when nothing differs. */
export function coverStep(from: Cover, next: Cover): string {
  const fresh = from.cols !== next.cols || from.height !== next.height;
  const shown = next.rows.slice(0, Math.max(1, next.height));
  const before = fresh ? [] : from.rows;
  let body = "";
  shown.forEach((row, at) => {
    if (!fresh && before[at] === row) return;
    body += `\x1b[${at + 1};1H\x1b[K${row}${row.includes("\x1b") ? "\x1b[m" : ""}`;
  });
  const shrunk = fresh || shown.length < Math.min(before.length, next.height);
  if (shrunk && shown.length < next.height) body += `\x1b[${shown.length + 1};1H${ERASE_BELOW}`;
  const { cursor } = next;
  const moved = cursor?.x !== from.cursor?.x || cursor?.y !== from.cursor?.y;
  if (body === "" && !moved) return "";
  const place = cursor === undefined ? "" : `\x1b[${cursor.y + 1};${cursor.x + 1}H\x1b[?25h`;
  return `${BEGIN}${HIDE}\x1b[?7l${body}\x1b[?7h${place}${END}`;
}
