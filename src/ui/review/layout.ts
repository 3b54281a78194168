import type { OpenedFile } from "../../permissions/asker.ts";
import { visible } from "../../util/visible.ts";
import { entryLine } from "../render/change-entry.ts";
import { cleanRow } from "../render/clean.ts";
import { counts, diffBody, diffHead, numberWidth } from "../render/diff.ts";
import { hunkSides, SIDES_FROM } from "../render/diff-sides.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { openedBody } from "../prompt/opened.ts";
import type { ReviewFile, ReviewText } from "./text.ts";

/** Columns before each row: where the cursor is, and whether a part is taken. */
export const GUTTER = 2;
export const BOX = 4;

/** Something that the cursor can be on. */
export interface Stop {
  /** Its rows in the part, from `row` on. */
  row: number;
  rows: number;
  /** Key of what it takes in or leaves out; undefined where nothing can be chosen. */
  key?: string;
  /** In the list: the file that it leads to. */
  file?: number;
}

/** The list of all files, or one file, laid out for a width. */
export interface Laid {
  rows: Line[];
  stops: Stop[];
}

export interface LayoutOptions {
  width: number;
  /** Parts can be chosen: there is room for their boxes. */
  chooses: boolean;
  opened(at: number): OpenedFile | string | undefined;
}

/** Every file by name, none left away, however many there are. */
export function listLaid({ files, head = [] }: ReviewText, { width, chooses }: LayoutOptions): Laid {
  const rows: Line[] = head.flatMap((words) => wrap(line(cleanRow(words), "dim"), { width, rest: line("  ") }));
  const stops: Stop[] = [];
  for (const [file, of] of files.entries()) {
    const shown = wrap(nameOf(of), { width: room(width, chooses), rest: line("  ") });
    stops.push({ row: rows.length, rows: shown.length, file, ...keyOf(of) });
    rows.push(...shown);
  }
  if (files.length === 0) rows.push(line("nothing changed", "dim"));
  return { rows, stops };
}

/** A file: its name, then its hunks, each with a row of its own to stop at. */
export function fileLaid(of: ReviewFile, options: LayoutOptions): Laid {
  const { width, chooses } = options;
  const head = wrap(nameOf(of), { width: room(width, chooses), rest: line("  ") });
  const rows: Line[] = [[], ...head];
  const stops: Stop[] = [{ row: 1, rows: head.length, ...keyOf(of) }];
  const { diff } = of;
  if (diff === undefined) return { rows, stops };
  if (diff.hidden !== undefined) {
    const opened = of.opens === undefined ? undefined : options.opened(of.opens);
    rows.push(...diffBody(diff, { width, exact: true }), ...openedRows(opened, width));
    return { rows, stops };
  }
  const digits = numberWidth(diff.hunks);
  for (const [at, hunk] of diff.hunks.entries()) {
    const part = of.parts.find((p) => p.hunk?.index === at);
    const sum = (sign: string) => hunk.lines.filter((row) => row.startsWith(sign)).length;
    stops.push({ row: rows.length, rows: 1, ...(part === undefined ? {} : { key: part.key }) });
    rows.push([
      { text: `line ${hunk.newStart === 0 ? hunk.oldStart : hunk.newStart}`, style: "dim" },
      ...counts(sum("+"), sum("-")),
    ]);
    const one = { ...diff, hunks: [hunk] };
    rows.push(
      ...(width >= SIDES_FROM && bothSides(diff)
        ? hunkSides(one, 0, { width, digits, exact: true })
        : diffBody(one, { width, exact: true })),
    );
  }
  return { rows, stops };
}

/** A file that is all new or all gone has one side alone. */
function bothSides({ op }: NonNullable<ReviewFile["diff"]>): boolean {
  return op !== "create" && op !== "delete";
}

function nameOf({ entry, diff }: ReviewFile): Line {
  if (entry !== undefined) return entryLine(entry.of);
  return diff === undefined ? [] : diffHead(diff);
}

function keyOf({ parts }: ReviewFile): { key?: string } {
  const whole = parts.find((part) => part.hunk === undefined);
  return whole === undefined ? {} : { key: whole.key };
}

function room(width: number, chooses: boolean): number {
  return Math.max(1, width - GUTTER - (chooses ? BOX : 0));
}

function openedRows(opened: OpenedFile | string | undefined, width: number): Line[] {
  if (opened === undefined) return wrap(line("Enter opens it", "dim"), { width });
  if (typeof opened === "string") return wrap(line(visible(opened, ""), "error"), { width });
  return openedBody(opened, width);
}
