import type { Finder } from "./find.ts";

/** Letters kept of what was given out: a label, or what must not stand before a key. */
const BEFORE = 160;
/** Never more waits for its end than a private key's block may have. */
const MOST_WAITING = 72 << 10;

/** Pieces of so many letters are looked at by themselves where they can be. */
const LONG = 4096;

/** A text that comes in pieces, given on with its keys replaced; a key may lie over any border of pieces. */
export interface TextMask {
  /** Gives what is settled. What could be the beginning of a key waits for the next piece. */
  push(piece: string): string;
  /** The rest. */
  end(): string;
}

/** Replaces keys piece by piece; `placeholder` names each. Memory holds what waits, at most some 70 KB. */
export class KeyStream implements TextMask {
  readonly #finder: Finder;
  readonly #placeholder: (key: string) => string;
  #before = "";
  #waiting = "";
  /** Of what waits within a block nothing can be settled before a line ends. */
  #inBlock = false;

  constructor(finder: Finder, placeholder: (key: string) => string) {
    this.#finder = finder;
    this.#placeholder = placeholder;
  }

  push(piece: string): string {
    if (this.#waiting === "" && piece.length >= LONG && !this.#finder.mayHold(piece)) return this.#pass(piece);
    this.#waiting += piece;
    if (this.#inBlock && !/[\n-]/.test(piece) && this.#waiting.length < MOST_WAITING) return "";
    return this.#settle(false);
  }

  end(): string {
    return this.#settle(true);
  }

  /** Most of a long output holds nothing: no copy of it is made. What began in the piece before would be waiting. */
  #pass(piece: string): string {
    const open = this.#finder.open(piece);
    this.#before = piece.slice(Math.max(0, open - BEFORE), open);
    this.#waiting = piece.slice(open);
    return piece.slice(0, open);
  }

  #settle(last: boolean): string {
    const text = this.#before + this.#waiting;
    const from = this.#before.length;
    const { spans, open } = this.#finder.find(text);
    const late = text.length - open > MOST_WAITING;
    const to = last || late ? text.length : Math.max(from, open);
    let at = from;
    let out = "";
    for (const span of spans) {
      if (span.to <= at || span.from >= to) continue;
      out += text.slice(at, Math.max(at, span.from)) + this.#placeholder(text.slice(span.from, span.to));
      at = span.to;
    }
    out += text.slice(at, Math.max(at, to));
    const settled = Math.max(at, to);
    this.#before = text.slice(Math.max(0, settled - BEFORE), settled);
    this.#waiting = text.slice(settled);
    this.#inBlock = this.#waiting.startsWith("-----BEGIN ") && this.#waiting.length > 110;
    return out;
  }
}

/** Gives everything on as it comes. */
export const asItComes: TextMask = { push: (piece) => piece, end: () => "" };
