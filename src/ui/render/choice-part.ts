import type { Hunk } from "../../workspace/workspace.ts";
import { counts } from "./diff.ts";
import { type Line, truncate } from "./spans.ts";

export interface QuestionOptions {
  width: number;
  /** The rule that answer 2 would save now, where the person may have edited it; else what is offered. */
  rule?: string;
  /** What can be left out, in order; told only while it is chosen. */
  parts?: readonly ChoicePart[] | undefined;
}

/** A part as it stands: an entry by its index, or some lines of its diff. */
export interface ChoicePart {
  at: number;
  /** Place among the review's conflicts, and what becomes of it. */
  conflict?: number;
  fate?: string;
  hunk?: Hunk | undefined;
  taken: boolean;
  cursor: boolean;
}

/** The row of the cursor begins so; the layout keeps it in sight. */
export const CURSOR = "› ";

/** Where the cursor is, and whether a part is taken. */
export function boxes(part: ChoicePart | undefined): Line {
  if (part === undefined) return [];
  return [{ text: part.cursor ? CURSOR : "  ", style: "selected" }, { text: part.taken ? "[x] " : "[ ] " }];
}

/** A hunk as a part that can be taken or left. */
export function hunkLine(part: ChoicePart, hunk: Hunk, width: number): Line {
  const sum = (sign: string) => hunk.lines.filter((row) => row.startsWith(sign)).length;
  return truncate([...boxes(part), { text: `    at line ${hunk.newStart}` }, ...counts(sum("+"), sum("-"))], width);
}
