import { after, before, lineEnd, lineStart } from "../editor/buffer.ts";

/** What a person takes for one word, kinds that touch are two: blanks, letters, each script that has no blanks, signs. */
const KINDS = [/[\p{L}\p{N}\p{M}_\u{10f000}-\u{10fffd}]/u, /\S/u] as const;
const SCRIPTS = [/\p{Script=Han}/u, /\p{Script=Hiragana}/u, /\p{Script=Katakana}/u] as const;

/** 0 for blanks and line ends. `big`: of WORDs, which only blanks part. */
export function kindAt(text: string, at: number, big: boolean): number {
  const sign = text.slice(at, after(text, at));
  if (/^\s*$/.test(sign)) return 0;
  if (big) return 1;
  const script = SCRIPTS.findIndex((pattern) => pattern.test(sign));
  return script >= 0 ? 10 + script : 1 + KINDS.findIndex((pattern) => pattern.test(sign));
}

/** The first sign of a line that is no blank. */
export function lineHead(text: string, at: number): number {
  const start = lineStart(text, at);
  return start + (/^[ \t]*/.exec(text.slice(start, lineEnd(text, at)))?.[0].length ?? 0);
}
export function isEmptyLine(text: string, at: number): boolean {
  return lineStart(text, at) === lineEnd(text, at);
}
/** `count` signs on, not over the line's end. */
export function rightInLine(text: string, at: number, count: number): number {
  const end = lineEnd(text, at);
  let to = at;
  for (let n = 0; n < count && to < end; n++) to = after(text, to);
  return Math.min(to, end);
}
export function leftInLine(text: string, at: number, count: number): number {
  const start = lineStart(text, at);
  let to = at;
  for (let n = 0; n < count && to > start; n++) to = before(text, to);
  return to;
}
/** Start of the line `by` lines further; undefined where there is none. */
export function lineBy(text: string, at: number, by: number): number | undefined {
  let to = lineStart(text, at);
  for (let n = 0; n < Math.abs(by); n++) {
    if (by > 0) {
      const end = lineEnd(text, to);
      if (end >= text.length) return undefined;
      to = end + 1;
    } else {
      if (to === 0) return undefined;
      to = lineStart(text, to - 1);
    }
  }
  return to;
}
