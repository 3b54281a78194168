import type { Frame } from "./frame.ts";

/** What stands on the terminal below the transcript, and where its cursor is in it. */
export interface Painted {
  rows: readonly string[];
  x: number;
  y: number;
  shown: boolean;
  /** Columns of the terminal when it was painted. */
  cols: number;
}
export const NOTHING: Painted = { rows: [], x: 0, y: 0, shown: true, cols: 0 };

export const BEGIN = "\x1b[?2026h";
export const END = "\x1b[?2026l";
const NO_WRAP = "\x1b[?7l";
const WRAP = "\x1b[?7h";
export const HIDE = "\x1b[?25l";
const SHOW = "\x1b[?25h";
/**
 * Erases from the cursor's row on, the row itself first: tmux takes an erase from the very first cell for a cleared
 * screen and moves what stood there into its scrollback.
 */
export const ERASE_BELOW = "\r\x1b[K\x1b[C\x1b[J\r";
export const up = (n: number) => (n > 0 ? `\x1b[${n}A` : "");
const downBy = (n: number) => (n > 0 ? `\x1b[${n}B` : "");

/** The frame as it can be shown in `rows` rows: what is too much goes at the top, never off the screen. */
export function fitted(frame: Frame, cols: number, rows: number): Painted {
  // Ink erases the rows of a taller frame one by one and leaves them: kept, they would hold the frame at its height,
  // and every line of the transcript would scroll a screen that is empty below.
  const filled = frame.rows.findLastIndex((row) => row !== "") + 1;
  const lines = frame.rows.slice(0, Math.max(filled, frame.shown ? frame.y + 1 : 0));
  const over = Math.max(0, lines.length - Math.max(1, rows - 1));
  const shown = lines.slice(over);
  const last = Math.max(0, shown.length - 1);
  const y = Math.min(last, Math.max(0, frame.y - over));
  const x = frame.shown ? Math.min(frame.x, Math.max(0, cols - 1)) : 0;
  return { rows: shown, x, y: frame.shown ? y : last, shown: frame.shown, cols };
}

/** One synchronized step from what is painted to `next`: only rows that differ are written. Empty when nothing does. */
export function step(from: Painted, next: Painted): string {
  const { rows } = from;
  const walk = walker(from);
  let body = "";
  next.rows.forEach((row, i) => {
    if (i < rows.length && rows[i] === row) return;
    body += `${walk.to(i)}\x1b[K${row}${row.includes("\x1b") ? "\x1b[m" : ""}`;
  });
  const tail = next.rows.length < rows.length ? `${walk.to(next.rows.length)}${ERASE_BELOW}` : "";
  const moved = from.x !== next.x || from.y !== next.y || from.shown !== next.shown;
  if (body === "" && tail === "" && !moved) return "";
  const hide = from.shown ? HIDE : "";
  const wrapped = body === "" ? "" : `${NO_WRAP}${body}${WRAP}`;
  const place = walk.to(next.y) + (next.x > 0 ? `\x1b[${next.x}C` : "");
  return `${BEGIN}${hide}${wrapped}${tail}${place}${next.shown ? SHOW : ""}${END}`;
}

/** Moves to the start of rows; below the last one only line ends make room. */
function walker(from: Painted): { to(row: number): string } {
  let y = from.y;
  let last = Math.max(0, from.rows.length - 1);
  return {
    to(row) {
      const reach = Math.min(row, last);
      const move = reach < y ? up(y - reach) : downBy(reach - y);
      const grown = "\n".repeat(row - reach);
      last = Math.max(last, row);
      y = row;
      return `${move}\r${grown}`;
    },
  };
}
