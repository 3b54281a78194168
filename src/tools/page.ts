/** Letters of one line that are shown. */
export const LINE_LETTERS = 2000;

export interface Range {
  /** First line, from 1. */
  from: number;
  limit: number;
}

/**
 * Collects the numbered lines of a range out of a text that arrives in pieces, holding no more than what it shows. `\r` before a line end is
 * not shown; `byReturn`: a lone `\r` ends a line.
 */
export class Page {
  /** Lines begun so far, counting the one that is open. */
  total = 0;
  readonly lines: string[] = [];
  cutLines = 0;
  /** The range was ended early by its letters. */
  full = false;
  private letters = 0;
  private open = "";
  private openLength = 0;
  private started = false;
  private readonly range: Range;
  private readonly maxChars: number;
  private readonly end: string;

  constructor(range: Range, maxChars: number, byReturn = false) {
    this.range = range;
    this.maxChars = maxChars;
    this.end = byReturn ? "\r" : "\n";
  }

  /** True once every line of the range was shown. */
  get past(): boolean {
    return this.full || this.total >= this.range.from + this.range.limit;
  }
  /** Number of the last line shown. */
  get last(): number {
    return this.range.from + this.lines.length - 1;
  }

  push(piece: string): void {
    let from = 0;
    for (let at = piece.indexOf(this.end); at >= 0; at = piece.indexOf(this.end, from)) {
      this.take(piece, from, at);
      this.close();
      from = at + 1;
    }
    if (from < piece.length) this.take(piece, from, piece.length);
  }

  /** The end of the text: what follows the last line end is a line unless it is empty. */
  finish(): void {
    if (this.started) this.close();
  }

  private take(piece: string, from: number, to: number): void {
    this.started = true;
    this.openLength += to - from;
    const room = LINE_LETTERS + 1 - this.open.length;
    if (room > 0 && this.isShown(this.total + 1)) this.open += piece.slice(from, Math.min(to, from + room));
  }

  private close(): void {
    this.total++;
    if (this.isShown(this.total)) this.show();
    this.open = "";
    this.openLength = 0;
    this.started = false;
  }

  private isShown(line: number): boolean {
    return !this.full && line >= this.range.from && line < this.range.from + this.range.limit;
  }

  private show(): void {
    let line = this.openLength <= LINE_LETTERS + 1 && this.open.endsWith("\r") ? this.open.slice(0, -1) : this.open;
    if (line.length > LINE_LETTERS) {
      line = `${line.slice(0, LINE_LETTERS)}… [${(this.openLength - LINE_LETTERS).toLocaleString("en")} more characters]`;
      this.cutLines++;
    }
    const numbered = `${this.total}\t${line}`;
    if (this.lines.length > 0 && this.letters + numbered.length > this.maxChars) {
      this.full = true;
      return;
    }
    this.letters += numbered.length + 1;
    this.lines.push(numbered);
  }
}

/** What is left to say below the lines: where they stand in the whole, how to go on, what was cut. */
export function footer(page: Page, range: Range, counted: boolean): string[] {
  const notes: string[] = [];
  const more = page.last < page.total || !counted;
  if (range.from > 1 || more) {
    const total = `${counted ? "" : "more than "}${page.total.toLocaleString("en")}`;
    notes.push(`Lines ${range.from}-${page.last} of ${total}.${more ? ` Next: offset ${page.last + 1}.` : ""}`);
  }
  if (page.cutLines > 0)
    notes.push(`Lines longer than ${LINE_LETTERS} characters are cut; Grep or Bash (cut -c) shows the rest.`);
  return notes;
}
