import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { AGENT, agentEnv, scriptFile } from "../support/run-agent.ts";
import { place, type Place, type ScriptInput } from "../support/session.ts";

const read = { calls: [{ name: "Read", input: { file_path: "a.txt" } }] };
const plan = { calls: [{ name: "ExitPlan", input: { title: "Make it" } }] };
const edit = { calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "two", new_string: "2" } }] };

function withFile(): Place {
  const at = place();
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\nthree\n");
  return at;
}
const file = (at: Place): string => readFileSync(join(at.folder, "a.txt"), "utf8");

/** The protocol's own client on the real program. */
async function clientOf(at: Place, script: ScriptInput, args: readonly string[] = []): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const model = scriptFile(at, script);
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [AGENT, ...args, "--model", model, "mcp", "serve"],
      env: agentEnv(at),
      cwd: at.folder,
      stderr: "ignore",
    }),
  );
  return client;
}

describe("agent mcp serve, called by the protocol's own client", () => {
  it("U4: a run does a whole query by its rules; nobody to ask means no, and no caller goes beyond the mode", async () => {
    const at = withFile();
    const client = await clientOf(at, { turns: [read, edit, { text: "It is done." }, plan] }, ["--mode", "ask"]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["run", "answer", "sessions", "session"]);
    const more = await client.callTool({ name: "run", arguments: { prompt: "change it", mode: "auto" } });
    expect(more.isError).toBe(true);
    expect(JSON.stringify(more.content)).toContain("more than this server lets");
    const seen: (string | undefined)[] = [];
    const ran = await client.callTool(
      { name: "run", arguments: { prompt: "change it" } },
      { onprogress: ({ message }) => void seen.push(message) },
    );
    expect(file(at)).toBe("one\ntwo\nthree\n");
    expect(ran.structuredContent).toMatchObject({ denials: [{ tool: "Edit", by: "nobody" }] });
    expect(seen).toEqual(["Read", "Edit"]);
    const session = String(Reflect.get(ran.structuredContent ?? {}, "session_id"));
    const planned = await client.callTool({ name: "run", arguments: { prompt: "plan it", mode: "plan", session } });
    expect(planned.structuredContent).toMatchObject({ reason: "waiting" });
    const lifted = await client.callTool({ name: "answer", arguments: { session, answers: ["Go on in auto"] } });
    expect(JSON.stringify(lifted.content)).toContain("waits for a person: agent --resume");
    const wrong = await client.callTool({ name: "run", arguments: { prompt: "x", folder: "/" } });
    expect(JSON.stringify(wrong.content)).toContain("the input does not fit");
  });

  it("U4: in auto mode it lands what the rules let; sessions and what was said can be read", async () => {
    const at = withFile();
    const client = await clientOf(at, { turns: [read, edit, { text: "It is done." }] }, ["--mode", "auto"]);
    const ran = await client.callTool({ name: "run", arguments: { prompt: "change it", max_turns: 10 } });
    expect(ran.structuredContent).toMatchObject({ reason: "done", text: "It is done." });
    expect(file(at)).toBe("one\n2\nthree\n");
    const id = String(Reflect.get(ran.structuredContent ?? {}, "session_id"));
    const list = await client.callTool({ name: "sessions", arguments: {} });
    expect(list.structuredContent).toMatchObject({ sessions: [{ id, name: "change it" }] });
    const text = await client.callTool({ name: "session", arguments: { session: id } });
    expect(JSON.stringify(text.content)).toContain("It is done.");
    const none = await client.callTool({ name: "session", arguments: { session: "../x" } });
    expect(none.isError).toBe(true);
  });
});
