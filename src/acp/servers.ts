import type { McpServer } from "@agentclientprotocol/sdk";
import { configOf, readOne, type ServerConfig } from "../mcp/config.ts";
import { ServerName } from "../mcp/schema.ts";

const FILE = "the editor's settings";

/** Tool servers that an editor hands over with a session, under names that fit here. What can't be used is told, a line each. Pure. */
export function serversOf(given: readonly McpServer[]): { servers: ServerConfig[]; problems: string[] } {
  const servers: ServerConfig[] = [];
  const problems: string[] = [];
  for (const one of given) {
    const name = nameOf(one.name);
    const read = readOne(name, settingOf(one));
    if (typeof read === "string") problems.push(`The server ${JSON.stringify(one.name)} is not used: ${read}.`);
    else if (servers.some((other) => other.name === name))
      problems.push(`The server ${JSON.stringify(one.name)} is not used: another is called ${name} here.`);
    else servers.push(configOf(name, read, "flag", FILE));
  }
  return { servers, problems };
}

function settingOf(one: McpServer): object {
  const pairs = (list: readonly { name: string; value: string }[]) =>
    list.length === 0 ? undefined : Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ("url" in one) return { type: one.type, url: one.url, ...present("headers", pairs(one.headers)) };
  return { command: one.command, args: one.args, ...present("env", pairs(one.env)) };
}

function present<V>(key: string, value: V | undefined): { [key: string]: V } {
  return value === undefined ? {} : { [key]: value };
}

/** `My Server (beta)` → `My_Server_beta`. */
function nameOf(name: string): string {
  if (ServerName.safeParse(name).success) return name;
  const parts = name.split(/[^A-Za-z0-9-]+/).filter((part) => part !== "");
  return parts
    .join("_")
    .slice(0, 32)
    .replaceAll(/^[-_]+|[-_]+$/g, "");
}
