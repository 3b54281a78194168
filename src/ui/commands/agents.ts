import type { AgentRow } from "../../session/agents-live.ts";
import { paragraph } from "../prompt/panel.ts";
import { agentCounts } from "../render/agent.ts";
import { clean, cleanRow, exactRow } from "../render/clean.ts";
import { line, type Line, wrap } from "../render/spans.ts";
import { several } from "../render/units.ts";
import type { Command, CommandContext } from "./command.ts";
import { report, tell } from "./tell.ts";

/** The live roster of sub-agents: looks into one, ends one. */
export const agentsCommand: Command = {
  name: "agents",
  args: "[stop ID|kinds]",
  text: "Sub-agents: those at work, what they do; ends one",
  always: true,
  run: async (args, context) => {
    const stop = /^stop (\S+)$/.exec(args)?.[1];
    if (stop !== undefined) return report(context, context.session.agents.stop(stop));
    if (args === "kinds") return kinds(context);
    if (args !== "")
      return tell(
        context,
        "/agents lists them, /agents stop a1 ends one, /agents kinds says which there are.",
        "error",
      );
    await roster(context);
  },
};

function kinds(context: CommandContext): void {
  const rows = context.session.agents.kinds();
  context.say((width) =>
    rows.flatMap(({ name, description, source, file, mode, model }) => {
      const where = file === undefined ? source : `${source}, ${file}`;
      const more = [mode === undefined ? "" : `at most ${mode} mode`, model ?? ""].filter((w) => w !== "").join(", ");
      return wrap(
        [
          { text: cleanRow(name), style: "bold" },
          { text: `  ${cleanRow(description)}` },
          { text: `  (${cleanRow(where)}${more === "" ? "" : `; ${cleanRow(more)}`})`, style: "dim" },
        ],
        { width },
      );
    }),
  );
}

/** The list, again and again, until the person leaves it. */
async function roster(context: CommandContext): Promise<void> {
  for (;;) {
    const rows = context.session.agents.roster();
    if (rows.length === 0)
      return tell(context, "No sub-agent was started in this session. /agents kinds says which there are.");
    const working = rows.filter(isAtWork).length;
    const chosen = await context.choose({
      title: `${several(rows.length, "sub-agent")}, ${working} at work`,
      body: (width) => paragraph("Each has a log of its own: agent trace ID", width, "dim"),
      choices: rows.map((row) => ({ id: row.id, label: shortId(row), more: exactRow(rowText(row)) })),
    });
    const row = rows.find(({ id }) => id === chosen);
    if (row === undefined) return;
    if (!(await open(row.id, context))) return;
  }
}

function isAtWork({ ended, left }: AgentRow): boolean {
  return ended === undefined && left !== true;
}

function shortId({ id, depth }: AgentRow): string {
  return `${"  ".repeat(depth - 1)}${id.slice(id.lastIndexOf("-") + 1)}`;
}

/** One row: what it is, how it stands, what it used. */
export function rowText(row: AgentRow): string {
  const { agent, description, ended, left, doing = "" } = row;
  const now = ended ?? (left === true ? "left by the last run" : doing === "" ? "begins" : doing);
  return `${agent} · ${description} · ${now} · ${agentCounts(row)}`;
}

/** True: back to the list. */
async function open(id: string, context: CommandContext): Promise<boolean> {
  for (;;) {
    const row = context.session.agents.roster().find((r) => r.id === id);
    if (row === undefined) return true;
    const works = isAtWork(row);
    const chosen = await context.choose({
      title: exactRow(`${shortId(row).trim()} ${row.agent}: ${row.description}`),
      body: (width) => peekLines(row, context.session.agents.peek(id), width),
      choices: [
        ...(works ? [{ id: "again", label: "look again" }] : []),
        { id: "back", label: "back to the list" },
        ...(works ? [{ id: "stop", label: "end it", more: "with all that it started; who started it goes on" }] : []),
      ],
      keys: { r: "again" },
    });
    if (chosen === "stop") report(context, context.session.agents.stop(id));
    if (chosen !== "again") return chosen !== undefined;
  }
}

function peekLines(row: AgentRow, lines: readonly string[] | undefined, width: number): Line[] {
  const head = wrap(line(cleanRow(`${agentCounts(row)} · ${row.model}`), "dim"), { width });
  const said = lines ?? [row.ended === undefined ? "It works no more." : `It ended: ${row.ended}.`];
  return [...head, ...said.flatMap((text) => wrap(line(clean(text)), { width }))];
}
