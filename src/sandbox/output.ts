import { closeSync, openSync, writeSync } from "node:fs";
import { asItComes, type TextMask } from "../util/secrets/stream.ts";
import { PlainText } from "./plain-text.ts";

/** More than this is not kept, not even in the file. */
const MAX_FILE = 50 << 20;

export interface Collected {
  /** Head and tail, bounded. */
  text: string;
  bytes: number;
  /** Where the whole is, when `text` is not. */
  file?: string;
}

/**
 * What a command writes: text piece by piece for the screen, a bounded head and tail for the model as a terminal would show it in
 * the end, the whole in a file once it is more than that (L9). Memory stays bounded whatever comes.
 */
export class Output {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #plain = new PlainText();
  readonly #mask: TextMask;
  readonly #limit: number;
  readonly #file: string;
  #fd: number | undefined;
  #written = 0;
  #head = "";
  #tail = "";
  #bytes = 0;
  #lines = 0;

  /** `limit`: characters of the result; `file`: made (0600) only when needed; `mask`: keys reach neither (E1). */
  constructor(limit: number, file: string, mask = asItComes) {
    this.#limit = limit;
    this.#file = file;
    this.#mask = mask;
  }

  /** Takes bytes in, gives their text as it is; a character cut in two comes with its second half. */
  add(bytes: Uint8Array): string {
    this.#bytes += bytes.length;
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#take(this.#mask.push(this.#plain.add(text)));
    return text;
  }

  #take(text: string): void {
    if (text === "") return;
    this.#lines += countLines(text);
    const whole = this.#fd === undefined && this.#head.length + this.#tail.length + text.length <= this.#limit;
    if (!whole) this.#spill(text);
    const room = Math.max(0, this.#limit / 2 - this.#head.length);
    // The tail begins only where the head is full, so that head + tail is the whole as long as nothing was left out.
    const toHead = this.#tail === "" ? text.slice(0, room) : "";
    this.#head += toHead;
    this.#tail += text.slice(toHead.length);
    const keep = this.#limit / 2;
    if (this.#fd !== undefined && this.#tail.length > keep * 2) this.#tail = this.#tail.slice(-keep);
  }

  #spill(text: string): void {
    if (this.#fd === undefined) {
      this.#fd = openSync(this.#file, "w", 0o600);
      this.#write(this.#head + this.#tail);
    }
    this.#write(text);
  }

  #write(text: string): void {
    if (this.#fd === undefined || this.#written > MAX_FILE) return;
    const bytes = Buffer.from(text, "utf8");
    const fits = bytes.subarray(0, MAX_FILE - this.#written);
    for (let at = 0; at < fits.length;) at += writeSync(this.#fd, fits, at);
    this.#written += bytes.length;
    if (this.#written > MAX_FILE) writeSync(this.#fd, `\n[more than ${MAX_FILE >> 20} MB: the rest was not kept]\n`);
  }

  /** Ends it; afterwards `add` must not be called. */
  finish(): Collected {
    this.#take(this.#mask.push(this.#plain.add(this.#decoder.decode()) + this.#plain.end()) + this.#mask.end());
    const whole = this.#head + this.#tail;
    if (this.#fd !== undefined) closeSync(this.#fd);
    const file = this.#fd === undefined ? {} : { file: this.#file };
    if (isBinary(whole)) return { text: binaryText(this.#bytes), bytes: this.#bytes, ...file };
    return { text: this.#fd === undefined ? folded(whole) : this.#cut(), bytes: this.#bytes, ...file };
  }

  /** Head and tail at line ends where those are near, with a note in between. */
  #cut(): string {
    const half = this.#limit / 2;
    const headEnd = this.#head.lastIndexOf("\n") + 1;
    const head = wellFormed(headEnd > half / 2 ? this.#head.slice(0, headEnd) : this.#head);
    const rawTail = this.#tail.slice(-half);
    const tailStart = rawTail.indexOf("\n") + 1;
    const tail = wellFormed(tailStart > 0 && tailStart < half / 2 ? rawTail.slice(tailStart) : rawTail);
    const total = this.#lines + (tail.endsWith("\n") ? 0 : 1);
    const first = countLines(head) + 1;
    const last = total - countLines(tail) - (tail.endsWith("\n") ? 0 : 1);
    const left = last >= first ? `Lines ${first} to ${last} of ${total}` : "The middle of a long line";
    const gap = head.endsWith("\n") ? "" : "\n";
    const what = this.#written > MAX_FILE ? `Its first ${MAX_FILE >> 20} MB` : "Whole output";
    return `${folded(head)}${gap}[${left} left out here. ${what}: ${this.#file}]\n${folded(tail)}`;
  }
}

/** Fewer letters tell nothing about what they are. */
const ENOUGH = 64;

/** More than a tenth of what no text has: control characters and bytes that are no UTF-8. */
function isBinary(text: string): boolean {
  if (text.length < ENOUGH) return false;
  return (text.match(/[\0-\x08\x0E-\x1F\x7F\uFFFD]/g)?.length ?? 0) > text.length / 10;
}

function binaryText(bytes: number): string {
  return `[Binary output, ${bytes.toLocaleString("en")} bytes, not shown. To look into it pipe it through \`xxd | head\`, or write it to a file and ask \`file\`]\n`;
}

/** So many equal lines in a row are one line and their number. */
const MANY = 20;

/** Tells a run of equal lines once: it costs the model as much as text that says something. */
function folded(text: string): string {
  const lines = text.split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    let next = at + 1;
    while (lines[next] === line) next++;
    const run = next - at;
    if (run < MANY) out.push(...lines.slice(at, next));
    else out.push(line, `[this line ${run.toLocaleString("en")} times]`);
    at = next;
  }
  return out.join("\n");
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** A cut between the halves of a surrogate pair leaves none of them. */
function wellFormed(text: string): string {
  return text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "");
}
