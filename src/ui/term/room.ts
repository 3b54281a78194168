import type { Painted } from "./paint.ts";
import { wrappedRows } from "./width.ts";

export interface Size {
  cols: number;
  rows: number;
}

/** How many rows of the window are there from the frame's first one on: at least, and at most. Equal as soon as the window was full once. */
export interface Room {
  least: number;
  most: number;
  /** Something of ours is in the scrollback. */
  scrolled: boolean;
}

/** Where the frame begins at the cursor, and nobody knows in which row of the window that is. */
export function someRoom(frame: number, rows: number): Room {
  return { least: Math.min(frame, rows), most: rows, scrolled: false };
}

/** After `above` rows that stay and `frame` rows of the frame were written. */
export function roomAfter(room: Room, above: number, frame: number, rows: number): Room {
  const left = (n: number) => Math.min(rows, Math.max(frame, n - above, 1));
  return {
    least: left(room.least),
    most: left(room.most),
    scrolled: room.scrolled || above + frame > room.most,
  };
}

export interface Reached {
  /** So far above the cursor the frame begins now. */
  up: number;
  room: Room;
  /** Rows of the frame are, or may be, beyond the top of the window. */
  spilt: boolean;
}

/**
 * Where the frame is after the terminal's size changed. Terminals first take away rows below the cursor where it became lower, then wrap
 * what is wider than the window. Most keep the cursor with its text; with `cursorStays` (xterm.js) it keeps its row of the window while
 * everything moves up, for rows below it too. Where that is not known for sure, less is reached: a row that stays is better than one lost.
 */
export function reach(from: Painted, room: Room, was: Size, now: Size, cursorStays: boolean): Reached {
  const least = one(from, room.least, was, now, cursorStays);
  const most = one(from, room.most, was, now, cursorStays);
  const moved = now.cols !== was.cols;
  // Text that is joined, or wrapped where nothing scrolled yet, moves the cursor within the window.
  const sure = !moved || (room.scrolled && now.cols < was.cols && cursorStays);
  return {
    up: least.up,
    room: {
      least: Math.min(now.rows, (sure ? least.below : 0) + 1 + least.up),
      most: sure ? Math.min(now.rows, most.below + 1 + least.up) : now.rows,
      scrolled: room.scrolled && now.cols <= was.cols && now.rows <= was.rows,
    },
    spilt: most.up + most.below >= now.rows,
  };
}

function one(from: Painted, room: number, was: Size, now: Size, cursorStays: boolean) {
  const had = Math.max(0, room - 1 - from.y);
  const lower = Math.max(0, was.rows - now.rows);
  const higher = had > 0 ? Math.max(0, now.rows - was.rows) : 0;
  const below = Math.max(0, had - lower) + higher;
  const kept = from.rows.slice(0, from.y + 1 + below);
  if (from.rows.length === 0) return { up: 0, below };
  if (now.cols >= was.cols || now.cols < 1) return { up: from.y, below };
  const more = cursorStays ? wrapsMoving(kept, from.y, now.cols) : wrapsOf(kept.slice(0, from.y), now.cols);
  return { up: from.y + more, below };
}

const wrapsOf = (rows: readonly string[], cols: number) =>
  rows.reduce((sum, row) => sum + wrappedRows(row, cols) - 1, 0);

/** xterm.js goes from the bottom up and leaves the row of its cursor as it is; rows wrapped until then have moved the cursor away from its own. */
function wrapsMoving(rows: readonly string[], y: number, cols: number): number {
  let more = 0;
  for (let at = rows.length - 1; at >= 0; at--) {
    if (at !== y + more) more += wrappedRows(rows[at] ?? "", cols) - 1;
  }
  return more;
}
