import { type EditorState, labelled } from "../input/editor/buffer.ts";
import { prefixMode } from "../input/editor/edit.ts";
import { layout } from "../input/editor/layout.ts";
import type { Style } from "../theme.ts";
import { exact } from "./clean.ts";
import { type Line, line, truncate } from "./spans.ts";

const SIGNS: Readonly<Record<ReturnType<typeof prefixMode>, { sign: string; style: Style }>> = {
  prompt: { sign: "› ", style: "accent" },
  command: { sign: "› ", style: "accent" },
  shell: { sign: "! ", style: "warning" },
  outside: { sign: "!!", style: "error" },
  memory: { sign: "# ", style: "plan" },
};
/** Columns of the sign before the draft. */
export const SIGN_WIDTH = 2;

/** The draft in at most `max` rows around the caret, with a sign that says what Enter does (IN-1, IN-12). */
export function composerRows(
  editor: EditorState,
  width: number,
  max: number,
  placeholder: string,
): { rows: Line[]; caret: { x: number; y: number } } {
  const { sign, style } = SIGNS[prefixMode(editor)];
  if (editor.text === "") {
    const row = truncate([...line(sign, style), ...line(placeholder, "dim")], width);
    return { rows: [row], caret: { x: Math.min(SIGN_WIDTH, width), y: 0 } };
  }
  const laid = layout(editor, Math.max(2, width - SIGN_WIDTH));
  const from = Math.max(0, Math.min(laid.row - max + 1, laid.rows.length - max));
  const rows = laid.rows.slice(from, from + max).map((row, at): Line => {
    const first = from + at === 0;
    return truncate([{ text: first ? sign : "  ", style }, { text: row.text.trimEnd() }], width);
  });
  return { rows, caret: { x: Math.min(width, SIGN_WIDTH + laid.x), y: laid.row - from } };
}

/** The draft on one row, while a question has its place. */
export function draftRow(editor: EditorState, width: number): Line[] {
  if (editor.text === "") return [];
  return [truncate([...line("› ", "dim"), ...line(exact(labelled(editor)).replaceAll("\n", "⏎"))], width)];
}
