import { hintWords } from "../commands/help.ts";
import { type Action, DEFAULT_KEYMAP, type Keymap } from "../input/keymap.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, truncate, lineWidth } from "../render/spans.ts";
import { marked } from "./find.ts";
import { endOf, type Pager, type Pages, windowRows } from "./pager.ts";

/** What the last row says of the text and its keys. */
export interface Head {
  title?: string;
  /** What `[` and `]` go by. */
  turns?: "messages" | "sections";
  keymap?: Keymap | undefined;
}

type Hint = readonly [actions: readonly Action[], words: string];
const back: Hint = [["escape"], "back"];
const search: Hint = [["find"], "search"];
const next: Hint = [["find-next", "find-before"], ""];
const ends: Hint = [["first", "last"], ""];

/** `q back · / search · n N · …`, by the keys that count; what is bound to nothing is left out. */
function hints(turns: "messages" | "sections", keymap: Keymap): string {
  const scrollback: Hint = [["to-scrollback"], "to scrollback"];
  const own: Hint[] =
    turns === "sections"
      ? []
      : [
          [["editor"], "editor"],
          [["copy"], "copy"],
        ];
  const all: Hint[] = [back, search, next, [["turn-before", "turn-next"], turns], ends, ...own, scrollback];
  return all
    .map((hint) => hintWords(keymap, "pager", ...hint))
    .filter(Boolean)
    .join(" · ");
}

/** The whole screen: the text, and a last row with the place and the keys. `waits`: what is to be answered behind it. */
export function drawPager(
  pager: Pager,
  pages: Pages,
  { cols, rows }: { cols: number; rows: number },
  waits: string | undefined,
  { title = "transcript", turns = "messages", keymap = DEFAULT_KEYMAP }: Head = {},
): { rows: Line[]; caret?: { x: number; y: number } } {
  const height = textHeight(rows);
  const top = pager.following ? endOf(pages, height) : pager.top;
  const shown = windowRows(pages, top, height).map((row) => truncate(marked(row, pager.query), cols));
  while (shown.length < height) shown.push([]);
  if (pager.typing !== undefined) {
    const row = truncate(line(`/${cleanRow(pager.typing)}`, "accent"), cols - 1);
    return { rows: [...shown, row], caret: { x: Math.min(cols - 1, lineWidth(row)), y: shown.length } };
  }
  const place = pages.size === 0 ? "empty" : pager.following ? "end" : `${Math.floor((top.part / pages.size) * 100)} %`;
  const said = pager.said === undefined ? hints(turns, keymap) : cleanRow(pager.said);
  const status: Line = [
    ...(waits === undefined
      ? []
      : line(`${cleanRow(waits)} · ${hintWords(keymap, "pager", ["escape"], "answers")} · `, "warning")),
    { text: `${title} ${place} · `, style: "bold" },
    { text: said, style: pager.said === undefined ? "dim" : "warning" },
  ];
  return { rows: [...shown, truncate(status, cols)] };
}

/** Rows that the text has of a screen. */
export function textHeight(rows: number): number {
  return Math.max(1, rows - 1);
}
