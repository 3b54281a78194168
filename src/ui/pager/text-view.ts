import type { Key } from "../input/key.ts";
import { type Line, textOfLine } from "../render/spans.ts";
import type { FullView } from "../screen/full.ts";
import { drawPager, textHeight } from "./draw.ts";
import { folded } from "./find.ts";
import { pagerKey, type Searchable } from "./keys.ts";
import type { Pager } from "./pager.ts";

/** What is to be read. */
export interface Text {
  title: string;
  rows: (width: number) => readonly Line[];
  /** Puts its rows into the terminal's own scrollback. */
  say: () => void;
}

/** A text on a screen of its own, from its first row on; a blank row ends a section of it. */
export function textView({ title, rows, say }: Text): FullView {
  let pager: Pager = { top: { part: 0, row: 0 }, following: false, query: "" };
  const pages = (width: number): Searchable => {
    const parts = sections(rows(width));
    return {
      size: parts.length,
      isTurn: () => true,
      rows: (at) => parts[at] ?? [],
      mayHold: (at, query) => (parts[at] ?? []).some((row) => folded(textOfLine(row), query).includes(query)),
    };
  };
  return {
    draw: (size, waits, keymap) =>
      drawPager(pager, pages(size.cols), size, waits, { title, turns: "sections", keymap }),
    key(key: Key, size, keymap) {
      const step = pagerKey(pager, key, pages(size.cols), textHeight(size.rows), keymap);
      pager = step.pager;
      if (step.act === "scrollback") {
        say();
        pager = { ...pager, said: "written: it is in the scrollback when you leave" };
      }
      return step.act === "leave" ? "leave" : undefined;
    },
    paste(text) {
      if (pager.typing !== undefined) pager = { ...pager, typing: pager.typing + text.replaceAll(/\s+/g, " ") };
    },
  };
}

/** Rows up to a blank one, which ends its part. */
function sections(rows: readonly Line[]): Line[][] {
  const parts: Line[][] = [[]];
  for (const row of rows) {
    parts.at(-1)?.push(row);
    if (row.length === 0) parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}
