import { type EditorState, graphemeWidth, labelled, shown } from "../input/editor/buffer.ts";
import { prefixMode } from "../input/editor/edit.ts";
import { type EditorRow, layout } from "../input/editor/layout.ts";
import { graphemes } from "../term/graphemes.ts";
import type { Style } from "../theme.ts";
import { exact } from "./clean.ts";
import { type Line, line, type Span, truncate } from "./spans.ts";

const SIGNS: Readonly<Record<ReturnType<typeof prefixMode>, { sign: string; style: Style }>> = {
  prompt: { sign: "› ", style: "accent" },
  command: { sign: "› ", style: "accent" },
  shell: { sign: "! ", style: "warning" },
  outside: { sign: "!!", style: "error" },
  memory: { sign: "# ", style: "plan" },
};
/** Columns of the sign before the draft. */
export const SIGN_WIDTH = 2;

/** Offsets of a draft that are shown as selected. */
interface Selected {
  from: number;
  to: number;
}

/**
 * The draft in at most `max` rows around the caret, with a sign that says what Enter does; arrows in its place where more rows
 * are above or below (IN-1, IN-12).
 */
export function composerRows(
  editor: EditorState,
  width: number,
  max: number,
  placeholder: string,
  selected?: Selected,
): { rows: Line[]; caret: { x: number; y: number } } {
  const { sign, style } = SIGNS[prefixMode(editor)];
  if (editor.text === "") {
    const row = truncate([...line(sign, style), ...line(placeholder, "dim")], width);
    return { rows: [row], caret: { x: Math.min(SIGN_WIDTH, width), y: 0 } };
  }
  const laid = layout(editor, Math.max(2, width - SIGN_WIDTH));
  const from = Math.max(0, Math.min(laid.row - (max >> 1), laid.rows.length - max));
  const seen = laid.rows.slice(from, from + max);
  const rows = seen.map((row, at): Line => {
    const above = at === 0 && from > 0;
    const below = at === seen.length - 1 && from + max < laid.rows.length;
    const gutter = above ? "↑ " : below ? "↓ " : from + at === 0 ? sign : "  ";
    return truncate(
      [{ text: gutter, style: above || below ? "dim" : style }, ...rowSpans(editor, row, selected)],
      width,
    );
  });
  return { rows, caret: { x: Math.min(width, SIGN_WIDTH + laid.x), y: laid.row - from } };
}

/** A row's text, in three pieces where a selection is in it. */
function rowSpans(editor: EditorState, row: EditorRow, selected: Selected | undefined): Span[] {
  const within = selected !== undefined && selected.from <= row.end && selected.to > row.start;
  if (!within) return [{ text: row.text.trimEnd() }];
  const { chips } = editor;
  let [ahead, inside, behind] = ["", "", ""];
  let width = 0;
  for (const { segment, index } of graphemes(editor.text.slice(row.start, row.end))) {
    width += graphemeWidth(segment, chips);
    if (width > row.width) break;
    const at = row.start + index;
    if (at < selected.from) ahead += shown(segment, chips);
    else if (at < selected.to) inside += shown(segment, chips);
    else behind += shown(segment, chips);
  }
  return [{ text: ahead }, { text: inside, style: "selection" }, { text: behind.trimEnd() }];
}

/** The draft on one row, while a question has its place. */
export function draftRow(editor: EditorState, width: number): Line[] {
  if (editor.text === "") return [];
  return [truncate([...line("› ", "dim"), ...line(exact(labelled(editor)).replaceAll("\n", "⏎"))], width)];
}
