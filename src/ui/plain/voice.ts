import type { Writable } from "node:stream";
import { line, type Line, paint } from "../render/spans.ts";
import { plainTheme } from "../theme.ts";

/** Where the line front-end writes: rows that are appended, each speaker with a label, and never written again (UX N-4). */
export class Voice {
  readonly #out: Writable & { columns?: number };
  readonly #marks: boolean;

  /** `marks`: the terminal takes OSC 133 marks and rings a bell. */
  constructor(out: Writable & { columns?: number }, marks: boolean) {
    this.#out = out;
    this.#marks = marks;
  }

  /** Columns for text; a terminal that doesn't know its own says 0. */
  get width(): number {
    const { columns = 0 } = this.#out;
    return Math.max(20, (columns === 0 ? 80 : columns) - 1);
  }

  write(text: string): void {
    this.#out.write(text);
  }

  rows(rows: readonly Line[]): void {
    for (const row of paint(rows, plainTheme)) this.write(`${row.trimEnd()}\n`);
  }

  say(words: string): void {
    this.rows([line(words)]);
  }

  labelled(label: string, rows: readonly Line[]): void {
    if (rows.length > 0) this.rows(rows.map((row, at) => (at === 0 ? [{ text: `${label}: ` }, ...row] : row)));
  }

  /** Where a prompt, what was typed and its output begin and end, for terminals and readers that jump between them. */
  mark(part: "A" | "B" | "C" | "D"): void {
    if (this.#marks) this.write(`\x1b]133;${part}\x07`);
  }

  bell(): void {
    if (this.#marks) this.write("\x07");
  }
}
