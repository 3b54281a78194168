import type { Key } from "../input/key.ts";
import { type Action, actionOf, DEFAULT_KEYMAP, type Keymap } from "../input/keymap.ts";
import { textOfLine } from "../render/spans.ts";
import { folded, holds } from "./find.ts";
import { endOf, isBefore, moved, type Pager, type Pages, type Place, placed } from "./pager.ts";

/** What a key asks for beyond moving. */
export type PagerAct = "leave" | "editor" | "scrollback" | "copy";

/** Pages that can be searched without laying all of them out. */
export interface Searchable extends Pages {
  /** false: nothing in this part holds it. */
  mayHold(part: number, query: string): boolean;
}

/** One key, by what the keymap makes of it. `height`: rows of text on screen. */
export function pagerKey(
  before: Pager,
  key: Key,
  pages: Searchable,
  height: number,
  keymap: Keymap = DEFAULT_KEYMAP,
): { pager: Pager; act?: PagerAct } {
  const pager: Pager = { ...before, said: undefined };
  if (pager.typing !== undefined) return { pager: typed(pager, pager.typing, key, pages, height) };
  const top = pager.following ? endOf(pages, height) : pager.top;
  const action = actionOf(keymap, "pager", key);
  const by = stepOf(action, height);
  if (by !== undefined) return { pager: placed(pager, pages, moved(pages, top, by), height) };
  switch (action) {
    case "escape":
    case "interrupt":
      return { pager, act: "leave" };
    case "editor":
    case "copy":
      return { pager, act: action };
    case "to-scrollback":
      return { pager, act: "scrollback" };
    case "first":
      return { pager: placed(pager, pages, { part: 0, row: 0 }, height) };
    case "last":
      return { pager: { ...pager, following: true } };
    case "turn-before":
    case "turn-next":
      return { pager: turned(pager, pages, top, action === "turn-next" ? 1 : -1, height) };
    case "find":
      return { pager: { ...pager, typing: "" } };
    case "find-next":
      return { pager: found(pager, pages, top, 1, height) };
    case "find-before":
      return { pager: found(pager, pages, top, -1, height) };
    default:
      return { pager };
  }
}

/** Rows that an action moves a text of `height` rows on screen; undefined: it moves nothing by rows. */
export function stepOf(action: Action | undefined, height: number): number | undefined {
  const page = Math.max(1, height - 1);
  const half = Math.max(1, Math.floor(height / 2));
  switch (action) {
    case "down":
      return 1;
    case "up":
      return -1;
    case "page-down":
      return page;
    case "page-up":
      return -page;
    case "half-down":
      return half;
    case "half-up":
      return -half;
    default:
      return undefined;
  }
}

/** To the next message of the person's, or the one before. */
function turned(pager: Pager, pages: Searchable, top: Place, step: 1 | -1, height: number): Pager {
  const from = step < 0 && top.row > 0 ? top.part : top.part + step;
  for (let part = from; part >= 0 && part < pages.size; part += step)
    if (pages.isTurn(part)) return placed(pager, pages, { part, row: 0 }, height);
  return { ...pager, said: step > 0 ? "no message further down" : "no message further up" };
}

function typed(pager: Pager, typing: string, key: Key, pages: Searchable, height: number): Pager {
  const closed: Pager = { ...pager, typing: undefined };
  if (key.name === "escape" || (key.ctrl && (key.name === "c" || key.name === "g"))) return closed;
  if (key.name === "return") {
    const top = pager.following ? endOf(pages, height) : pager.top;
    // From what is on screen on; an empty one looks for the same again.
    const query = typing === "" ? pager.query : typing;
    return query === "" ? closed : found({ ...closed, query, hit: undefined }, pages, top, 1, height);
  }
  if (key.name === "backspace") return typing === "" ? closed : { ...pager, typing: typing.slice(0, -1) };
  if (key.ctrl && key.name === "u") return { ...pager, typing: "" };
  return key.text === undefined || key.ctrl || key.alt ? pager : { ...pager, typing: typing + key.text };
}

/** The next row that holds it, round the end and back to the beginning. */
function found(pager: Pager, pages: Searchable, top: Place, step: 1 | -1, height: number): Pager {
  const { query } = pager;
  if (query === "") return { ...pager, said: "nothing was looked for yet: / does" };
  const start = pager.hit ?? (step > 0 ? { part: top.part, row: top.row - 1 } : top);
  for (let n = 0; n <= pages.size; n++) {
    const part = (((start.part + n * step) % pages.size) + pages.size) % pages.size;
    if (!pages.mayHold(part, query)) continue;
    const rows = hitsIn(pages, part, query);
    const ahead = n === 0 ? rows.filter((row) => (step > 0 ? row > start.row : row < start.row)) : rows;
    const row = step > 0 ? ahead[0] : ahead.at(-1);
    if (row === undefined) continue;
    const hit = { part, row };
    const round = step > 0 ? isBefore(hit, start) : isBefore(start, hit);
    const said = round ? `${query}: round the ${step > 0 ? "end" : "beginning"}` : undefined;
    const seen = inSight(pages, top, hit, height);
    const next = seen ? pager : placed(pager, pages, moved(pages, hit, -Math.floor(height / 3)), height);
    return { ...next, hit, said };
  }
  return { ...pager, hit: undefined, said: `${query} is nowhere` };
}

function hitsIn(pages: Pages, part: number, query: string): number[] {
  return pages.rows(part).flatMap((row, at) => (holds(folded(textOfLine(row), query), query) ? [at] : []));
}

function inSight(pages: Pages, top: Place, hit: Place, height: number): boolean {
  if (isBefore(hit, top)) return false;
  return isBefore(hit, moved(pages, top, height));
}
