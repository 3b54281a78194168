import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { installed } from "../support/npm.ts";
import { AGENT, agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";

const run = promisify(execFile);
const MINUTES = 15 * 60_000;
const turns = [
  { text: "I read it.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
  { calls: [{ name: "Edit", input: { file_path: "a.txt", old_string: "two", new_string: "2" } }] },
  { text: "It is done." },
];

function withFile(): Place {
  const at = place();
  writeFileSync(join(at.folder, "a.txt"), "one\ntwo\n");
  return at;
}
const file = (at: Place): string => readFileSync(join(at.folder, "a.txt"), "utf8");

describe("programs of others, from the registry", () => {
  it(
    "U5: acpx, a client of the Agent Client Protocol, lands what it allows and nothing else",
    async (ctx) => {
      const { dir, missing } = await installed("acpx@0.19.1");
      needs(ctx, missing);
      for (const [flag, left] of [
        ["--approve-all", "one\n2\n"],
        ["--deny-all", "one\ntwo\n"],
      ]) {
        const at = withFile();
        const agent = `${process.execPath} ${AGENT} --model ${scriptFile(at, { turns })} acp`;
        const acpx = [join(dir, "node_modules/acpx/dist/cli.js"), String(flag), "--agent", agent, "exec", "change it"];
        const done = await run(process.execPath, acpx, { cwd: at.folder, env: agentEnv(at) }).catch(
          (error: { stdout: string }) => error,
        );
        expect(done.stdout).toContain("[tool] Edit a.txt");
        expect(file(at)).toBe(left);
      }
    },
    MINUTES,
  );

  it(
    "U4: the protocol's inspector lists the tools of agent mcp serve, and runs one",
    async (ctx) => {
      const { dir, missing } = await installed("@modelcontextprotocol/inspector@2.12.0");
      needs(ctx, missing);
      const at = withFile();
      const inspect = async (...words: readonly string[]): Promise<unknown> => {
        const command = [
          process.execPath,
          AGENT,
          "--mode",
          "auto",
          "--model",
          scriptFile(at, { turns }),
          "mcp",
          "serve",
        ];
        const cli = [join(dir, "node_modules/.bin/mcp-inspector"), "--cli", ...words, "--", ...command];
        const { stdout } = await run(process.execPath, cli, { cwd: at.folder, env: agentEnv(at) });
        return JSON.parse(stdout);
      };
      expect(await inspect("--method", "tools/list")).toMatchObject({
        tools: ["run", "answer", "sessions", "session"].map((name) => ({ name })),
      });
      const ran = await inspect("--method", "tools/call", "--tool-name", "run", "--tool-arg", "prompt=change it");
      expect(ran).toMatchObject({ structuredContent: { reason: "done", text: "It is done." } });
      expect(file(at)).toBe("one\n2\n");
    },
    MINUTES,
  );

  it(
    "U4: three public servers of a folder's .mcp.json are started, listed and called",
    async (ctx) => {
      const names = ["filesystem", "everything", "memory"];
      const { dir, missing } = await installed(
        ...names.map((name) => `@modelcontextprotocol/server-${name}@2026.8.31`),
      );
      needs(ctx, missing);
      const at = withFile();
      const script = (name: string) => join(dir, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
      const mcpServers = {
        filesystem: { command: process.execPath, args: [script("filesystem"), at.folder] },
        everything: { command: process.execPath, args: [script("everything")] },
        memory: {
          command: process.execPath,
          args: [script("memory")],
          env: { MEMORY_FILE_PATH: join(at.home, "memory.json") },
        },
      };
      writeFileSync(join(at.folder, ".mcp.json"), JSON.stringify({ mcpServers }));
      const calls = [
        { name: "mcp__filesystem__read_text_file", input: { path: join(at.folder, "a.txt") } },
        { name: "mcp__everything__echo", input: { message: "hello there" } },
        {
          name: "mcp__memory__create_entities",
          input: { entities: [{ name: "tea", entityType: "drink", observations: ["green"] }] },
        },
      ];
      const model = scriptFile(at, {
        turns: [
          // It waits for servers that are on their way, as a model that knows no tool of theirs yet.
          ...names.map((query) => ({ calls: [{ name: "ToolSearch", input: { query } }] })),
          ...calls.map((input) => ({ calls: [{ name: "CallTool", input }] })),
          { text: "Called." },
        ],
      });
      expect((await runAgent(at, ["trust", "add"])).code).toBe(0);
      const allow = calls.flatMap(({ name }) => ["--allow", name]);
      const done = await runAgent(at, ["-p", "--output-format", "stream-json", "--model", model, ...allow, "go"]);
      expect(done.code).toBe(0);
      expect(done.out).toContain("hello there");
      expect(done.out).toContain("one\\ntwo");
      expect(readFileSync(join(at.home, "memory.json"), "utf8")).toContain("green");
      for (const name of names) {
        const tried = await runAgent(at, ["mcp", "test", name]);
        expect(tried.out).toContain(`${name} is ready`);
      }
    },
    MINUTES,
  );
});
