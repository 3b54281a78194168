import { lastStates, sanitize, visible } from "../../util/visible.ts";
import { signsOf, widthOf } from "./spans.ts";

const TAB = 4;

/** Output of models, tools and files, made safe for the screen; repainted lines keep their last state, tabs become blanks (T-8). */
export function clean(text: string): string {
  return expandTabs(sanitize(lastStates(text)));
}

/** The same on one row: line ends become "⏎". */
export function cleanRow(text: string): string {
  return clean(text.trimEnd()).replaceAll("\n", "⏎");
}

/** For questions: every hidden character is written out, so that what is shown is what runs (P-2). */
export function exact(text: string): string {
  return visible(text);
}

/** The same on one row: nothing is left away behind the first line. */
export function exactRow(text: string): string {
  return visible(text.trimEnd(), "\n").replaceAll("\n", "⏎");
}

function expandTabs(text: string): string {
  if (!text.includes("\t")) return text;
  return text
    .split("\n")
    .map((row) => (row.includes("\t") ? expandRow(row) : row))
    .join("\n");
}

function expandRow(row: string): string {
  let out = "";
  let at = 0;
  for (const sign of signsOf(row)) {
    const blanks = sign === "\t" ? TAB - (at % TAB) : 0;
    out += blanks > 0 ? " ".repeat(blanks) : sign;
    at += blanks > 0 ? blanks : widthOf(sign);
  }
  return out;
}
