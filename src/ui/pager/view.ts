import type { LogEvent } from "../../events/event.ts";
import { textOf } from "../../events/block.ts";
import type { Key } from "../input/key.ts";
import type { EntryFacts } from "../render/entry.ts";
import { highlightVersion } from "../render/highlight.ts";
import { line, type Line, textOfLine, wrap } from "../render/spans.ts";
import { several } from "../render/units.ts";
import type { FullView, Size } from "../screen/full.ts";
import { drawPager, textHeight } from "./draw.ts";
import { folded } from "./find.ts";
import { pagerKey, type PagerAct, type Searchable } from "./keys.ts";
import { AT_END, endOf, type Pager, type Place } from "./pager.ts";
import { partRows } from "./part-rows.ts";
import { NO_PARTS, type Parts, sourceOf, withFacts } from "./parts.ts";

/** What the pager can do outside of itself. */
export interface PagerHost extends EntryFacts {
  facts(): readonly LogEvent[];
  /** Opens a text in the person's editor or pager. */
  openText(text: string): void;
  /** Puts rows into the terminal's own scrollback. */
  say(rows: (width: number) => Line[]): void;
  /** To the clipboard; says what came of it. */
  copy(text: string): string;
}

/** Rows that `s` writes at most: a terminal keeps some thousands. */
const MOST_ROWS = 5000;
/** Parts that stay laid out. */
const KEPT = 400;

/** The whole session, read from its facts, laid out where it is looked at (T-5). What comes meanwhile is appended. */
export function transcriptView(host: PagerHost): FullView {
  let parts: Parts = NO_PARTS;
  let pager: Pager = AT_END;
  let laid = { width: 0, version: 0, rows: new Map<number, readonly Line[]>() };
  const rowsAt = (at: number, width: number): readonly Line[] => {
    const part = parts.parts[at];
    return part === undefined ? [] : partRows(part, host, width);
  };
  const pages = (width: number): Searchable => {
    parts = withFacts(parts, host.facts());
    const version = highlightVersion();
    if (laid.width !== width || laid.version !== version || laid.rows.size > KEPT)
      laid = { width, version, rows: new Map() };
    return {
      size: parts.parts.length,
      isTurn: (at) => parts.parts[at]?.entry.kind === "person",
      rows(at) {
        const known = laid.rows.get(at) ?? rowsAt(at, width);
        laid.rows.set(at, known);
        return known;
      },
      mayHold(at, query) {
        const part = parts.parts[at];
        const source = part === undefined ? "" : sourceOf(part, (id) => resultText(host, id));
        return source === undefined || folded(source, query).includes(query);
      },
    };
  };
  const act = (what: PagerAct, size: Size): "leave" | undefined => {
    const all = pages(size.cols);
    switch (what) {
      case "leave":
        return "leave";
      case "editor":
        host.openText(plainText(parts, (at) => rowsAt(at, 100)));
        return undefined;
      case "scrollback":
        host.say((width) => newestRows(parts, (at) => rowsAt(at, width), width));
        pager = { ...pager, said: "written: it is in the scrollback when you leave" };
        return undefined;
      case "copy": {
        const top = pager.following ? endOf(all, textHeight(size.rows)) : pager.top;
        const words = answerAt(parts, pager.following ? { part: all.size - 1, row: 0 } : top);
        pager = { ...pager, said: words === undefined ? "no answer to copy here" : host.copy(words) };
        return undefined;
      }
    }
  };
  return {
    draw: (size, waits, keymap) => drawPager(pager, pages(size.cols), size, waits, { keymap }),
    key(key: Key, size, keymap) {
      const step = pagerKey(pager, key, pages(size.cols), textHeight(size.rows), keymap);
      pager = step.pager;
      return step.act === undefined ? undefined : act(step.act, size);
    },
    paste(text) {
      if (pager.typing !== undefined) pager = { ...pager, typing: pager.typing + text.replaceAll(/\s+/g, " ") };
    },
  };
}

function resultText(host: EntryFacts, callId: string): string {
  return textOf(host.state().calls.get(callId)?.result?.content ?? []);
}

/** Raw Markdown of the answer at a place: the reply that stands there, or the nearest before it. */
export function answerAt({ parts }: Parts, { part }: Place): string | undefined {
  const isAnswer = (at: number) => parts[at]?.entry.kind === "markdown";
  let at = Math.min(part, parts.length - 1);
  while (at >= 0 && !isAnswer(at)) at--;
  const seq = parts[at]?.seq;
  if (seq === undefined) return undefined;
  const raw = parts.flatMap((p) => (p.seq === seq && p.entry.kind === "markdown" ? [p.entry.raw] : []));
  return raw.join("").trim();
}

function plainText({ parts }: Parts, rows: (at: number) => readonly Line[]): string {
  return `${parts.flatMap((_, at) => rows(at).map(textOfLine)).join("\n")}\n`;
}

/** The newest rows; what is left away is counted. */
function newestRows({ parts }: Parts, rows: (at: number) => readonly Line[], width: number): Line[] {
  const out: (readonly Line[])[] = [];
  let count = 0;
  let at = parts.length;
  while (at > 0 && count < MOST_ROWS) {
    const part = rows(--at);
    out.push(part);
    count += part.length;
  }
  const left = at > 0 ? wrap(line(`… ${several(at, "earlier entry", "earlier entries")}`, "dim"), { width }) : [];
  return [...left, ...out.toReversed().flat()];
}
