import type { Key } from "../input/key.ts";
import { type Action, actionOf, DEFAULT_KEYMAP, type Keymap } from "../input/keymap.ts";
import { stepOf } from "../pager/keys.ts";
import { endOf, isBefore, moved, type Pages, type Place } from "../pager/pager.ts";
import { field, type Field, fieldKey } from "../prompt/field.ts";
import type { Stop } from "./layout.ts";

/** Where a person is in a change set, and what they chose of it. Pure data. */
export interface Review {
  top: Place;
  /** The stop that the cursor is on. */
  at: { part: number; stop: number };
  /** Keys of what is left out. */
  left: ReadonlySet<string>;
  /** Words for the model, sent with the answer. */
  comment: string;
  typing?: Field | undefined;
  said?: string | undefined;
}

/** Part 0 is the list of all files, the others are the files. */
export interface ReviewPages extends Pages {
  stops(part: number): readonly Stop[];
}

export interface Choosing {
  /** All keys that can be left out. */
  keys: readonly string[];
  toggle(left: ReadonlySet<string>, key: string): ReadonlySet<string>;
  /** The proposed file can be changed in the person's editor. */
  edits?: boolean;
}

/** `open`: the file of this part is to be read. */
export interface ReviewStep {
  review: Review;
  act?: "leave" | "edit" | { open: number };
}

/** At the list's first file. */
export function beginReview(left: ReadonlySet<string> = new Set(), comment = ""): Review {
  return { top: { part: 0, row: 0 }, at: { part: 0, stop: 0 }, left, comment };
}

/** One key, by what the keymap makes of it. `height`: rows of text on screen. Without `choosing` it is only looked at. */
export function reviewKey(
  before: Review,
  key: Key,
  pages: ReviewPages,
  height: number,
  choosing?: Choosing,
  keymap: Keymap = DEFAULT_KEYMAP,
): ReviewStep {
  const review: Review = { ...before, said: undefined };
  if (review.typing !== undefined) return { review: typed(review, review.typing, key) };
  const action = actionOf(keymap, "review", key);
  const chosen = choosing === undefined ? undefined : chooseKey(review, action, pages, choosing);
  if (chosen !== undefined) return { review: chosen };
  switch (action) {
    case "escape":
    case "interrupt":
      return { review, act: "leave" };
    case "editor":
      return choosing?.edits === true ? { review, act: "edit" } : { review };
    case "down":
      return { review: stepped(review, pages, 1, height) };
    case "up":
      return { review: stepped(review, pages, -1, height) };
    case "file-next":
      return { review: jumped(review, pages, review.at.part + 1, height) };
    case "file-before":
      return { review: jumped(review, pages, review.at.part - 1, height) };
    case "pick":
      return entered(review, pages, height);
    case "first":
      return { review: jumped(review, pages, 0, height) };
    case "last":
      return { review: toEnd(review, pages, height) };
    default:
      return {
        review: scrolled(review, pages, stepOf(action === "toggle" ? "page-down" : action, height) ?? 0, height),
      };
  }
}

function chooseKey(
  review: Review,
  action: Action | undefined,
  pages: ReviewPages,
  choosing: Choosing,
): Review | undefined {
  switch (action) {
    case "toggle": {
      const of = stopAt(pages, review)?.key;
      return of === undefined
        ? { ...review, said: "this goes with its file alone" }
        : { ...review, left: choosing.toggle(review.left, of) };
    }
    case "take-all":
      return { ...review, left: new Set() };
    case "take-none":
      return { ...review, left: new Set(choosing.keys) };
    case "comment":
      return { ...review, typing: field(review.comment) };
    default:
      return undefined;
  }
}

function typed(review: Review, typing: Field, key: Key): Review {
  if (key.name === "escape") return { ...review, typing: undefined };
  if (key.name === "return") return { ...review, typing: undefined, comment: typing.text.trim() };
  return { ...review, typing: fieldKey(typing, key) ?? typing };
}

function entered(review: Review, pages: ReviewPages, height: number): ReviewStep {
  const file = stopAt(pages, review)?.file;
  if (file !== undefined) return { review: jumped(review, pages, file + 1, height) };
  return { review, ...(review.at.part > 0 ? { act: { open: review.at.part } } : {}) };
}

export function stopAt(pages: ReviewPages, { at }: Review): Stop | undefined {
  return pages.stops(at.part)[at.stop];
}

function placeOf(pages: ReviewPages, at: Review["at"]): Place {
  return { part: at.part, row: pages.stops(at.part)[at.stop]?.row ?? 0 };
}

/** To the next stop where it is in sight already, else a row further: what lies between is read on the way. */
function stepped(review: Review, pages: ReviewPages, by: 1 | -1, height: number): Review {
  const next = neighbour(pages, review.at, by);
  if (next !== undefined && inSight(pages, review.top, placeOf(pages, next), height)) return { ...review, at: next };
  const top = clamped(pages, moved(pages, review.top, by), height);
  const stuck = top.part === review.top.part && top.row === review.top.row;
  if (stuck && next !== undefined) return { ...review, at: next };
  const moves = { ...review, top };
  return next !== undefined && inSight(pages, top, placeOf(pages, next), height) ? { ...moves, at: next } : moves;
}

function neighbour(pages: ReviewPages, at: Review["at"], by: 1 | -1): Review["at"] | undefined {
  const stop = at.stop + by;
  if (pages.stops(at.part)[stop] !== undefined) return { part: at.part, stop };
  for (let part = at.part + by; part >= 0 && part < pages.size; part += by) {
    const { length } = pages.stops(part);
    if (length > 0) return { part, stop: by > 0 ? 0 : length - 1 };
  }
  return undefined;
}

function jumped(review: Review, pages: ReviewPages, wanted: number, height: number): Review {
  const part = Math.max(0, Math.min(pages.size - 1, wanted));
  return { ...review, at: { part, stop: 0 }, top: clamped(pages, { part, row: 0 }, height) };
}

function toEnd(review: Review, pages: ReviewPages, height: number): Review {
  const part = pages.size - 1;
  return { ...review, at: { part, stop: Math.max(0, pages.stops(part).length - 1) }, top: endOf(pages, height) };
}

function scrolled(review: Review, pages: ReviewPages, by: number, height: number): Review {
  if (by === 0) return review;
  const top = clamped(pages, moved(pages, review.top, by), height);
  let { at } = review;
  // The cursor comes along, to the nearest stop that can be seen.
  for (let next = neighbour(pages, at, by > 0 ? 1 : -1); !inSight(pages, top, placeOf(pages, at), height);) {
    if (next === undefined) break;
    at = next;
    next = neighbour(pages, at, by > 0 ? 1 : -1);
  }
  return { ...review, top, at };
}

function clamped(pages: ReviewPages, top: Place, height: number): Place {
  const end = endOf(pages, height);
  return isBefore(end, top) ? end : top;
}

function inSight(pages: ReviewPages, top: Place, place: Place, height: number): boolean {
  return !isBefore(place, top) && !isBefore(moved(pages, top, height - 1), place);
}
