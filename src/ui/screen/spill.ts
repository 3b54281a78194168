import type { Frame } from "../render/frame.ts";
import { markdown } from "../render/markdown.ts";
import { type Line, signsOf, textOfLine, widthOf } from "../render/spans.ts";
import type { Entry } from "../store/entry.ts";
import { type Block, handOut, NO_STREAM, openSource, type Stream } from "../store/stream.ts";
import type { Store } from "../store/store.ts";
import type { Transcript } from "../store/transcript.ts";
import type { View, ViewStep } from "../store/view.ts";
import type { ScreenState } from "./state.ts";

/** An open block that grew beyond this is cut where a row ends, whatever its signs may still come to mean. */
const ANYWHERE = 4096;
/** So many fewer rows are tried where the last ones can't be told from what follows. */
const TRIES = 3;

/**
 * Rows of the open paragraph, list or code that the tail has no room for go to the transcript: what was written is on screen, or above it
 * (F-1). They are final: cut where a row ends, behind no sign that later words could give another meaning.
 * @param room rows of the tail; one stays at least, since it still grows
 */
export function spilled(view: View, width: number, room: number): ViewStep {
  const got = spill(view.stream, width, Math.max(1, room));
  if (got === undefined) return { view, entries: [] };
  const { stream, block } = got;
  const committed = view.committed + block.raw;
  const entries: Entry[] = block.raw.trim() === "" ? [] : [{ kind: "markdown", ...block }];
  return { view: { ...view, stream, committed }, entries };
}

/** The frame, after what its tail has no room for went to the transcript: both are one write. */
export function spillOver(
  store: Store<ScreenState>,
  transcript: Transcript,
  layOut: () => Frame,
  width: number,
): Frame {
  const frame = layOut();
  if (frame.tailRoom === undefined) return frame;
  const before = store.get().view;
  const { view, entries } = spilled(before, width, frame.tailRoom);
  if (view === before) return frame;
  transcript.append(entries);
  store.set((state) => ({ ...state, view }));
  return layOut();
}

function spill(stream: Stream, width: number, room: number): { stream: Stream; block: Block } | undefined {
  const whole = stream.lines.join("") + stream.rest;
  // Each row takes a sign at least.
  if (whole.length <= room || stream.head !== undefined) return undefined;
  const rows = markdown(openSource(stream), width);
  const spare = rows.length - room;
  if (spare <= 0) return undefined;
  if (stream.blank) return endedBlock(stream);
  if (stream.fence !== undefined) return ofCode(stream, stream.fence.inner);
  const at = stream.list ? listCut(whole, rows, spare, width) : cutOf(whole, rows, spare, width);
  return at === undefined ? undefined : handOut(stream, at);
}

/** A paragraph that a blank line ended, with the first words of the next block behind it. */
function endedBlock(stream: Stream): { stream: Stream; block: Block } | undefined {
  if (stream.list || stream.rest.trim() === "") return undefined;
  const { block } = handOut(stream, stream.lines.join("").length);
  return { block, stream: { ...NO_STREAM, rest: stream.rest } };
}

/** Code goes by whole lines. */
function ofCode(stream: Stream, inner: boolean): { stream: Stream; block: Block } | undefined {
  const least = stream.cont ? 1 : 2;
  if (inner || stream.lines.length < least) return undefined;
  return handOut(stream, stream.lines.join("").length);
}

/** Where a paragraph can be cut so that what is ahead of it makes at most `spare` rows. */
function cutOf(whole: string, rows: readonly Line[], spare: number, width: number): number | undefined {
  const long = whole.length > ANYWHERE;
  const places = breaks(whole, long ? whole.length : firstOpen(whole));
  for (let most = spare; most > Math.max(0, spare - TRIES); most--) {
    const at = lastWithin(places, (to) => markdown(whole.slice(0, to), width).length <= most);
    if (at === undefined) continue;
    if (long || sameRows(whole, at, rows, width, exact)) return at;
  }
  return undefined;
}

/** Where a list can be cut: at the start of a line. Numbers stand further in as they get longer, which is no other row. */
function listCut(whole: string, rows: readonly Line[], spare: number, width: number): number | undefined {
  const starts = Array.from(whole.matchAll(/\n(?=\S)/g), ({ index }) => index + 1);
  const at = lastWithin(starts, (to) => markdown(whole.slice(0, to), width).length <= spare);
  return at !== undefined && sameRows(whole, at, rows, width, (row) => textOfLine(row).trimStart()) ? at : undefined;
}

const exact = (row: Line) => JSON.stringify(row);

function sameRows(whole: string, at: number, rows: readonly Line[], width: number, as: (row: Line) => string): boolean {
  const parts = [...markdown(whole.slice(0, at), width), ...markdown(whole.slice(at), width)];
  // The last row is still written; its end is shown without what is half open.
  return parts.length === rows.length && parts.slice(0, -1).every((row, n) => as(row) === as(rows[n] ?? []));
}

/** The last of the places, in order, up to which it holds. */
function lastWithin(places: readonly number[], holds: (at: number) => boolean): number | undefined {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(places[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return places[low - 1];
}

/** What would be a list, a heading, a quote, code or a table at the start of a text. */
const BLOCK_SIGN = /^(?:[-+*#>|=~`\s]|\d+[.)]?|$)/;

/** Places ahead of `end` where a row may end: behind blanks, beside wide signs; and where the rest is a paragraph too. */
function breaks(whole: string, end: number): number[] {
  const places: number[] = [];
  let at = 0;
  let before = "";
  for (const sign of signsOf(whole.slice(0, end))) {
    const blank = /\s/.test(sign);
    const mayBreak = !blank && (/\s/.test(before) || (before !== "" && (widthOf(before) === 2 || widthOf(sign) === 2)));
    if (mayBreak && !BLOCK_SIGN.test(whole.slice(at, at + 20))) places.push(at);
    at += sign.length;
    before = sign;
  }
  return places;
}

/** Where the first sign stands that is not closed yet: emphasis, code, a link. What is ahead of it means what it means. */
function firstOpen(whole: string): number {
  const open: { mark: string; at: number }[] = [];
  for (const { 0: mark, index: at } of whole.matchAll(/\\.|`+|\*+|_+|~~|\[|\]\(?|[)<>]/gs)) {
    const last = open.at(-1);
    // In code nothing else counts.
    if (last?.mark.startsWith("`") === true) {
      if (mark === last.mark) open.pop();
    } else if (mark.startsWith("\\")) continue;
    else if (mark === "]" || mark === "](") {
      if (last?.mark === "[") open.pop();
      if (mark === "](") open.push({ mark: "(", at: last?.at ?? at });
    } else if (mark === ")" || mark === ">") {
      if (last?.mark === (mark === ")" ? "(" : "<")) open.pop();
    } else if (last?.mark === mark) open.pop();
    else if (opens(whole, mark, at)) open.push({ mark, at });
  }
  return open[0]?.at ?? whole.length;
}

/** Stars and lines open a span only ahead of a word, and lines not within one. */
function opens(whole: string, mark: string, at: number): boolean {
  const [before = " ", after = ""] = [whole[at - 1], whole[at + mark.length]];
  if (mark === "<") return /[a-z/!]/i.test(after);
  if (!/^[*_~]/.test(mark)) return true;
  return !/\s/.test(after) && !(mark.startsWith("_") && /\w/.test(before));
}
