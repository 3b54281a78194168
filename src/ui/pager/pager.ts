import type { Line } from "../render/spans.ts";

/** A row of the whole text, told without counting the rows before it: thousands of parts are never laid out at once. */
export interface Place {
  part: number;
  row: number;
}

/** What is paged through: parts that are laid out when they are looked at. */
export interface Pages {
  readonly size: number;
  rows(part: number): readonly Line[];
  /** A message of the person's begins here. */
  isTurn(part: number): boolean;
}

export interface Pager {
  top: Place;
  /** At the end, and stays there when more comes. */
  following: boolean;
  /** What is looked for, and where it was found last. */
  query: string;
  hit?: Place | undefined;
  /** What is being typed behind `/`. */
  typing?: string | undefined;
  /** Told once, in the last row. */
  said?: string | undefined;
}
export const AT_END: Pager = { top: { part: 0, row: 0 }, following: true, query: "" };

/** The place `by` rows away, as far as there are any. */
export function moved(pages: Pages, from: Place, by: number): Place {
  let { part, row } = from;
  let left = by;
  while (left > 0) {
    const room = pages.rows(part).length - 1 - row;
    if (left <= room) return { part, row: row + left };
    const next = nextPart(pages, part, 1);
    if (next === undefined) return { part, row: Math.max(0, row + Math.max(0, room)) };
    left -= room + 1;
    part = next;
    row = 0;
  }
  while (left < 0) {
    if (row + left >= 0) return { part, row: row + left };
    const next = nextPart(pages, part, -1);
    if (next === undefined) return { part, row: 0 };
    left += row + 1;
    part = next;
    row = pages.rows(part).length - 1;
  }
  return { part, row };
}

/** The nearest part on that side that has rows. */
function nextPart(pages: Pages, from: number, step: 1 | -1): number | undefined {
  for (let part = from + step; part >= 0 && part < pages.size; part += step)
    if (pages.rows(part).length > 0) return part;
  return undefined;
}

/** Where the screen's first row must be for the last row to be its last. */
export function endOf(pages: Pages, height: number): Place {
  if (pages.size === 0) return { part: 0, row: 0 };
  const part = pages.size - 1;
  const last = pages.rows(part).length - 1;
  const end = last >= 0 ? { part, row: last } : moved(pages, { part, row: 0 }, -1);
  return moved(pages, end, 1 - height);
}

export function isBefore(a: Place, b: Place): boolean {
  return a.part < b.part || (a.part === b.part && a.row < b.row);
}

/** The pager at a place, never below where the last row is at the screen's end. */
export function placed(pager: Pager, pages: Pages, top: Place, height: number): Pager {
  const end = endOf(pages, height);
  return isBefore(top, end) ? { ...pager, top, following: false } : { ...pager, top: end, following: true };
}

/** The rows on screen. */
export function windowRows(pages: Pages, { part, row }: Place, height: number): Line[] {
  const rows: Line[] = [];
  for (let at = part; at < pages.size && rows.length < height; at++)
    rows.push(...pages.rows(at).slice(at === part ? row : 0));
  return rows.slice(0, height);
}
