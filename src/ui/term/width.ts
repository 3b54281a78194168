import type { Options } from "string-width";
import { later } from "../../util/later.ts";
import { graphemes, isSimple } from "./graphemes.ts";

/** Escapes that take no columns: SGR and OSC 8 links. Nothing else is ever in a painted row. */
const ESCAPE = /\x1b\[[\d;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/y;
const ESCAPES = new RegExp(ESCAPE.source, "g");
/** Its Unicode tables cost as much as the rest of a first frame. */
const tables = later<typeof import("string-width")>("string-width");

const CACHE = 4096;
const cache = new Map<string, number>();

/** Columns of a text; escapes take none. The newest 4,096 answers are kept. */
export function stringWidth(text: string): number {
  if (isSimple(text)) return text.length;
  const bare = text.includes("\x1b") ? text.replace(ESCAPES, "") : text;
  if (isSimple(bare)) return bare.length;
  const known = cache.get(text);
  if (known !== undefined) {
    cache.delete(text);
    cache.set(text, known);
    return known;
  }
  const width = tables().default(text);
  cache.set(text, width);
  if (cache.size > CACHE) {
    const [oldest] = cache.keys();
    if (oldest !== undefined) cache.delete(oldest);
  }
  return width;
}

/** The same for the libraries below: `string-width` as they call it, in whose place the build puts this. */
export function measured(text: string, options?: Options): number {
  if (options === undefined) return stringWidth(text);
  return options.ambiguousIsNarrow !== false && isSimple(text) ? text.length : tables().default(text, options);
}

interface Part {
  text: string;
  width: number;
}

/** A styled text in escapes (width 0) and graphemes. */
function parts(text: string): Part[] {
  const out: Part[] = [];
  let at = 0;
  while (at < text.length) {
    ESCAPE.lastIndex = at;
    const escape = ESCAPE.exec(text)?.[0];
    if (escape !== undefined) {
      out.push({ text: escape, width: 0 });
      at += escape.length;
      continue;
    }
    const next = text.indexOf("\x1b", at + 1);
    const run = text.slice(at, next < 0 ? text.length : next);
    for (const { segment } of graphemes(run)) out.push({ text: segment, width: stringWidth(segment) });
    at += run.length;
  }
  return out;
}

/** Rows that a terminal of `columns` columns makes of one row when it wraps it: a wide character never straddles the edge. */
export function wrappedRows(text: string, columns: number): number {
  const width = stringWidth(text);
  if (width <= columns || columns < 1) return 1;
  if (isSimple(text)) return Math.ceil(width / columns);
  let rows = 1;
  let x = 0;
  for (const part of parts(text)) {
    if (x + part.width > columns) {
      rows++;
      x = 0;
    }
    x += part.width;
  }
  return rows;
}

const RESET = "\x1b[0m";
const isEscape = (part: Part) => part.text.startsWith("\x1b");

/** The first `columns` columns of a styled text. Escapes behind the cut are left out, but for what ends styles. */
export function sliceColumns(text: string, columns: number): string {
  if (isSimple(text)) return text.slice(0, Math.max(0, columns));
  let out = "";
  let width = 0;
  for (const part of parts(text)) {
    if (width + part.width > columns) break;
    // At the edge a style may begin that belongs to what is cut.
    if (width === columns && isEscape(part)) break;
    out += part.text;
    width += part.width;
  }
  return out;
}

/** At most `columns` columns, with "…" where something is left out; styles are ended. */
export function truncateStyled(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  if (columns < 1) return "";
  const cut = sliceColumns(text, columns - 1);
  return `${cut}${cut.includes("\x1b[") ? RESET : ""}…`;
}

/** Rows of at most `columns` columns, broken behind blanks or, in long words, anywhere; styles go on in the next row. */
export function wrapStyled(text: string, columns: number): string[] {
  const max = Math.max(1, columns);
  return text.split("\n").flatMap((line) => (stringWidth(line) <= max ? [line] : wrapLine(line, max)));
}

function wrapLine(line: string, max: number): string[] {
  const rows: string[] = [];
  let styles = "";
  for (const row of cutRows(parts(line), max)) {
    const text = row.map((part) => part.text).join("");
    const opened = styles + text;
    for (const part of row) if (part.text.endsWith("m") && isEscape(part)) styles = after(styles, part.text);
    rows.push(styles === "" ? opened : opened + RESET);
  }
  return rows;
}

/** The styles in force behind one more escape. */
function after(styles: string, escape: string): string {
  return /^\x1b\[0*m$/.test(escape) ? "" : styles + escape;
}

function cutRows(all: readonly Part[], max: number): Part[][] {
  const rows: Part[][] = [];
  let row: Part[] = [];
  let width = 0;
  for (const part of all) {
    if (width + part.width > max && row.some((p) => p.width > 0)) {
      const blank = row.findLastIndex((p) => p.text === " ");
      const carried = blank >= 0 && part.text !== " " ? row.splice(blank + 1) : [];
      if (row.at(-1)?.text === " ") row.pop();
      rows.push(row);
      row = carried;
      width = row.reduce((sum, p) => sum + p.width, 0);
      if (part.text === " ") continue;
    }
    row.push(part);
    width += part.width;
  }
  return [...rows, row];
}
