import type { OpenedFile, Question } from "../../permissions/asker.ts";
import { insert } from "../prompt/field.ts";
import { keptParts, partsOf, toggle } from "../prompt/parts.ts";
import { highlightVersion } from "../render/highlight.ts";
import type { FullView } from "../screen/full.ts";
import { drawReview, reviewHeight } from "./draw.ts";
import { fileLaid, type Laid, listLaid } from "./layout.ts";
import { beginReview, type Review, type ReviewPages, reviewKey } from "./review.ts";
import type { ReviewText } from "./text.ts";

/** For a question: what is chosen comes back to it; nothing is answered here. */
export interface ReviewChoice {
  question: Question;
  left: ReadonlySet<string>;
  comment: string;
  /** `seen`: places of the summary's entries whose names were on screen whole. */
  done(left: ReadonlySet<string>, comment: string, seen: ReadonlySet<number>): void;
  /** The proposed file is to be opened in the person's editor, once the view is left. */
  edit?(): void;
}

/** A change set on the whole screen. `redraw`: called when a file that was opened has been read. */
export function reviewView(text: ReviewText, redraw: () => void, choice?: ReviewChoice): FullView {
  let review: Review = beginReview(choice?.left, choice?.comment);
  let laid = { width: 0, version: 0, parts: new Map<number, Laid>() };
  const opened = new Map<number, OpenedFile | string>();
  const seen = new Set<number>();
  const question = choice?.question;
  const choosing =
    question === undefined
      ? undefined
      : {
          edits: question.proposed !== undefined && choice?.edit !== undefined,
          keys: partsOf(question).flatMap((part) => (part.conflict === undefined ? [part.key] : [])),
          toggle: (left: ReadonlySet<string>, key: string) => {
            const part = partsOf(question).find((p) => p.key === key);
            return part === undefined ? left : toggle(question, left, part);
          },
        };
  const pages = (width: number): ReviewPages => {
    const version = highlightVersion();
    if (laid.width !== width || laid.version !== version) laid = { width, version, parts: new Map() };
    const options = { width, chooses: question !== undefined, opened: (at: number) => opened.get(at) };
    const part = (at: number): Laid => {
      const file = text.files[at - 1];
      const known = laid.parts.get(at);
      if (known !== undefined) return known;
      const fresh = at === 0 ? listLaid(text, options) : file === undefined ? NOTHING : fileLaid(file, options);
      laid.parts.set(at, fresh);
      return fresh;
    };
    return {
      size: text.files.length + 1,
      rows: (at) => part(at).rows,
      stops: (at) => part(at).stops,
      isTurn: () => false,
    };
  };
  const open = (part: number) => {
    const at = text.files[part - 1]?.opens;
    if (at === undefined || text.open === undefined || text.files[part - 1]?.diff?.hidden === undefined) return;
    const told = (what: OpenedFile | string) => {
      opened.set(at, what);
      laid.parts.delete(part);
      redraw();
    };
    text.open(at).then(told, (error: unknown) => told(error instanceof Error ? error.message : String(error)));
  };
  return {
    draw(size, waits, keymap) {
      const status = {
        title: text.title,
        files: text.files.length,
        kept: question === undefined ? undefined : keptParts(question, review.left),
        edits: choosing?.edits === true,
        keymap,
        // The one that is looked at is no news.
        waits: question === undefined ? waits : undefined,
      };
      const drawn = drawReview(review, pages(size.cols), size, status);
      for (const { part, stop } of drawn.seen) {
        const file = part === 0 ? text.files[stop] : stop === 0 ? text.files[part - 1] : undefined;
        if (file?.entry !== undefined) seen.add(file.entry.at);
      }
      return drawn;
    },
    key(key, size, keymap) {
      const step = reviewKey(review, key, pages(size.cols), reviewHeight(size.rows), choosing, keymap);
      review = step.review;
      if (typeof step.act === "object") open(step.act.open);
      if (step.act !== "leave" && step.act !== "edit") return undefined;
      choice?.done(review.left, review.comment, seen);
      if (step.act === "edit") choice?.edit?.();
      return "leave";
    },
    paste(words) {
      const { typing } = review;
      if (typing !== undefined) review = { ...review, typing: insert(typing, words) };
    },
  };
}

const NOTHING: Laid = { rows: [], stops: [] };
