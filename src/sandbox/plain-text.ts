import { stripVTControlCharacters } from "node:util";

/** A line that has no end yet is held back up to this, so that what overwrites it is seen. */
const HELD = 16 << 10;

/**
 * What a terminal would show in the end of a stream of text, line by line: of a line that is written over again and again (a progress
 * bar) the last state, no escape sequences, no letters that a backspace took away. Memory holds one line, at most 32 KB of it.
 */
export class PlainText {
  #line = "";

  /** Takes text in, gives what is settled. */
  add(text: string): string {
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0) {
      this.#line += text;
      return this.#long();
    }
    const settled = (this.#line + text.slice(0, end)).split("\n").map(plain).join("\n");
    this.#line = text.slice(end);
    return settled + this.#long();
  }

  /** The last line, where no line end closed it. */
  end(): string {
    const rest = plain(this.#line);
    this.#line = "";
    return rest;
  }

  #long(): string {
    if (this.#line.length < HELD) return "";
    // The last return may belong to a line end that is still to come.
    const kept = this.#line.slice(0, -1).lastIndexOf("\r") + 1;
    this.#line = this.#line.slice(kept);
    return this.#line.length < HELD ? "" : this.end();
  }
}

function plain(line: string): string {
  if (!/[\x08\r\x1b\x9b\x9d]/.test(line)) return line;
  const text = stripVTControlCharacters(line);
  return erased(text.split("\r").findLast((part) => part !== "") ?? "");
}

/** Each backspace takes the letter before it. */
function erased(text: string): string {
  if (!text.includes("\b")) return text;
  const out: string[] = [];
  for (const letter of text) {
    if (letter === "\b") out.pop();
    else out.push(letter);
  }
  return out.join("");
}
