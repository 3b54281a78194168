import { sliceColumns, stringWidth } from "./width.ts";

/**
 * What Ink believes to have drawn: a screen of its own without edges, row 0 being the frame's first. Its writes are
 * played on this instead of the terminal, so that the terminal's wraps, scrolls and resizes can't confuse it.
 */
export interface Frame {
  /** With their SGR; the last may be the empty row behind a final line end. */
  rows: string[];
  x: number;
  y: number;
  /** The cursor is shown. */
  shown: boolean;
}

export function emptyFrame(): Frame {
  return { rows: [""], x: 0, y: 0, shown: false };
}

const SEQUENCE = /\x1b\[([?\d;:]*)([A-Za-z])|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|\r|\n|[^\x1b\r\n]+|\x1b/g;

/** Plays a write. Sequences that Ink's frames don't have are left out. */
export function playOn(frame: Frame, data: string): void {
  for (const match of data.matchAll(SEQUENCE)) {
    const [whole, params = "", final] = match;
    if (whole === "\n") down(frame, 1, true);
    else if (whole === "\r") frame.x = 0;
    else if (final !== undefined && final !== "m") control(frame, params, final);
    else if (whole !== "\x1b") put(frame, whole);
  }
}

function put(frame: Frame, text: string): void {
  const row = frame.rows[frame.y] ?? "";
  const width = stringWidth(row);
  const head = frame.x < width ? sliceColumns(row, frame.x) : row + " ".repeat(frame.x - width);
  const size = stringWidth(text);
  // Ink never writes into the middle of a row without erasing what is behind it; only a style at the place may differ.
  frame.rows[frame.y] = head + text;
  frame.x += size;
}

function down(frame: Frame, n: number, grow: boolean): void {
  const to = frame.y + n;
  if (grow) {
    frame.x = 0;
    while (frame.rows.length <= to) frame.rows.push("");
  }
  frame.y = Math.min(to, frame.rows.length - 1);
}

function control(frame: Frame, params: string, final: string): void {
  const n = Number.parseInt(params, 10);
  const count = Number.isNaN(n) || n === 0 ? 1 : n;
  if (final === "A") frame.y = Math.max(0, frame.y - count);
  else if (final === "B") down(frame, count, false);
  else if (final === "E") {
    down(frame, count, false);
    frame.x = 0;
  } else if (final === "G") frame.x = count - 1;
  else if (final === "K") eraseInRow(frame, Number.isNaN(n) ? 0 : n);
  else if (final === "J" && (Number.isNaN(n) || n === 0)) {
    eraseInRow(frame, 0);
    frame.rows.length = frame.y + 1;
  } else if (final === "H" && !params.startsWith("?")) {
    frame.y = 0;
    frame.x = 0;
  } else if ((final === "h" || final === "l") && params === "?25") frame.shown = final === "h";
}

function eraseInRow(frame: Frame, how: number): void {
  frame.rows[frame.y] = how === 2 || frame.x === 0 ? "" : sliceColumns(frame.rows[frame.y] ?? "", frame.x);
}
