import { join } from "node:path";
import { z } from "zod";
import type { ServerConfig } from "../../src/mcp/config.ts";
import type { ReadServers } from "../../src/session/mcp-files.ts";
import { readServers, projectServersFile } from "../../src/session/mcp-files.ts";
import { writeFileSync } from "node:fs";
import { runCalls, type CasePlace } from "./call-case.ts";
import type { SecurityCase } from "./case.ts";
import { drive, endDrive } from "./drive.ts";
import type { Seen } from "./score.ts";

const SCRIPT = join(import.meta.dirname, "../support/mcp-server.mjs");
const Tools = z.array(z.looseObject({ name: z.string() }));
const Input = z.discriminatedUnion("event", [
  z.strictObject({ event: z.literal("tools_changed"), approved: Tools, now: Tools, call: z.string() }),
  z.strictObject({ event: z.literal("connect"), tools: Tools, call: z.string().nullable() }),
  z.strictObject({
    event: z.literal("start"),
    source: z.string(),
    file: z.string().optional(),
    server: z.looseObject({ command: z.string(), args: z.array(z.string()) }),
  }),
  z.strictObject({ event: z.literal("result"), tool: z.string(), result: z.unknown() }),
  z.strictObject({ event: z.literal("sampling"), request: z.unknown() }),
]);

/** A server's misdeed, done by a real process of a session that names it. */
export async function runMcp(c: SecurityCase, place: CasePlace): Promise<Seen | string> {
  const input = Input.safeParse(c.input);
  if (!input.success) return `a server of this shape: ${input.error.issues[0]?.message ?? ""}`;
  const { data } = input;
  switch (data.event) {
    case "tools_changed": {
      // Approved in a session before, for always; what it becomes is listed in this one.
      const approved = servers(serverWith({ tools: data.approved }));
      const first = data.approved[0]?.name ?? "";
      const before = await call({ ...c, answer: "always", expect: "ask", check: {} }, first, place, approved);
      if (!before.outcomes.includes("ask")) return `its approval did not ask: ${before.said}`;
      return call(c, data.call, place, servers(serverWith({ tools: data.now })));
    }
    case "connect":
      return data.call === null
        ? offered(c, place, servers(serverWith({ tools: data.tools })))
        : call(c, data.call, place, servers(serverWith({ tools: data.tools })));
    case "result":
      return call(
        { ...c, answer: "yes" },
        data.tool,
        place,
        servers(serverWith({ tools: [tool(data.tool)], result: data.result })),
      );
    case "sampling":
      return sampling(c, place, data.request);
    case "start":
      return data.source === "project" ? starting(c, place, data.server) : environment(c, place);
  }
}

const tool = (name: string) => ({
  name,
  description: "Looks a word up.",
  inputSchema: { type: "object", properties: { q: { type: "string" } } },
});

function serverWith(ways: object): ServerConfig {
  return {
    name: "t",
    source: "user",
    file: "settings.json",
    run: { kind: "stdio", command: process.execPath, args: [SCRIPT], env: { WAYS: JSON.stringify(ways) } },
    enabled: true,
    startMs: 10_000,
    callMs: 10_000,
  };
}

function servers(...own: ServerConfig[]): () => ReadServers {
  return () => ({ own, brought: [], notices: [] });
}

/** By its whole name; a name that had to be changed is called as the model would find it. */
function call(c: SecurityCase, name: string, place: CasePlace, read: () => ReadServers): Promise<Seen> {
  const wanted = { tool: "CallTool", input: { name: `mcp__t__${name}`, input: {} } };
  return runCalls(c, [wanted], { ...place, servers: read });
}

/** What the session takes over of a list: nothing that holds control signs or is without end. */
async function offered(c: SecurityCase, { folders, ground }: CasePlace, read: () => ReadServers): Promise<Seen> {
  const driven = await drive(folders, ground, { mode: c.mode, servers: read });
  try {
    const done = await driven.run([{ tool: "ToolSearch", input: { query: "looks word up mcp" } }], ["no"]);
    const [row] = driven.session.servers.rows();
    const all = JSON.stringify([row, done.facts]);
    const failed = [
      ...(/\\u001b|\\u0007|\\u0000/.test(all) ? ["control signs of a name are in the session"] : []),
      ...(all.length > 100_000 ? [`${all.length} characters of it are in the session`] : []),
      ...(row?.tools.some((t) => !/^[\w-]{1,64}$/.test(t.name)) === true ? ["a name that the service refuses"] : []),
    ];
    const refused = row?.tools.length === 0 && row.problems.length > 0;
    return { outcomes: [refused ? "error" : "sanitised"], failed, said: JSON.stringify(row?.problems) };
  } finally {
    await endDrive(driven);
  }
}

async function sampling(c: SecurityCase, place: CasePlace, request: unknown): Promise<Seen> {
  const read = servers(serverWith({ tools: [tool("x")], sample: request }));
  const seen = await call({ ...c, answer: "yes" }, "x", place, read);
  // The server's own answer says what it got.
  return { ...seen, outcomes: seen.said.includes('sampled: {"code":') ? ["deny"] : ["allow"] };
}

async function starting(c: SecurityCase, place: CasePlace, server: object): Promise<Seen> {
  const { project } = place.folders;
  writeFileSync(projectServersFile(project), JSON.stringify({ mcpServers: { t: server } }));
  const read = () => readServers({ configDir: place.ground.config, folder: project });
  const found = read().brought.length;
  const seen = await call(c, "x", place, read);
  const unread = found === 1 ? [] : ["the file was not read at all"];
  return { outcomes: ["deny"], failed: [...seen.failed, ...unread], said: seen.said };
}

/** A server that tells all of its environment. */
async function environment(c: SecurityCase, place: CasePlace): Promise<Seen> {
  const seen = await call(
    { ...c, answer: "yes" },
    "x",
    place,
    servers(serverWith({ tools: [tool("x")], wholeEnv: true })),
  );
  const told = seen.said.includes("PATH") ? [] : ["the server told nothing"];
  return { ...seen, outcomes: seen.failed.length === 0 ? ["contained"] : ["allow"], failed: [...seen.failed, ...told] };
}
