import { type Command, InvalidArgumentError } from "commander";
import type { RunOptions } from "./args.ts";
import type { McpOptions } from "./mcp.ts";

export type McpInvocation = { verb: "mcp"; options: McpOptions } | { verb: "mcp-serve"; options: RunOptions };

/** Files of servers for this run; without the list there are no servers at all. */
export interface McpFlags {
  mcpConfig?: readonly string[];
}

/** What was typed of it. */
export function mcpFlags(o: Record<string, unknown>): McpFlags {
  const { mcpConfig } = o;
  return { mcpConfig: Array.isArray(mcpConfig) ? mcpConfig.filter((f: unknown) => typeof f === "string") : [] };
}

const collect = (value: string, all: readonly string[] = []) => [...all, value];

/** Adds `--mcp-config` and `agent mcp`. `typed`: what stands before the word, for what `serve` runs. */
export function addMcp(program: Command, choose: (i: McpInvocation) => void, typed: () => RunOptions): void {
  program.option("--mcp-config <file>", "tool servers of this file, for this run (repeatable)", collect);
  const mcp = program
    .command("mcp")
    .description("tool servers: list them, add, remove, try one")
    .action(() => choose({ verb: "mcp", options: { act: "list", json: false } }));
  mcp
    .command("list")
    .description("list the servers of this folder's sessions, without starting any")
    .option("--json", "a line of JSON for each", false)
    .action(({ json }: { json: boolean }) => choose({ verb: "mcp", options: { act: "list", json } }));
  mcp
    .command("get <name>")
    .description("show how a server is started or reached")
    .option("--json", "one JSON object", false)
    .action((name: string, { json }: { json: boolean }) =>
      choose({ verb: "mcp", options: { act: "get", name, json } }),
    );
  mcp
    .command("add <name> [command...]")
    .description("name a server: its command behind --, or --url; in your settings, not in the folder")
    .option("--url <address>", "a server elsewhere, over HTTP")
    .option(
      "-e, --env <NAME=value>",
      "for its environment; '${NAME}' stands for a variable of yours (repeatable)",
      collect,
    )
    .option("-H, --header <Name: value>", "for each request to the url (repeatable)", collect)
    .option("--here", "for this folder alone", false)
    .action((name: string, command: string[], o: AddWords) =>
      choose({
        verb: "mcp",
        options: {
          act: "add",
          name,
          command,
          env: o.env ?? [],
          headers: o.header ?? [],
          here: o.here,
          ...(o.url === undefined ? {} : { url: o.url }),
        },
      }),
    );
  mcp
    .command("remove <name>")
    .description("take a server out of your settings")
    .option("--here", "out of those for this folder", false)
    .action((name: string, { here }: { here: boolean }) =>
      choose({ verb: "mcp", options: { act: "remove", name, here } }),
    );
  mcp
    .command("auth <name>")
    .description("sign in at a server in the browser; what comes of it is kept where keys are")
    .option("--forget", "forget the sign-in", false)
    .option("--client-id <id>", "of a program that you registered at the service, where it registers none by itself")
    .option("--port <number>", "on 127.0.0.1, for the address that the browser comes back to (default: any)", portIn, 0)
    .action((name: string, o: { forget: boolean; clientId?: string; port: number }) =>
      choose({
        verb: "mcp",
        options: {
          act: "auth",
          name,
          forget: o.forget,
          port: o.port,
          ...(o.clientId === undefined ? {} : { clientId: o.clientId }),
        },
      }),
    );
  mcp
    .command("serve")
    .description("be a tool server for other agents, on stdin and stdout; options stand before the words mcp serve")
    .action(() => choose({ verb: "mcp-serve", options: typed() }));
  mcp
    .command("test <name>")
    .description("start a server, list its tools, end it")
    .option("--json", "one JSON object", false)
    .action((name: string, { json }: { json: boolean }) =>
      choose({ verb: "mcp", options: { act: "test", name, json } }),
    );
}

function portIn(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError("a port is 1 to 65535.");
  return port;
}

interface AddWords {
  url?: string;
  env?: string[];
  header?: string[];
  here: boolean;
}
