import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../../src/model/scripted.ts";
import { programQuery, toEnd } from "../../../src/session/program-session.ts";
import { place } from "../../support/session.ts";

const SCRIPT = resolve(import.meta.dirname, "../../support/mcp-server.mjs");
const files = { command: process.execPath, args: [SCRIPT] };
const call = { name: "CallTool", input: { name: "mcp__files__ping", input: {} } };

function options(allow: readonly string[]): Parameters<typeof programQuery>[1] {
  const at = place();
  return {
    folder: at.folder,
    env: { PATH: "/usr/bin:/bin", HOME: at.home },
    dirs: { config: at.config, state: join(at.state, "understudy") },
    model: scriptedModel({
      turns: [{ calls: [{ name: "ToolSearch", input: { query: "ping" } }] }, { calls: [call] }, { text: "Done." }],
    }),
    mcpServers: { files },
    allow,
  };
}

describe("tool servers of a program", () => {
  it("U3: its session calls them by the person's rules, and is denied without one", async () => {
    const allowed = await toEnd(programQuery("go", options(["mcp__files__ping"])));
    expect(allowed).toMatchObject({ reason: "done", denials: [] });
    const denied = await toEnd(programQuery("go", options([])));
    expect(denied.denials).toMatchObject([{ tool: "mcp__files__ping", by: "nobody" }]);
  });

  it.each([
    [{ program: files }, "is the program's own name"],
    [{ "a b": files }, "a server's name has"],
    [{ files: { url: "ftp://x" } }, "is no http or https address"],
  ])("U3: what can't be used is refused before anything is open", async (mcpServers, words) => {
    await expect(programQuery("go", { ...options([]), mcpServers }).next()).rejects.toThrow(words);
  });
});
