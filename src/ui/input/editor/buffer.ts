import { graphemes } from "../../term/graphemes.ts";
import { stringWidth } from "../../term/width.ts";
import { DROPPED } from "../../../util/visible.ts";

/** A pasted text that stands in the buffer as one character (IN-14). */
export interface Chip {
  /** Counted from 1 over the editor's life. */
  n: number;
  text: string;
  /** What it is shown as, where that isn't told by its text: a picture (IN-15). */
  label?: string;
}
interface Snapshot {
  text: string;
  cursor: number;
}
export type EditKind = "none" | "type" | "delete" | "kill" | "yank" | "move" | "jump" | "other";

/** A draft. Immutable; `cursor` is an offset into `text` at a grapheme's edge. */
export interface EditorState {
  readonly text: string;
  readonly cursor: number;
  /** Column that Up and Down aim at. */
  readonly goal?: number | undefined;
  /** By the character that stands for it. */
  readonly chips: ReadonlyMap<string, Chip>;
  /** Pastes so far, for the next number. */
  readonly pasted: number;
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** Kill ring, newest first, at most 20. */
  readonly kills: readonly string[];
  readonly last: { kind: EditKind; at: number };
  /** What was yanked last, for yank-pop. */
  readonly yanked?: { from: number; to: number; index: number } | undefined;
  /** One line for the person about the last edit, such as that control characters were taken out of a paste. */
  readonly notice?: string | undefined;
}

export const EMPTY: EditorState = {
  text: "",
  cursor: 0,
  chips: new Map(),
  pasted: 0,
  undo: [],
  redo: [],
  kills: [],
  last: { kind: "none", at: 0 },
};

/** The end of the last private plane: fonts put their icons elsewhere. */
const CHIP_BASE = 0x10f000;
const CHIPS = 0xffe;
const CHIP = /[\u{10f000}-\u{10fffd}]/gu;
const HIDDEN = new RegExp(DROPPED.source, "gu");
/** Far longer than any grapheme; keeps a step in a huge line cheap. */
const REACH = 256;

export function isChip(grapheme: string): boolean {
  const code = grapheme.codePointAt(0) ?? 0;
  return code >= CHIP_BASE && code < CHIP_BASE + CHIPS;
}

/** The character that stands for the n-th paste. */
export function chipChar(n: number): string {
  return String.fromCodePoint(CHIP_BASE + (n % CHIPS));
}

/** `[Pasted #1 · 10,000 lines]` */
export function chipLabel(chip: Chip): string {
  if (chip.label !== undefined) return chip.label;
  const lines = chip.text.replace(/\n$/, "").split("\n").length;
  const size =
    lines > 1 ? `${lines.toLocaleString("en")} lines` : `${chip.text.length.toLocaleString("en")} characters`;
  return `[Pasted #${chip.n} · ${size}]`;
}

/** The draft as it is sent: pastes in full. */
export function expanded(state: Pick<EditorState, "text" | "chips">): string {
  return state.text.replace(CHIP, (char) => state.chips.get(char)?.text ?? "");
}

/** The draft as it is shown in one piece: pastes by their labels. */
export function labelled(state: Pick<EditorState, "text" | "chips">): string {
  return state.text.replace(CHIP, (char) => {
    const chip = state.chips.get(char);
    return chip === undefined ? "" : chipLabel(chip);
  });
}

/** Text that may stand in the buffer: `\n` line ends, no controls but tab, nothing that the screen would not show, nothing that looks like a chip. */
export function cleanText(text: string): { text: string; removed: number } {
  let removed = 0;
  const drop = () => (removed++, "");
  const clean = text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    // Whole sequences first, so that their letters don't stay.
    .replace(
      /\x1b(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[\x20-\x2f]*[\x30-\x7e])?/g,
      drop,
    )
    .replace(HIDDEN, drop)
    .replace(CHIP, "\ufffd");
  return { text: clean, removed };
}

/** Where the line of an offset begins. */
export function lineStart(text: string, at: number): number {
  // A search from before the text begins at its first character all the same.
  return at <= 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Where it ends. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

/** Offset of the grapheme before `at`. */
export function before(text: string, at: number): number {
  if (at <= 0) return 0;
  if (text[at - 1] === "\n") return at - 1;
  const from = Math.max(lineStart(text, at), at - REACH);
  let start = from;
  for (const { index } of graphemes(text.slice(from, at))) start = from + index;
  return start;
}

/** Offset behind the grapheme at `at`. */
export function after(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const [first] = graphemes(text.slice(at, at + REACH));
  return at + (first?.segment.length ?? 1);
}

/** The nearest grapheme's edge at or before `at`, for an offset that came from elsewhere. */
export function snap(text: string, at: number): number {
  const to = Math.min(Math.max(0, at), text.length);
  const from = Math.max(lineStart(text, to), to - REACH);
  let edge = from;
  for (const { index, segment } of graphemes(text.slice(from, to + REACH))) {
    if (from + index > to) break;
    edge = from + index + segment.length <= to ? from + index + segment.length : from + index;
  }
  return edge;
}

/** `at`, or the end of the grapheme that it would cut. */
export function edge(text: string, at: number): number {
  const start = snap(text, at);
  return start === at ? at : after(text, start);
}

/** Columns of one grapheme as the composer shows it. */
export function graphemeWidth(grapheme: string, chips: EditorState["chips"]): number {
  if (grapheme === "\t") return 4;
  if (grapheme.length === 1 && grapheme >= " " && grapheme <= "~") return 1;
  return stringWidth(shown(grapheme, chips));
}

/** One grapheme as the composer shows it. */
export function shown(grapheme: string, chips: EditorState["chips"]): string {
  if (grapheme === "\t") return "    ";
  if (!isChip(grapheme)) return grapheme;
  const chip = chips.get(String.fromCodePoint(grapheme.codePointAt(0) ?? 0));
  return chip === undefined ? "" : chipLabel(chip);
}
