import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { expanded } from "../../../src/mcp/config.ts";
import { readServers } from "../../../src/session/mcp-files.ts";
import { surveyFolder } from "../../../src/session/trust-survey.ts";
import { openAt, place } from "../../support/session.ts";

const SERVERS = {
  docs: {
    type: "http",
    url: "https://docs.example.test/mcp",
    headers: { "X-A": "${OPENAI_API_KEY}", "X-B": "${LANG}" },
  },
  lint: { command: "node", args: ["server.js", "../more.js"], cwd: "tools", env: { A: "${GEMINI_API_KEY:-none}" } },
};

function folderWith(mcpServers: object) {
  const at = place("mcp-folder");
  mkdirSync(join(at.folder, "tools"));
  for (const file of ["tools/server.js", "more.js"]) writeFileSync(join(at.folder, file), "1");
  writeFileSync(join(at.folder, ".mcp.json"), JSON.stringify({ mcpServers }));
  return at;
}

describe("servers that a folder brings", () => {
  it("H5: shown with their headers, environment and cwd, and the person's variables that they ask for", () => {
    const { folder } = folderWith(SERVERS);
    expect(surveyFolder(folder).parts.map(({ runs }) => runs)).toEqual([
      [
        "https://docs.example.test/mcp",
        "header X-A: '${OPENAI_API_KEY}'",
        "header X-B: '${LANG}'",
        "is given your LANG",
        "asks for OPENAI_API_KEY, and is not given that",
      ],
      [
        "node server.js ../more.js",
        "in tools",
        "with A='${GEMINI_API_KEY:-none}'",
        "asks for GEMINI_API_KEY, and is not given that",
        "file tools/server.js",
        "file more.js",
      ],
    ]);
  });

  it.each(["tools/server.js", "more.js"])("H5: the trust ends when %s, named from its cwd, changes", (file) => {
    const { folder } = folderWith(SERVERS);
    const before = surveyFolder(folder).hash;
    writeFileSync(join(folder, file), "other");
    expect(surveyFolder(folder).hash).not.toBe(before);
  });

  it("mcp-010: they get no variable that holds a key by its name", () => {
    const { folder, config } = folderWith(SERVERS);
    const { brought } = readServers({ configDir: config, folder });
    const env = { OPENAI_API_KEY: "CANARY", GEMINI_API_KEY: "CANARY", LANG: "t", AGENT_PROJECT_DIR: folder };
    const [docs, lint] = brought;
    if (docs === undefined || lint === undefined) throw new Error("no servers");
    expect(() => expanded(docs, env)).toThrow("it wants OPENAI_API_KEY, which a folder's file gets from nobody");
    expect(expanded(lint, env)).toMatchObject({ env: { A: "none" } });
  });

  it("H5: one whose file changed since is not started again by itself, and says so", async () => {
    const script = (more: string) => `${more};
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method, params } = JSON.parse(line);
        const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } } : { tools: [] };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });
      require("node:fs").watchFile(__dirname + "/end", { interval: 50 }, ({ ino }) => ino === 0 || process.exit(0));`;
    const at = folderWith({
      s: { command: process.execPath, args: ["server.js"], cwd: "tools", env: { K: "${MY_TOKEN:-no}" } },
    });
    const file = join(at.folder, "tools/server.js");
    writeFileSync(file, script(""));
    const servers = () => readServers({ configDir: at.config, folder: at.folder });
    const session = await openAt(at, { more: { servers, trusted: "person" } });
    await session.servers.settled(10_000, new AbortController().signal);
    expect(session.servers.rows()).toMatchObject([
      {
        status: "ready",
        problems: ["it is not given your MY_TOKEN: a folder's file gets only what says where things lie"],
      },
    ]);
    const mark = join(at.home, "MARK");
    writeFileSync(file, script(`require("node:fs").writeFileSync(${JSON.stringify(mark)}, "")`));
    writeFileSync(join(at.folder, "tools/end"), "");
    const why = () => session.servers.rows()[0]?.why ?? "";
    for (let n = 0; n < 400 && !why().includes("changed since") && !existsSync(mark); n++) await pause(25);
    expect(why()).toContain("what it runs changed since you trusted the folder");
    expect(existsSync(mark)).toBe(false);
    await session.servers.reconnect("s");
    expect(existsSync(mark)).toBe(true);
    await session.close();
  });
});
