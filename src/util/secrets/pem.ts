import type { Span } from "./find.ts";

/** How a block of a private key begins and ends. */
export const BEGIN = "-----BEGIN ";
export const END = "-----END ";
const BEGINS = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const ENDS = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** Longer than any key's block; beyond it nothing is taken for one. */
export const LONGEST = 64 << 10;

/** What may stand before a line's own letters: indentation, quotes, and what a diff, grep or cat puts there. */
const AHEAD = /^[\s"'`#*>|+-]*(?:[^\s:]{0,200}[:-])?(?:\d{1,7}[:\t-])?[\s"'`+-]*$/;
const BLANK = /^(?:\\[rn]|[\s"'`#*>|+;,\\-])*(?:\d{1,7}[:\t-]?)?\s*$/;
const HEADER = /^[^A-Za-z]{0,20}[A-Za-z][A-Za-z-]{1,30}: /;
/** Wider than any word: the lines of a block are 64 to 76 letters wide but for the last. */
const WIDE = 40;

export interface Block {
  spans: Span[];
  /** Where ordinary text goes on. */
  end: number;
  /** The text ends within the block. */
  open: boolean;
}

/** Where a private key's block begins, the index behind its first marker; undefined where none does. */
export function blockAt(text: string, at: number): number | undefined {
  BEGINS.lastIndex = at;
  return BEGINS.test(text) ? BEGINS.lastIndex : undefined;
}

/** True for a text that could become a block's first marker yet. */
export function mayBegin(tail: string): boolean {
  return tail.length < 110 && /^-----BEGIN [A-Z0-9 ]*-{0,4}$/.test(tail);
}

/**
 * The key's own letters in a block from behind its first marker on: one span a line, so that lines keep their numbers and each can be
 * put back alone. Wide lines are the key's beyond doubt; narrow ones only where the block's end follows.
 */
export function block(text: string, from: number): Block {
  const sure: Span[] = [];
  const narrow: Span[] = [];
  for (let at = from; at - from < LONGEST;) {
    const room = text.slice(at, at + LONGEST);
    // Neither is looked for beyond the other: there may be very many markers on one line.
    const marker = room.indexOf("-----");
    const stop = (marker < 0 ? room : room.slice(0, marker)).indexOf("\n");
    const piece = stop >= 0 ? room.slice(0, stop) : marker >= 0 ? room.slice(0, marker) : room;
    const blank = isBlank(piece);
    const span = blank ? undefined : lineSpan(piece, at);
    const wide = span !== undefined && isWide(text, span);
    if (span !== undefined) (wide ? sure : narrow).push(span);
    else if (!blank && !HEADER.test(piece)) return { spans: sure, end: at, open: stop < 0 && marker < 0 };
    if (stop < 0 && marker >= 0) {
      const ends = room.startsWith(END, marker);
      return {
        spans: ends ? [...sure, ...narrow].toSorted((a, b) => a.from - b.from) : sure,
        end: at + marker,
        open: !ends && room.length - marker < 10,
      };
    }
    if (stop < 0) return { spans: sure, end: text.length, open: room.length < LONGEST };
    at += stop + 1;
  }
  return { spans: sure, end: Math.min(text.length, from + LONGEST), open: false };
}

/** The end of a block whose beginning is not there (`tail key.pem`): the lines before its last marker. */
export function blockBefore(text: string, marker: number): Span[] {
  ENDS.lastIndex = marker;
  if (!ENDS.test(text)) return [];
  const spans: Span[] = [];
  for (let to = marker; to > 0 && marker - to < LONGEST;) {
    const at = text.lastIndexOf("\n", to - 1) + 1;
    const piece = text.slice(at, to);
    const blank = isBlank(piece);
    const span = piece.length > 4096 || blank ? undefined : lineSpan(piece, at);
    const last = spans.length === 0;
    if (span !== undefined && (last || isWide(text, span))) spans.push(span);
    else if (!(last && blank)) break;
    to = at - 1;
  }
  // A short word above the marker alone is no key.
  return spans.some((span) => isWide(text, span)) ? spans.toReversed() : [];
}

/** Nothing but what may stand ahead of a key's letters. */
function isBlank(piece: string): boolean {
  return piece.length < 300 && (BLANK.test(piece) || AHEAD.test(piece));
}

/** The letters that end a line, `\\n` written out among them, and nothing before them but what may stand there. */
function lineSpan(piece: string, at: number): Span | undefined {
  let to = piece.length;
  while (to > 0 && (/[\s"'`,;)\]}]/.test(piece[to - 1] ?? "") || isJoin(piece, to))) to--;
  for (; /[rn]/.test(piece[to - 1] ?? "") && piece[to - 2] === "\\"; to -= 2) while (piece[to - 3] === "\\") to--;
  let from = to;
  while (from > 0 && isLetter(piece, from - 1)) from--;
  for (let lead = LEAD.exec(piece.slice(from, from + 8)); lead !== null; lead = LEAD.exec(piece.slice(from, from + 8)))
    from += lead[0].length;
  if (from >= to || from > 300 || !AHEAD.test(piece.slice(0, from).replaceAll(/\\+[rn]/g, ""))) return undefined;
  return { from: at + from, to: at + to };
}

/** A diff's sign, or a line end that is written out. */
const LEAD = /^(?:\+|\\+[rn])/;

/** `"…" +`, as sources write long texts. */
function isJoin(piece: string, to: number): boolean {
  return piece[to - 1] === "+" && /[\s"'`]/.test(piece[to - 2] ?? "");
}

function isLetter(piece: string, at: number): boolean {
  const letter = piece[at] ?? "";
  if (letter !== "\\") return /[A-Za-z0-9+/=]/.test(letter);
  return /[rn\\]/.test(piece[at + 1] ?? "");
}

function isWide(text: string, { from, to }: Span): boolean {
  if (to - from < WIDE) return false;
  const letters = text.slice(from, Math.min(to, from + 100));
  return /[a-z]/.test(letters) && /[A-Z]/.test(letters) && /[0-9+/]/.test(letters);
}
