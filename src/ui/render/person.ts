import { clean } from "./clean.ts";
import { line, type Line, wrap } from "./spans.ts";
import { several } from "./units.ts";

/** A person's words with their gutter sign; long ones keep head and tail. */
export function personLines(text: string, width: number): Line[] {
  const rows = rowsOf(text);
  const shown =
    rows.length <= 24 ? rows : [...rows.slice(0, 16), `… ${several(rows.length - 20, "line")} …`, ...rows.slice(-4)];
  return withSign(shown, width);
}

/** All of a person's words. */
export function personRows(text: string, width: number): Line[] {
  return withSign(rowsOf(text), width);
}

function rowsOf(text: string): string[] {
  return clean(text.trimEnd()).split("\n");
}

function withSign(rows: readonly string[], width: number): Line[] {
  return rows.flatMap((row, at) =>
    wrap(line(row, "person"), { width, first: line(at === 0 ? "› " : "  ", "accent"), rest: line("  ") }),
  );
}
