/** A JSON text with positions (offsets in UTF-16 units, `end` exclusive), so that errors can name lines and edits can keep comments. */
export type JsonNode = { start: number; end: number } & (
  | { kind: "value"; value: string | number | boolean | null }
  | { kind: "list"; items: readonly JsonNode[] }
  | { kind: "object"; entries: readonly JsonEntry[] }
);
export interface JsonEntry {
  key: string;
  keyStart: number;
  value: JsonNode;
}

export class JsoncError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.name = "JsoncError";
    this.offset = offset;
  }
}

const MAX_DEPTH = 50;

/** Reads JSON with comments and commas before a closing bracket, as people write settings. A key that stands twice is an error. Throws a JsoncError. */
export function parseJsonc(text: string): JsonNode {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.end();
  return node;
}

/** Plain values; objects hold their keys as their own, whatever these are called. */
export function toValue(node: JsonNode): unknown {
  if (node.kind === "value") return node.value;
  if (node.kind === "list") return node.items.map(toValue);
  return Object.fromEntries(node.entries.map((e) => [e.key, toValue(e.value)]));
}

/** The node at a path of keys and indexes, or the nearest one above it; for an entry, where its key begins. */
export function offsetOf(node: JsonNode, path: readonly PropertyKey[]): number {
  let at = node.start;
  let here: JsonNode | undefined = node;
  for (const step of path) {
    if (here?.kind === "object") {
      const entry: JsonEntry | undefined = here.entries.find((e) => e.key === step);
      if (entry === undefined) return at;
      at = entry.keyStart;
      here = entry.value;
    } else if (here?.kind === "list" && typeof step === "number") {
      here = here.items[step];
      at = here?.start ?? at;
    } else return at;
  }
  return at;
}

/** Line and column, from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const starts = startsOf(text);
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: Math.min(offset, text.length) - (starts[low] ?? 0) + 1 };
}

let lines: { text: string; starts: readonly number[] } | undefined;

/** Where each line begins; of the last text, since every rule of a file asks. */
function startsOf(text: string): readonly number[] {
  if (lines?.text !== text) {
    const starts = [0];
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
    lines = { text, starts };
  }
  return lines.starts;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw this.#error(`nested deeper than ${MAX_DEPTH}`);
    this.#blank();
    const start = this.#at;
    const c = this.#text[start];
    if (c === "{") return this.#object(start, depth);
    if (c === "[") return this.#list(start, depth);
    if (c === '"') return { kind: "value", value: this.#string(), start, end: this.#at };
    const word = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/.exec(
      this.#text.slice(start, start + 400),
    )?.[0];
    if (word === undefined)
      throw this.#error(
        c === undefined ? "the text ends where a value is due" : `no value can begin with ${JSON.stringify(c)}`,
      );
    this.#at += word.length;
    return { kind: "value", value: plainWord(word), start, end: this.#at };
  }

  end(): void {
    this.#blank();
    if (this.#at < this.#text.length) throw this.#error("something stands behind the end");
  }

  #object(start: number, depth: number): JsonNode {
    const entries: JsonEntry[] = [];
    this.#at++;
    while (!this.#closes("}", entries.length > 0)) {
      const keyStart = this.#at;
      if (this.#text[keyStart] !== '"') throw this.#error('a key in "double quotes" is due');
      const key = this.#string();
      if (entries.some((e) => e.key === key))
        throw new JsoncError(`${JSON.stringify(key)} stands here twice`, keyStart);
      this.#blank();
      if (this.#text[this.#at] !== ":") throw this.#error("a : is due");
      this.#at++;
      entries.push({ key, keyStart, value: this.value(depth + 1) });
    }
    return { kind: "object", entries, start, end: this.#at };
  }

  #list(start: number, depth: number): JsonNode {
    const items: JsonNode[] = [];
    this.#at++;
    while (!this.#closes("]", items.length > 0)) items.push(this.value(depth + 1));
    return { kind: "list", items, start, end: this.#at };
  }

  /** Steps over the comma between two entries; true once the closing bracket is behind us. */
  #closes(bracket: string, some: boolean): boolean {
    this.#blank();
    if (some && this.#text[this.#at] === ",") {
      this.#at++;
      this.#blank();
    } else if (some && this.#text[this.#at] !== bracket) throw this.#error(`a , or ${bracket} is due`);
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #string(): string {
    const found = /^"(?:[^"\\\n\r]|\\[^\n\r])*"/.exec(this.#text.slice(this.#at))?.[0];
    if (found === undefined) throw this.#error("a text in quotes that does not end on its line");
    try {
      const value: unknown = JSON.parse(found);
      this.#at += found.length;
      return String(value);
    } catch {
      throw this.#error("a text in quotes that holds a control sign or an unknown \\ escape");
    }
  }

  /** Blanks and comments. */
  #blank(): void {
    for (;;) {
      const gap = /^(?:[ \t\r\n\ufeff]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/.exec(
        this.#text.slice(this.#at, this.#at + 65_536),
      )?.[0];
      if (gap === undefined) return;
      this.#at += gap.length;
    }
  }

  #error(message: string): JsoncError {
    return new JsoncError(message, this.#at);
  }
}

function plainWord(word: string): number | boolean | null {
  if (word === "true" || word === "false") return word === "true";
  return word === "null" ? null : Number(word);
}
