import { after, before, lineEnd, lineStart } from "../editor/buffer.ts";
import { bracketPair } from "./object.ts";
import type { Command } from "./parse.ts";
import type { Find } from "./state.ts";
import { isEmptyLine, kindAt, leftInLine, lineBy, lineHead, rightInLine } from "./text.ts";

/** Where a motion leads; an operator takes the sign there along (inclusive), or whole lines. */
export interface Reach {
  to: number;
  kind: "exclusive" | "inclusive" | "lines";
}

/** Where a motion leads from `at`; undefined where it can't. `find`: what ; and , repeat. */
export function reach(text: string, at: number, command: Command, find: Find | undefined): Reach | undefined {
  const { name, count, counted, char } = command;
  const exclusive = (to: number): Reach => ({ to, kind: "exclusive" });
  const inclusive = (to: number): Reach => ({ to, kind: "inclusive" });
  const again = (step: (from: number) => number): number => times(count, at, step);
  switch (name) {
    case "h":
      return exclusive(leftInLine(text, at, count));
    case "l":
      return exclusive(rightInLine(text, at, count));
    case "j":
    case "k": {
      const to = lineBy(text, at, name === "j" ? count : -count);
      return to === undefined ? undefined : { to, kind: "lines" };
    }
    case "gg":
    case "G": {
      const last = name === "G" && !counted;
      const start = last ? lineStart(text, text.length) : (lineBy(text, 0, count - 1) ?? lineStart(text, text.length));
      return { to: lineHead(text, start), kind: "lines" };
    }
    case "0":
      return exclusive(lineStart(text, at));
    case "^":
      return exclusive(lineHead(text, at));
    case "$":
      return exclusive(lineEnd(text, lineBy(text, at, count - 1) ?? text.length));
    case "g_": {
      const end = lineEnd(text, at);
      return inclusive(lineStart(text, at) + Math.max(0, text.slice(lineStart(text, at), end).trimEnd().length - 1));
    }
    case "w":
    case "W":
      return exclusive(again((from) => wordRight(text, from, name === "W")));
    case "b":
    case "B":
      return exclusive(again((from) => wordLeft(text, from, name === "B")));
    case "e":
    case "E":
      return inclusive(again((from) => wordEnd(text, from, name === "E")));
    case "ge":
    case "gE":
      return inclusive(again((from) => wordEndLeft(text, from, name === "gE")));
    case "f":
    case "F":
    case "t":
    case "T":
      return char === undefined ? undefined : found(text, at, { key: name, char }, count, false);
    case ";":
      return find === undefined ? undefined : found(text, at, find, count, true);
    case ",":
      return find === undefined ? undefined : found(text, at, turned(find), count, true);
    case "{":
    case "}":
      return exclusive(again((from) => paragraph(text, from, name === "}" ? 1 : -1)));
    case "%": {
      const pair = bracketPair(text, at);
      return pair === undefined ? undefined : inclusive(pair);
    }
    default:
      return undefined;
  }
}

function times(count: number, at: number, step: (from: number) => number): number {
  let to = at;
  for (let n = 0; n < count; n++) {
    const next = step(to);
    if (next === to) break;
    to = next;
  }
  return to;
}

function wordRight(text: string, at: number, big: boolean): number {
  let to = at;
  const kind = kindAt(text, at, big);
  while (kind !== 0 && to < text.length && kindAt(text, to, big) === kind) to = after(text, to);
  while (to < text.length && kindAt(text, to, big) === 0) {
    to = after(text, to);
    if (isEmptyLine(text, to)) break;
  }
  return to;
}

function wordLeft(text: string, at: number, big: boolean): number {
  let to = at;
  do {
    to = before(text, to);
    if (to > 0 && isEmptyLine(text, to)) return to;
  } while (to > 0 && kindAt(text, to, big) === 0);
  const kind = kindAt(text, to, big);
  for (let next = before(text, to); to > 0 && kindAt(text, next, big) === kind; next = before(text, to)) to = next;
  return to;
}

/** Where the last sign of the next word's end begins. */
function wordEnd(text: string, at: number, big: boolean): number {
  let to = after(text, at);
  while (to < text.length && kindAt(text, to, big) === 0) to = after(text, to);
  if (to >= text.length) return before(text, text.length);
  const kind = kindAt(text, to, big);
  for (let next = after(text, to); next < text.length && kindAt(text, next, big) === kind; next = after(text, to))
    to = next;
  return to;
}

function wordEndLeft(text: string, at: number, big: boolean): number {
  let to = at;
  const kind = kindAt(text, at, big);
  while (kind !== 0 && to > 0 && kindAt(text, to, big) === kind) to = before(text, to);
  while (to > 0 && kindAt(text, to, big) === 0) to = before(text, to);
  return to;
}

function turned({ key, char }: Find): Find {
  const other = { f: "F", F: "f", t: "T", T: "t" } as const;
  return { key: other[key], char };
}

/** The `count`-th such sign of the line. `again`: where t stopped before it already, the next one is meant. */
function found(text: string, at: number, { key, char }: Find, count: number, again: boolean): Reach | undefined {
  const forward = key === "f" || key === "t";
  const short = key === "t" || key === "T";
  const step = (from: number) => (forward ? after(text, from) : before(text, from));
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  let left = count;
  let to = at;
  if (short && again && sign(text, step(at)) === char) to = step(at);
  while (left > 0) {
    const next = step(to);
    if (next === to || next >= end || next < start) return undefined;
    to = next;
    if (sign(text, to) === char) left--;
  }
  if (short) to = forward ? before(text, to) : after(text, to);
  return { to, kind: forward ? "inclusive" : "exclusive" };
}

function sign(text: string, at: number): string {
  return text.slice(at, after(text, at));
}

/** The next empty line, or the text's end. */
function paragraph(text: string, at: number, by: 1 | -1): number {
  let to = lineStart(text, at);
  let inside = !isEmptyLine(text, to);
  for (;;) {
    const next = lineBy(text, to, by);
    if (next === undefined) return by > 0 ? text.length : 0;
    to = next;
    const empty = isEmptyLine(text, to);
    if (empty && inside) return to;
    inside ||= !empty;
  }
}
