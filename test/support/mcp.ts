import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ServerConfig } from "../../src/mcp/config.ts";
import { Servers } from "../../src/mcp/servers.ts";
import type { ReadServers } from "../../src/session/mcp-files.ts";
import { builtinTools } from "../../src/tools/builtin.ts";
import { systemClock } from "../../src/util/system.ts";
import { scratch } from "./scratch.ts";

const SCRIPT = join(import.meta.dirname, "mcp-server.mjs");

/** A server of `mcp-server.mjs` that behaves in these ways. */
export function server(name: string, ways: object = {}, more: Partial<ServerConfig> = {}): ServerConfig {
  return {
    name,
    source: "user",
    file: "settings.json",
    run: { kind: "stdio", command: process.execPath, args: [SCRIPT], env: { WAYS: JSON.stringify(ways) } },
    enabled: true,
    startMs: 10_000,
    callMs: 10_000,
    ...more,
  };
}

/** As settings name them. */
export function named(...own: ServerConfig[]): { servers: () => ReadServers } {
  return { servers: () => ({ own, brought: [], notices: [] }) };
}

/** Servers that have started, and end with the test. */
export async function started(configs: readonly ServerConfig[], at = scratch("mcp")): Promise<Servers> {
  const servers = new Servers(builtinTools, join(at, "seen.json"), {
    folder: at,
    roots: () => [at],
    home: at,
    trusted: () => true,
    env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "CANARY-KEY", MY_TOKEN: "CANARY-TOKEN" },
    clock: systemClock,
    version: "1",
  });
  onTestFinished(() => servers.close());
  servers.begin(configs);
  await servers.settled(new AbortController().signal, 20_000);
  return servers;
}

/** One tool as a server lists it. */
export function tool(name: string, more: object = {}): object {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { q: { type: "string" } } },
    ...more,
  };
}
