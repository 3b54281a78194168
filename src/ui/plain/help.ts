import { COMMANDS } from "../commands/table.ts";
import { line, type Line, wrap } from "../render/spans.ts";

/** Commands of the line front-end: it has no keys but Enter and Ctrl-C. */
export function plainHelp(width: number): Line[] {
  const rows = [
    ...COMMANDS.map((c) => `/${c.name}${c.args === undefined ? "" : ` ${c.args}`}: ${c.text}`),
    "!command: runs it in the copy; what it changes lands",
    "!!command: runs it outside, in your own shell",
    "Ctrl-C: stops what runs; twice on an empty line leaves",
  ];
  return rows.flatMap((row) => wrap(line(row), { width, rest: line("  ") }));
}
