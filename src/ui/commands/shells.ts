import { paragraph } from "../prompt/panel.ts";
import { clean, exactRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { several } from "../render/units.ts";
import type { Command, CommandContext } from "./command.ts";
import { report, tell } from "./tell.ts";

/** The live roster of what runs in the background: looks into one, ends one. */
export const shellsCommand: Command = {
  name: "shells",
  also: ["agents"],
  args: "[stop ID]",
  text: "What runs in the background: shows its output, ends it",
  always: true,
  run: async (args, context) => {
    const stop = /^stop (\S+)$/.exec(args)?.[1];
    if (stop !== undefined) return report(context, await context.session.stopShell(stop));
    if (args !== "") return tell(context, "/shells lists them, /shells stop bg_1 ends one.", "error");
    await roster(context);
  },
};

/** The list, again and again, until the person leaves it: what ended meanwhile is no longer in it. */
async function roster(context: CommandContext): Promise<void> {
  for (;;) {
    const { shells, ports } = context.session.background();
    if (shells.length === 0) return tell(context, "No background shell runs.");
    const chosen = await context.choose({
      title: `${several(shells.length, "background shell")}`,
      body: (width) =>
        ports.flatMap(({ port, at }) => paragraph(`port ${port} of the copy: http://127.0.0.1:${at}/`, width, "dim")),
      choices: shells.map(({ id, command }) => ({ id, label: id, more: exactRow(command) })),
    });
    const shell = shells.find(({ id }) => id === chosen);
    if (shell === undefined) return;
    if (!(await open(shell, context))) return;
  }
}

/** True: back to the list. */
async function open({ id, command }: { id: string; command: string }, context: CommandContext): Promise<boolean> {
  for (;;) {
    const output = await context.session.beside.peek(id);
    const chosen = await context.choose({
      title: `${id} ${exactRow(command)}`,
      body: (width) => outputLines(output, width),
      choices: [
        { id: "again", label: "look again" },
        { id: "back", label: "back to the list" },
        { id: "stop", label: "end it", more: "with all that it started" },
      ],
      keys: { r: "again" },
    });
    if (chosen === "stop") report(context, await context.session.stopShell(id));
    if (chosen !== "again") return chosen !== undefined;
  }
}

const ROWS = 200;

function outputLines(output: string | undefined, width: number): Line[] {
  if (output === undefined) return [line("It is gone.", "dim")];
  const rows = clean(output.trimEnd()).split("\n").slice(-ROWS);
  if (rows.length === 1 && rows[0] === "") return [line("No output yet.", "dim")];
  return rows.flatMap((row) => wrap(line(row), { width, hard: true }));
}
