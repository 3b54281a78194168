import type { Terminal } from "@xterm/headless";

/** Neighbouring cells of equal looks; colours are `#rrggbb`, undefined is the terminal's own. */
export interface Run {
  x: number;
  text: string;
  cells: number;
  look: {
    fore: string | undefined;
    back: string | undefined;
    bold: boolean;
    dim: boolean;
    italic: boolean;
    underline: boolean;
    strike: boolean;
  };
}
/** The visible rows of a terminal, without blank ends. */
export function rowsOf(terminal: Terminal): Run[][];
/** The picture of these rows; sizes are in cells. */
export function svg(
  rows: readonly (readonly Run[])[],
  options: { cols: number; title: string; label: string; caret?: { x: number; y: number }; theme?: "light" },
): string;
/** The same for scenes that follow each other. */
export function film(
  scenes: readonly { rows: readonly (readonly Run[])[]; caret?: { x: number; y: number }; seconds: number }[],
  options: { cols: number; title: string; label: string },
): string;
