import { later } from "./later.ts";

const yaml = later<typeof import("yaml")>("yaml");

/** A Markdown file with a head of YAML between lines of `---`. */
export interface Frontmatter {
  /** Empty where there is no head, or one that can't be read. */
  data: Readonly<Record<string, unknown>>;
  body: string;
  /** What is wrong with the head, and on which line of the file. `healed`: it was read all the same. */
  problem?: { line: number; words: string; healed: boolean };
  /** The line of the file on which a key of the head stands; 1 where there is none. */
  lineOf: (key: string) => number;
}

const FENCE = /^\uFEFF?---[ \t]*\r?\n((?:[^]*?\r?\n)??)---[ \t]*(?:\r?\n|$)/;
/** A longer one is no head. */
const MOST_CHARS = 64_000;

/**
 * Reads the head of a file that others wrote: plain values only, no tags, few aliases. A value with a colon in it, which YAML takes for a
 * nested key, is read as the text that was meant, and told.
 */
export function frontmatter(text: string): Frontmatter {
  const found = FENCE.exec(text);
  if (found === null) return { data: {}, body: text.replace(/^\uFEFF/, ""), lineOf: () => 1 };
  const [whole, head = ""] = found;
  const body = text.slice(whole.length);
  const rows = head.split(/\r?\n/);
  const lineOf = (key: string): number => Math.max(0, rows.findIndex((row) => row.startsWith(`${key}:`)) + 1) + 1;
  if (head.length > MOST_CHARS)
    return { data: {}, body, lineOf, problem: { line: 1, words: "its head is too long", healed: false } };
  const read = readHead(head);
  if (!("words" in read)) return { data: read.data, body, lineOf };
  const again = readHead(rows.map(quotedValue).join("\n"));
  const problem = { line: read.line + 1, words: read.words };
  if ("words" in again) return { data: {}, body, lineOf, problem: { ...problem, healed: false } };
  return { data: again.data, body, lineOf, problem: { ...problem, healed: true } };
}

type Head = { data: Record<string, unknown> } | { line: number; words: string };

function readHead(head: string): Head {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  try {
    const document = parseDocument(head, { lineCounter: lines, schema: "core", version: "1.2", logLevel: "silent" });
    const [error] = document.errors;
    if (error !== undefined) {
      const [first = ""] = error.message.split("\n");
      return { line: error.linePos?.[0].line ?? 1, words: first.replace(/ at line \d+, column \d+:?$/, "") };
    }
    const value: unknown = document.toJS({ maxAliasCount: 20 });
    if (value === null || value === undefined) return { data: {} };
    if (typeof value !== "object" || Array.isArray(value)) return { line: 1, words: "its head has no keys" };
    return { data: value as Record<string, unknown> };
  } catch (error) {
    return { line: 1, words: error instanceof Error ? error.message : String(error) };
  }
}

/** `key: a text: with colons` with its value in quotes; any other row as it is. */
function quotedValue(row: string): string {
  const parts = /^([A-Za-z][\w-]*):[ \t]+(\S.*?)[ \t]*$/.exec(row);
  const [, key, value = ""] = parts ?? [];
  if (key === undefined || /^["'[{|>&*!#]/.test(value)) return row;
  return /: |:$| #/.test(value) ? `${key}: ${JSON.stringify(value)}` : row;
}
