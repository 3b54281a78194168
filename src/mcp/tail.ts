import { sanitize } from "../util/visible.ts";

const MOST_LINES = 20;
const MOST_CHARS = 300;

/** The last lines that a program said, clean enough to be shown. */
export class Tail {
  readonly #lines: string[] = [];
  #open = "";

  take(part: string): void {
    const lines = (this.#open + part).split("\n");
    this.#open = (lines.pop() ?? "").slice(0, MOST_CHARS * 4);
    for (const line of lines) this.#add(line);
  }

  lines(): readonly string[] {
    const open = clean(this.#open);
    return open === "" ? [...this.#lines] : [...this.#lines, open];
  }

  #add(line: string): void {
    const words = clean(line);
    if (words === "") return;
    this.#lines.push(words);
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
  }
}

function clean(line: string): string {
  return sanitize(line.slice(0, MOST_CHARS * 4))
    .trim()
    .slice(0, MOST_CHARS);
}
