import type { TextIs } from "./grader-schema.ts";
import { fits } from "./pattern.ts";

/** Why a text is not as it is to be; undefined where it is. */
export function textProblem(text: string, { equals, contains = [], lacks = [], matches }: TextIs): string | undefined {
  if (equals !== undefined && text !== equals) return `it differs ${firstDifference(text, equals)}`;
  const missing = contains.find((part) => !text.includes(part));
  if (missing !== undefined) return `${quoted(missing)} is not in it`;
  const there = lacks.find((part) => text.includes(part));
  if (there !== undefined) return `${quoted(there)} is in it`;
  if (matches !== undefined && !fits(matches, [text])) return `nothing in it matches /${matches}/`;
  return undefined;
}

function firstDifference(is: string, should: string): string {
  const [a, b] = [is.split("\n"), should.split("\n")];
  const at = b.findIndex((line, i) => a[i] !== line);
  const line = at < 0 ? b.length : at;
  const show = (lines: string[]) => (lines[line] === undefined ? "nothing" : quoted(lines[line]));
  return `in line ${line + 1}: ${show(a)} instead of ${show(b)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
