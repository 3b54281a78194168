import type { Todo } from "../../events/event.ts";
import { cleanRow } from "./clean.ts";
import { type Line, truncate } from "./spans.ts";
import { several } from "./units.ts";

const SIGNS = {
  done: { sign: "✓", style: "dim" },
  active: { sign: "▸", style: "accent" },
  pending: { sign: "·", style: undefined },
} as const;

const BEGUN = { sign: "▹", style: "dim" } as const;

/** The list around what is done now, in at most `max` rows (F-5). Where nothing is at work, nothing is being done: that step is told as begun. */
export function todoLines(todos: readonly Todo[], width: number, max = 5, working = true): Line[] {
  if (todos.length === 0 || max < 1) return [];
  const [from, to] = shownPart(todos, max);
  const rows = todos.slice(from, to).map((todo) => todoLine(todo, width, working));
  const left = todos.length - (to - from);
  if (left === 0 || max === 1) return rows;
  const done = todos.filter((todo) => todo.status === "done").length;
  return [
    ...rows,
    truncate([{ text: `  + ${left} more · ${done} of ${several(todos.length, "step")} done`, style: "dim" }], width),
  ];
}

function shownPart(todos: readonly Todo[], max: number): [number, number] {
  if (todos.length <= max) return [0, todos.length];
  const rows = Math.max(1, max - 1);
  const now = todos.findIndex((todo) => todo.status !== "done");
  const from = Math.min(Math.max(0, (now < 0 ? todos.length : now) - 1), todos.length - rows);
  return [from, from + rows];
}

function todoLine(todo: Todo, width: number, working: boolean): Line {
  const { sign, style } = todo.status === "active" && !working ? BEGUN : SIGNS[todo.status];
  const text = cleanRow(todo.text);
  const as = todo.status === "done" ? "dim" : todo.status === "active" && working ? "bold" : undefined;
  return truncate(
    [
      { text: `${sign} `, style },
      { text, style: as },
    ],
    width,
  );
}
