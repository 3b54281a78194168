import type { Session } from "../../session/session.ts";
import { cleanRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { todoLines } from "../render/todo.ts";
import { duration, money, several } from "../render/units.ts";
import type { Command } from "./command.ts";
import { tell } from "./tell.ts";

/** What this session is and what counts in it. */
export const statusCommand: Command = {
  name: "status",
  text: "This session: folder, model, mode, copy, limits, cost",
  always: true,
  run: async (_args, context) => context.say((width) => statusLines(context.session, width)),
};

/** The list of steps, all of it. */
export const todoCommand: Command = {
  name: "todo",
  text: "The list of steps, all of it",
  always: true,
  run: async (_args, context) => {
    const { todos } = context.session.state();
    if (todos.length === 0) return tell(context, "There is no list of steps. The model makes one for longer work.");
    context.say((width) => todoLines(todos, width, todos.length));
  },
};

/** A row for each fact. */
export function statusLines(session: Session, width: number): Line[] {
  const state = session.state();
  const { kind, contained, why } = session.sandbox;
  const effort = session.effort();
  const shells = session.background().shells.length;
  const unfinished = session.unfinished();
  const age = Date.parse(state.lastAt) - Date.parse(state.startedAt);
  const rows: readonly (readonly [string, string])[] = [
    ["session", state.name === undefined ? session.id : `${session.id} (${state.name})`],
    ["folder", state.folder],
    ...state.roots.filter((root) => root.path !== state.folder).map((root) => [root.kind, root.path] as const),
    ["model", effort === undefined ? state.model : `${state.model}, effort ${effort}`],
    ["mode", `${state.mode}${state.bypass ? ", BYPASS: nothing is asked that no rule asks" : ""}`],
    ["commands", contained ? `in a copy (${kind})` : `without walls, each is asked: ${why.join("; ")}`],
    ["trust", state.trusted ? "what this folder brings is used" : "what this folder brings waits for your trust"],
    ["background", shells === 0 ? "nothing runs" : several(shells, "shell")],
    ["talk", `${several(state.prompts, "message")}${Number.isNaN(age) || age <= 0 ? "" : `, ${duration(age)}`}`],
    ["cost", money(session.cost().usd)],
    ...(unfinished === undefined ? [] : [["unfinished", unfinished] as const]),
  ];
  return rows.flatMap(([name, value]) =>
    wrap([{ text: name.padEnd(12), style: "dim" }, ...line(cleanRow(value))], {
      width,
      rest: line(" ".repeat(width > 40 ? 12 : 2)),
    }),
  );
}
