import { diffArrays } from "diff";
import { flatten, linesOf, type Flat } from "./flat.ts";
import { nearest } from "./near.ts";

export interface Replacement {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}
export interface Replaced {
  text: string;
  /** Lines (from 1) where each replacement begins, in the text as it was before that replacement. */
  lines: number[];
}

/** How many places a message names. */
const NAMED = 12;

/**
 * Replaces one text by another, literally. Everything else keeps its bytes: where old and new text agree at their begin or end, nothing is rewritten,
 * and new lines end as those around them do. Text as a result is a problem, for the model. `most`: letters that the file may grow to.
 * `shown`: the file's text as it is told to the model.
 */
export function replaceIn(
  original: string,
  edit: Replacement,
  most: number,
  shown: (text: string) => string = (text) => text,
): Replaced | string {
  const flat = flatten(original);
  const byReturn = flat.endAt(0) === "\r";
  const old = plain(edit.old_string, byReturn);
  const fresh = plain(edit.new_string, byReturn);
  if (old === "") return "old_string is empty. To make a file or replace a whole one, use Write.";
  if (old === fresh) return same(edit);
  const all = edit.replace_all === true;
  const found = occurrences(flat.text, old, all);
  if (found.length === 0) return `old_string is not in the file. ${nearest(shown(flat.text), shown(old))}`;
  const lines = linesOf(flat.text, found);
  if (found.length > 1 && !all) return notUnique(lines);
  if (original.length + found.length * (fresh.length - old.length) > most)
    return `The file would grow beyond ${most.toLocaleString("en")} characters.`;
  return { text: assemble(original, flat, found, old, fresh), lines };
}

function plain(text: string, byReturn: boolean): string {
  const unixEnds = text.replaceAll("\r\n", "\n");
  return byReturn ? unixEnds.replaceAll("\r", "\n") : unixEnds;
}

function same(edit: Replacement): string {
  if (edit.old_string === edit.new_string) return "old_string and new_string are identical: nothing to change.";
  return "old_string and new_string differ in line ends alone, which Edit keeps as the file has them. Use Bash to convert them.";
}

function notUnique(lines: readonly number[]): string {
  const named = lines.slice(0, NAMED).join(", ") + (lines.length > NAMED ? ", …" : "");
  return (
    `old_string is in the file ${lines.length} times, at lines ${named}. ` +
    "Add lines around it until it is unique, or set replace_all."
  );
}

/** Overlapping places count when one is looked for: each could be meant. */
function occurrences(text: string, part: string, all: boolean): number[] {
  const found: number[] = [];
  const step = all ? part.length : 1;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + step)) found.push(at);
  return found;
}

function assemble(original: string, flat: Flat, found: readonly number[], old: string, fresh: string): string {
  const head = commonHead(old, fresh);
  const tail = commonTail(old.slice(head), fresh.slice(head));
  const middle = fresh.slice(head, fresh.length - tail);
  const parts: string[] = [];
  let from = 0;
  for (const at of found) {
    const [start, end] = [flat.at(at + head), flat.at(at + old.length - tail)];
    parts.push(original.slice(from, start), withEnds(original.slice(start, end), middle, flat.endAt(at)));
    from = end;
  }
  parts.push(original.slice(from));
  return parts.join("");
}

function commonHead(a: string, b: string): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}
function commonTail(a: string, b: string): number {
  let n = 0;
  while (n < a.length && n < b.length && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  return n;
}

/** New text with the line ends of the place; lines that stay keep their own where the place mixes them. */
function withEnds(old: string, fresh: string, end: string): string {
  const mixed = old.includes("\r\n") && /(?<!\r)\n/.test(old);
  if (!mixed) return end === "\n" ? fresh : fresh.replaceAll("\n", end);
  const before = old.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const after = fresh.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const parts = diffArrays(before, after, {
    comparator: (a, b) => a.replace("\r\n", "\n") === b.replace("\r\n", "\n"),
  });
  let at = 0;
  return parts
    .map((part) => {
      if (part.added) return part.value.join("").replaceAll("\n", end);
      at += part.value.length;
      return part.removed ? "" : before.slice(at - part.value.length, at).join("");
    })
    .join("");
}
