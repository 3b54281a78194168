import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serverLines } from "../../../src/cli/doctor-servers.ts";
import { place } from "../../support/session.ts";

describe("tool servers in agent doctor", () => {
  it("U4: each is told with what keeps it from starting, keys and values of variables aside", () => {
    const at = place();
    const mcpServers = {
      good: { command: "node", args: ["server.js"] },
      keyless: { url: "https://example.com/mcp", headers: { Authorization: "Bearer ${TRACKER_TOKEN}" } },
      off: { command: "node", enabled: false },
    };
    writeFileSync(join(at.config, "settings.json"), JSON.stringify({ mcpServers }));
    writeFileSync(join(at.folder, ".mcp.json"), JSON.stringify({ mcpServers: { theirs: { command: "x" } } }));
    const lines = serverLines({ configDir: at.config, folder: at.folder }, {});
    expect(lines.map(([name]) => name)).toEqual(["servers", "", "", ""]);
    expect(lines.map(([, text]) => text)).toEqual([
      "good: node server.js (agent mcp test good tries it)",
      "keyless: https://example.com/mcp (the environment variable TRACKER_TOKEN is not set; set it, or write ${TRACKER_TOKEN:-something})",
      "off: node (turned off)",
      "theirs: x (the folder's, used while it is trusted; agent mcp test theirs tries it)",
    ]);
  });

  it("U4: what a screen would not show of a command is written out", () => {
    const at = place();
    const mcpServers = { odd: { command: "a\u202eb\u0085c\u2028d" } };
    writeFileSync(join(at.config, "settings.json"), JSON.stringify({ mcpServers }));
    const [line] = serverLines({ configDir: at.config, folder: at.folder }, {});
    expect(line?.[1]).toContain(String.raw`a\u{202e}b\u{85}c\u{2028}d`);
  });

  it("U4: where there is none, the row says how one is named", () => {
    const at = place();
    expect(serverLines({ configDir: at.config, folder: at.folder }, {})).toEqual([
      ["servers", "no tool servers: agent mcp add NAME -- command names one"],
    ]);
  });
});
