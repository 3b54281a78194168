import { hintWords } from "../commands/help.ts";
import { type Action, DEFAULT_KEYMAP, type Keymap } from "../input/keymap.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, truncate } from "../render/spans.ts";
import { several } from "../render/units.ts";
import { typedRow } from "../prompt/layout.ts";
import type { Review, ReviewPages } from "./review.ts";

/** What stands in the last row. */
export interface ReviewStatus {
  title: string;
  files: number;
  /** Parts that stay, of how many; undefined where nothing is chosen. */
  kept?: { kept: number; of: number } | undefined;
  /** The proposed file can be changed. */
  edits?: boolean;
  keymap?: Keymap | undefined;
  waits: string | undefined;
}

/** Rows that the text has of a screen. */
export function reviewHeight(rows: number): number {
  return Math.max(1, rows - 1);
}

/** The whole screen, and which stops are on it with all of their rows. */
export function drawReview(
  review: Review,
  pages: ReviewPages,
  { cols, rows }: { cols: number; rows: number },
  status: ReviewStatus,
): { rows: Line[]; caret?: { x: number; y: number }; seen: { part: number; stop: number }[] } {
  const height = reviewHeight(rows);
  const out: Line[] = [];
  const seen: { part: number; stop: number }[] = [];
  for (let { part, row } = review.top; part < pages.size && out.length < height; part++, row = 0) {
    const from = row;
    const all = pages.rows(part).slice(from, from + height - out.length);
    const stops = pages.stops(part);
    for (const [n, text] of all.entries()) {
      const stop = stops.findIndex((s) => s.row <= from + n && from + n < s.row + s.rows);
      out.push(
        truncate(
          stop < 0 ? text : withGutter(text, review, pages, { part, stop }, from + n, status.kept !== undefined),
          cols,
        ),
      );
    }
    for (const [stop, s] of stops.entries())
      if (s.row >= from && s.row + s.rows <= from + all.length) seen.push({ part, stop });
  }
  while (out.length < height) out.push([]);
  if (review.typing !== undefined) {
    const { row, x } = typedRow("to the model: ", review.typing, cols);
    return { rows: [...out, row], caret: { x, y: out.length }, seen };
  }
  return { rows: [...out, truncate(statusRow(review, status, cols), cols)], seen };
}

/** Where the cursor is, and whether a part is taken: before the rows that can be stopped at. */
function withGutter(
  text: Line,
  review: Review,
  pages: ReviewPages,
  at: Review["at"],
  row: number,
  chooses: boolean,
): Line {
  const stop = pages.stops(at.part)[at.stop];
  const first = stop?.row === row;
  const here = review.at.part === at.part && review.at.stop === at.stop;
  const box = stop?.key === undefined ? "    " : review.left.has(stop.key) ? "[ ] " : "[x] ";
  return [
    { text: here && first ? "› " : "  ", style: "selected" },
    ...(chooses ? [{ text: first ? box : "    " }] : []),
    ...text,
  ];
}

function statusRow({ said, comment }: Review, status: ReviewStatus, cols: number): Line {
  const { title, files, kept, waits, keymap = DEFAULT_KEYMAP } = status;
  const of = kept === undefined ? "" : ` · ${kept.kept} of ${several(kept.of, "part")} land`;
  const hint = (action: Action, words: string) => hintWords(keymap, "review", [action], words);
  const looks = [
    hint("escape", "back"),
    hintWords(keymap, "review", ["down", "page-down"], ""),
    hint("file-next", "next file"),
    hint("pick", "opens"),
  ];
  const chooses = [
    hint("escape", "back"),
    hint("toggle", "takes in or leaves out"),
    hint("take-all", "all"),
    hint("take-none", "none"),
    hint("comment", "a word to the model"),
    ...(status.edits === true ? [hint("editor", "edit the file")] : []),
    hint("file-next", "next file"),
  ];
  const keys = (kept === undefined ? looks : chooses).filter(Boolean).join(" · ");
  // A long title would push the way back out of a narrow window.
  const back = cols < 60 && said === undefined ? `${hint("escape", "back")} · ` : "";
  return [
    { text: back, style: "dim" },
    ...(waits === undefined ? [] : line(`${cleanRow(waits)} · `, "warning")),
    { text: `${cleanRow(title)} · ${several(files, "file")}${of}`, style: "bold" },
    { text: comment === "" ? "" : " · with your words", style: "warning" },
    { text: ` · ${said ?? keys}`, style: said === undefined ? "dim" : "warning" },
  ];
}
