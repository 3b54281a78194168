import type { ServerRow } from "../../mcp/servers.ts";
import { sanitize, visible } from "../../util/visible.ts";
import { several } from "../render/units.ts";
import type { Style } from "../theme.ts";
import type { Command, CommandContext } from "./command.ts";
import { report, tell } from "./tell.ts";

const USE = "/mcp lists servers, /mcp NAME shows one; /mcp reconnect NAME, /mcp off NAME, /mcp on NAME turn it.";

/** The tool servers: how each stands and why, what it offers; turns one (U4). */
export const mcpCommand: Command = {
  name: "mcp",
  args: "[reconnect|off|on NAME]",
  text: "Tool servers: how they stand, what they offer; turns one",
  always: true,
  run: async (args, context) => {
    const { servers } = context.session;
    const [first = "", name = "", more] = args.split(/\s+/);
    if (more !== undefined) return tell(context, USE, "error");
    if (name === "") return show(first, context);
    if (first === "reconnect" || first === "on") {
      tell(context, `${visible(name, "")} is started anew …`);
      return report(context, await servers.reconnect(name));
    }
    if (first === "off") return report(context, await servers.turn(name, false));
    tell(context, USE, "error");
  },
};

function show(name: string, context: CommandContext): void {
  const { servers } = context.session;
  const rows = servers.rows();
  const one = rows.find((row) => row.name === name);
  if (name !== "" && one === undefined)
    return tell(context, `There is no server ${visible(name, "")}. ${USE}`, "error");
  if (rows.length === 0)
    tell(context, "There are no tool servers. agent mcp add NAME -- command names one (docs/mcp.md).");
  const lines = one === undefined ? rows.map(serverLine) : [serverLine(one), ...detailLines(one)];
  for (const { text, style } of lines) tell(context, text, style);
  for (const notice of name === "" ? servers.notices : []) tell(context, visible(notice, ""), "warning");
}

interface Row {
  text: string;
  style: Style;
}

/** One server in a row. Pure. */
export function serverLine({
  name,
  status,
  why,
  needsAuth,
  tools,
  resources,
  prompts,
  source,
  problems,
}: ServerRow): Row {
  const offers = [
    several(tools.length, "tool"),
    ...(resources.length === 0 ? [] : [several(resources.length, "resource")]),
    ...(prompts.length === 0 ? [] : [several(prompts.length, "prompt")]),
    ...(problems.length === 0 ? [] : [`${problems.length} left out`]),
  ].join(", ");
  const from = source === "project" ? "the folder's" : source === "flag" ? "typed" : "yours";
  const words = {
    ready: `ready, ${offers}`,
    starting: "starting …",
    failed: `${needsAuth === true ? "" : "not there: "}${visible(why ?? "it failed", "")}`,
    off: `turned off${why === undefined ? "" : `: ${visible(why, "")}`}`,
  }[status];
  return { text: `${name} (${from}): ${words}`, style: status === "failed" ? "error" : "dim" };
}

/** All that is known of one. Pure. */
export function detailLines({ line, file, tools, resources, prompts, problems, tail, name }: ServerRow): Row[] {
  const dim = (text: string): Row => ({ text, style: "dim" });
  const first = (words: string) => (words === "" ? "" : `  ${(words.split("\n")[0] ?? "").slice(0, 120)}`);
  return [
    dim(`  ${visible(line, "")}  (${visible(file, "")})`),
    ...tools.map((tool) => dim(`  ${tool.name}${first(tool.description)}`)),
    ...resources.slice(0, 50).map(({ uri, name: called }) => dim(`  @${name}:${visible(uri, "")}  ${called}`)),
    ...prompts.map((prompt) => dim(`  /${name}:${prompt.name}${first(prompt.description)}`)),
    ...problems.map((problem) => ({ text: `  ${visible(problem, "")}`, style: "warning" as const })),
    ...tail.map((said) => dim(`  it said: ${said}`)),
  ];
}

/** `/server:prompt words`: what it stands for comes into the composer, where the person reads it before it is sent. */
export function promptCommand(name: string): Command | undefined {
  const [, server, prompt] = /^([\w-]+):([\w.-]+)$/.exec(name) ?? [];
  if (server === undefined || prompt === undefined) return undefined;
  return {
    name,
    text: "a prompt of a server's",
    always: true,
    run: async (args, context) => {
      const { content } = await context.session.servers.prompt(server, prompt, args, new AbortController().signal);
      const words = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
      if (words.trim() === "") tell(context, `${name} says nothing.`);
      else context.draft(asWords(words, name));
    },
  };
}

/** A server must not write a command, a shell line or a note that Enter would carry out: words that begin as one say whose they are first. */
function asWords(words: string, name: string): string {
  const clean = sanitize(words).trim();
  return /^[!/#]/.test(clean) ? `${name} says:\n${clean}` : clean;
}
