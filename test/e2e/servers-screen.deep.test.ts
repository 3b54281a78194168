import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { press } from "../support/press.ts";
import { agentEnv, scriptFile } from "../support/run-agent.ts";
import { place } from "../support/session.ts";
import { openTerminal, RESTORED } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const SCRIPT = resolve(import.meta.dirname, "../support/mcp-server.mjs");
const QUESTION = /1 +yes/i;
const tracker = {
  command: process.execPath,
  args: [SCRIPT],
  env: { WAYS: JSON.stringify({ result: { content: [{ type: "text", text: "ticket 41 is open" }] } }) },
};

describe("tool servers on the screen", () => {
  it("U4: a call asks with all that is sent, a yes runs it, a no does not, and /mcp shows how the server stands", async () => {
    const at = place("servers-screen");
    mkdirSync(at.config, { recursive: true });
    writeFileSync(join(at.config, "settings.json"), JSON.stringify({ mcpServers: { tracker } }));
    const call = { calls: [{ name: "CallTool", input: { name: "mcp__tracker__ping", input: { q: "41 please" } } }] };
    const search = { calls: [{ name: "ToolSearch", input: { query: "ping" } }] };
    const model = scriptFile(at, { turns: [search, call, { text: "First done." }, call, { text: "Second done." }] });
    const t = openTerminal(process.execPath, [program, "--model", model], {
      cols: 100,
      rows: 40,
      cwd: at.folder,
      env: agentEnv(at),
    });
    await t.waitFor("what shall be done?");
    t.type("look it up\r");
    await t.waitFor("41 please");
    await press(t, QUESTION, "1", "First done.");
    await t.waitFor("ticket 41 is open");
    t.type("again\r");
    await press(t, QUESTION, "3", (rows) => !QUESTION.test(rows.join("\n")));
    t.type("/mcp\r");
    await t.waitFor(/tracker.*ready/);
    t.type("/exit\r");
    expect(await t.exited).toBe(0);
    expect(t.modes()).toEqual(RESTORED);
    const sessions = join(at.state, "understudy", "sessions");
    const log = readdirSync(sessions)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(sessions, name), "utf8"))
      .join("");
    expect([...log.matchAll(/"type":"call.started"[^\n]*mcp__tracker__ping/g)]).toHaveLength(1);
  });
});
