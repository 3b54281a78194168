import { after, before, lineEnd, lineStart } from "../editor/buffer.ts";
import { isEmptyLine, kindAt, lineBy } from "./text.ts";

/** A piece of the text; `lines`: whole ones. */
export interface Range {
  from: number;
  to: number;
  lines: boolean;
}

const PAIRS: Readonly<Record<string, readonly [open: string, close: string]>> = Object.fromEntries(
  (["()b", "[]", "{}B", "<>"] as const).flatMap((names) => {
    const pair = [names.charAt(0), names.charAt(1)] as const;
    return names.split("").map((name) => [name, pair] as const);
  }),
);

/** `iw`, `a"`, `i(` … at an offset; undefined where there is none. */
export function objectAt(text: string, at: number, name: string, count: number): Range | undefined {
  const around = name.startsWith("a");
  const which = name.slice(1);
  if (which === "w" || which === "W") return words(text, at, around, which === "W", count);
  if (which === "p") return paragraphs(text, at, around, count);
  const pair = PAIRS[which];
  return pair === undefined ? quoted(text, at, around, which) : bracketed(text, at, around, pair, count);
}

function words(text: string, at: number, around: boolean, big: boolean, count: number): Range {
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  const run = (from: number): number => {
    const kind = kindAt(text, from, big);
    let to = from;
    while (to < end && kindAt(text, to, big) === kind) to = after(text, to);
    return to;
  };
  let from = at;
  while (from > start && kindAt(text, before(text, from), big) === kindAt(text, at, big)) from = before(text, from);
  const onBlanks = at < end && kindAt(text, at, big) === 0;
  let to = from;
  for (let n = 0; n < count && to < end; n++) {
    to = run(to);
    if (around && to < end && (onBlanks || kindAt(text, to, big) === 0)) to = run(to);
  }
  // No blanks behind the last word: those before it go along.
  if (around && !onBlanks && to > from && kindAt(text, before(text, to), big) !== 0)
    while (from > start && kindAt(text, before(text, from), big) === 0) from = before(text, from);
  return { from, to, lines: false };
}

function paragraphs(text: string, at: number, around: boolean, count: number): Range {
  const empty = isEmptyLine(text, at);
  let from = lineStart(text, at);
  for (let up = lineBy(text, from, -1); up !== undefined && isEmptyLine(text, up) === empty; up = lineBy(text, up, -1))
    from = up;
  let to = from;
  const run = () => {
    const kind = isEmptyLine(text, to);
    let next: number | undefined = to;
    while (next !== undefined && isEmptyLine(text, next) === kind) {
      to = next;
      next = lineBy(text, to, 1);
    }
    return next;
  };
  for (let n = 0, next = run(); n < count * (around ? 2 : 1) - 1 && next !== undefined; n++) {
    to = next;
    next = run();
  }
  return { from, to: lineEnd(text, to), lines: true };
}

/** Between quotes of the line: those around the cursor, or the next ones. */
function quoted(text: string, at: number, around: boolean, quote: string): Range | undefined {
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  const places: number[] = [];
  for (let i = start; i < end; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === quote) places.push(i);
  }
  for (let n = 0; n + 1 < places.length; n += 2) {
    const [open = 0, close = 0] = places.slice(n, n + 2);
    if (close < at) continue;
    if (!around) return { from: open + 1, to: close, lines: false };
    const behind = /^[ \t]*/.exec(text.slice(close + 1, end))?.[0].length ?? 0;
    const ahead = behind > 0 ? 0 : (/[ \t]*$/.exec(text.slice(start, open))?.[0].length ?? 0);
    return { from: open - ahead, to: close + 1 + behind, lines: false };
  }
  return undefined;
}

function bracketed(
  text: string,
  at: number,
  around: boolean,
  [open, close]: readonly [string, string],
  count: number,
): Range | undefined {
  let from = text[at] === open ? at : outer(text, at - 1, open, close);
  for (let n = 1; n < count && from >= 0; n++) from = outer(text, from - 1, open, close);
  const to = from < 0 ? -1 : matching(text, from, open, close);
  if (to < 0) return undefined;
  if (around) return { from, to: to + 1, lines: false };
  // Brackets on lines of their own keep them.
  const head = text[from + 1] === "\n" ? from + 2 : from + 1;
  const tail = head > from + 1 ? /\n[ \t]*$/.exec(text.slice(head, to)) : null;
  return { from: head, to: tail === null ? Math.max(head, to) : head + tail.index, lines: false };
}

/** The opening bracket around `from`; -1 where there is none. */
function outer(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let i = from; i >= 0; i--) {
    if (text[i] === close) depth++;
    else if (text[i] === open && depth-- === 0) return i;
  }
  return -1;
}

function matching(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return i;
  }
  return -1;
}

/** The bracket that belongs to the next one in the line. */
export function bracketPair(text: string, at: number): number | undefined {
  for (let i = at; i < lineEnd(text, at); i++) {
    const pair = PAIRS[text.charAt(i)];
    if (pair === undefined || /[bB<>]/.test(text.charAt(i))) continue;
    const [open, close] = pair;
    const to = text[i] === open ? matching(text, i, open, close) : outer(text, i - 1, open, close);
    return to < 0 ? undefined : to;
  }
  return undefined;
}
