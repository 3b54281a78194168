import { graphemes, isSimple } from "../term/graphemes.ts";
import { linked } from "../term/links.ts";
import { stringWidth } from "../term/width.ts";
import type { Style, Theme } from "../theme.ts";
import { sanitize } from "../../util/visible.ts";

/** A piece of text with one meaning. Its text is sanitized already and holds no line end. */
export interface Span {
  text: string;
  style?: Style | undefined;
  /** Where it leads, as `safeHref` gives it. */
  href?: string | undefined;
}
/** One row, or a paragraph before it is wrapped. */
export type Line = readonly Span[];

/** Terminal columns of a text without escapes. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Terminal columns of a line. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, span) => sum + widthOf(span.text), 0);
}

/** The pieces that a person sees as one sign each. */
export function signsOf(text: string): string[] {
  return isSimple(text) ? text.split("") : Array.from(graphemes(text), (s) => s.segment);
}

/** Shorthand for a line of one span. */
export function line(text: string, style?: Style): Line {
  return [{ text, style }];
}

/** The text of a line without its styles. */
export function textOfLine(row: Line): string {
  return row.map((span) => span.text).join("");
}

interface Sign {
  text: string;
  width: number;
  style: Style | undefined;
  href?: string | undefined;
}

function signsOfLine(row: Line, max: number): Sign[] {
  return row.flatMap((span) =>
    signsOf(span.text).map((text) => {
      const width = widthOf(text);
      const { style, href } = span;
      return width <= max ? { text, width, style, href } : { text: "\ufffd", width: 1, style, href };
    }),
  );
}

function join(signs: readonly Sign[]): Line {
  const spans: Span[] = [];
  for (const { text, style, href } of signs) {
    const last = spans.at(-1);
    if (last !== undefined && last.style === style && last.href === href) last.text += text;
    else spans.push(href === undefined ? { text, style } : { text, style, href });
  }
  return spans;
}

/** A row without blanks at its end: copying with the mouse takes none along (T-6). */
export function trimEnd(row: Line): Line {
  const kept = [...row];
  for (let last = kept.pop(); last !== undefined; last = kept.pop()) {
    const text = last.text.trimEnd();
    if (text !== "") return [...kept, { ...last, text }];
  }
  return [];
}

export interface WrapOptions {
  /** Columns; at least 1. */
  width: number;
  /** Begins the first row, such as "- "; does not count as a place to break. */
  first?: Line;
  /** Begins every further row, such as two blanks. */
  rest?: Line;
  /** Cut anywhere, keep every blank: for code. */
  hard?: boolean;
}

/** Wraps a paragraph at blanks and beside wide signs; words that are too long are cut. No row is wider than `width`. */
export function wrap(paragraph: Line, options: WrapOptions): Line[] {
  const width = Math.max(1, Math.floor(options.width));
  const fits = (prefix: Line): Line => (lineWidth(prefix) <= width - Math.min(width, 4) ? prefix : []);
  const first = fits(options.first ?? []);
  const rest = fits(options.rest ?? []);
  const rows: Line[] = [];
  const signs = signsOfLine(paragraph, width);
  // By position: a row at a time off the front of a word of a million letters copies it for every row.
  let at = 0;
  do {
    const prefix = rows.length === 0 ? first : rest;
    const end = rowEnd(signs, at, width - lineWidth(prefix), options.hard === true);
    rows.push(trimEnd([...prefix, ...join(signs.slice(at, end))]));
    at = options.hard === true ? end : afterBlanks(signs, end);
  } while (at < signs.length);
  return rows;
}

function afterBlanks(signs: readonly Sign[], from: number): number {
  let at = from;
  while (signs[at]?.text === " ") at++;
  return at;
}

/** Where a row of `room` columns ends that begins at `from`. */
function rowEnd(signs: readonly Sign[], from: number, room: number, hard: boolean): number {
  let used = 0;
  let breakAt = from;
  for (let at = from; at < signs.length; at++) {
    const sign = signs[at];
    if (sign === undefined) break;
    const before = at === from ? undefined : signs[at - 1];
    if (at > from && (before?.text === " " || before?.width === 2 || sign.width === 2)) breakAt = at;
    if (used + sign.width > room) {
      if (at === from) return from + 1;
      if (!hard && sign.text === " ") return at;
      return hard || breakAt === from ? at : breakAt;
    }
    used += sign.width;
  }
  return signs.length;
}

/** One row of at most `width` columns, "…" where something is missing. */
export function truncate(row: Line, width: number): Line {
  if (lineWidth(row) <= width) return trimEnd(row);
  if (width < 1) return [];
  const kept: Sign[] = [];
  let used = 0;
  for (const sign of signsOfLine(row, width)) {
    if (used + sign.width > width - 1) break;
    kept.push(sign);
    used += sign.width;
  }
  return join([...kept, { text: "…", width: 1, style: kept.at(-1)?.style }]);
}

/** Keeps both ends of a path: `~/a/very…/src/file.ts`. */
export function truncateMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  const signs = signsOf(text);
  let head = "";
  let tail = "";
  let [from, to] = [0, signs.length - 1];
  for (let turn = 0; from <= to; turn++) {
    const sign = (turn % 3 === 0 ? signs[from] : signs[to]) ?? "";
    if (widthOf(head + tail + sign) > width - 1) break;
    if (turn % 3 === 0) [head, from] = [head + sign, from + 1];
    else [tail, to] = [sign + tail, to - 1];
  }
  return `${head}…${tail}`;
}

/**
 * Rows to text with SGR: the last door to the terminal. Texts come clean (their widths were measured so); one that was forgotten is still
 * a text here, never a command to the terminal, and never a row of its own.
 */
export function paint(rows: readonly Line[], theme: Theme, { links = false, files = false } = {}): string[] {
  return rows.map((row) =>
    row
      .map(({ text, style, href }) => {
        const painted = theme.paint(style, sanitize(text).replaceAll("\n", "⏎"));
        const leads = href !== undefined && (href.startsWith("file:") ? files : links);
        return leads ? linked(href, painted) : painted;
      })
      .join(""),
  );
}
