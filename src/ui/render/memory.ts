import type { LogEvent } from "../../events/event.ts";
import { verdictWords } from "../../session/trace-work.ts";
import type { Line, Span } from "./spans.ts";
import { grouped, several } from "./units.ts";

/** So many names are told in one row. */
const NAMED = 4;

/** Rows of what the model was told of files and skills, and of what a second agent said; undefined where there is nothing to see. */
export function memoryRows(event: LogEvent, row: (text: string, style?: Span["style"]) => Line[]): Line[] | undefined {
  switch (event.type) {
    case "memory.read": {
      const rows = fileRows(event.files).flatMap((text) => row(`── ${text}`));
      return [...rows, ...problemRows(event.problems, row)];
    }
    case "memory.recalled":
      return row(`── remembered: ${named(event.notes.map(({ title }) => title))}`);
    case "skills.listed":
      return problemRows(event.problems, row);
    case "skill.loaded":
      return event.kind === "command"
        ? [
            ...row(`── command /${event.name} (${event.source})`),
            ...(event.ran ?? []).flatMap(({ command, exit }) => row(`── it ran ${command} (${exitWords(exit)})`)),
          ]
        : row(`── skill ${event.name} (${event.source})`);
    case "verdict.given":
      return row(`${event.ok ? "✓" : "✗"} ${verdictWords(event)}`, event.ok ? "ok" : "warning");
    default:
      return undefined;
  }
}

function exitWords(exit: number | null): string {
  return exit === null ? "did not run to its end" : `exit ${exit}`;
}

function fileRows(files: Extract<LogEvent, { type: "memory.read" }>["files"]): string[] {
  const read = files.filter(({ how }) => how !== "gone");
  const gone = files.filter(({ how }) => how === "gone");
  const chars = read.reduce((sum, file) => sum + file.chars, 0);
  const cut = read.filter((file) => file.of !== undefined);
  return [
    ...(read.length === 0
      ? []
      : [`instructions read: ${named(read.map(({ path }) => path))}, ${grouped(chars)} characters`]),
    ...cut.map(({ path, chars: n, of = n }) => `cut: ${path}, ${grouped(n)} of ${grouped(of)} characters`),
    ...(gone.length === 0 ? [] : [`no longer in force: ${named(gone.map(({ path }) => path))}`]),
  ];
}

function named(names: readonly string[]): string {
  const more = names.length - NAMED;
  return names.slice(0, NAMED).join(", ") + (more > 0 ? ` and ${several(more, "other")}` : "");
}

function problemRows(problems: readonly string[] = [], row: (text: string, style?: Span["style"]) => Line[]): Line[] {
  return problems.flatMap((problem) => row(`── ${problem}`, "warning"));
}
