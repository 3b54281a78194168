import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { startApi } from "../support/api-server.ts";
import { agentEnv } from "../support/run-agent.ts";
import { place } from "../support/session.ts";
import { openTerminal, RESTORED } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");

describe("M2: on the screen", () => {
  it("effort and model are switched, what it means and what was used is said, and the requests follow", async () => {
    const at = place("model-screen");
    const usage = { input: 3000, output: 100, cacheRead: 9000 };
    const api = await startApi((_, n) => ({ turn: { text: `Answer ${n}.`, usage } }));
    const env = agentEnv(at, { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "CANARY-KEY" });
    const t = openTerminal(process.execPath, [program], { cols: 110, rows: 30, cwd: at.folder, env });
    await t.waitFor("what shall be done?");
    t.type("/effort low\r");
    await t.waitFor("Effort is low from now on");
    t.type("hello\r");
    await t.waitFor("Answer 1.");
    await t.waitFor((rows) => rows.join("\n").includes("claude-sonnet-5-5/low"));
    t.type("/model opus 5.5\r");
    await t.waitFor("claude-opus-5-5 answers from now on.");
    await t.waitFor(/about 12,100\s+tokens\s+that\s+are\s+not\s+in\s+its\s+cache,\s+about\s+\$0\.0605/);
    t.type("again\r");
    await t.waitFor("Answer 2.");
    await t.waitFor((rows) => rows.join("\n").includes("claude-opus-5-5/low"));
    t.type("/cost\r");
    await t.waitFor(/claude-sonnet-5-5 +1 +3,000 +100 +9,000 +0 +\$0\.0079/);
    await t.waitFor(/From the cache: 75 % of all/);
    t.type("/exit\r");
    expect(await t.exited).toBe(0);
    expect(t.modes()).toEqual(RESTORED);
    expect(api.breaches).toEqual([]);
    expect(api.requests.map(({ body }) => [body["model"], body["output_config"]])).toEqual([
      ["claude-sonnet-5-5", { effort: "low" }],
      ["claude-opus-5-5", { effort: "low" }],
    ]);
  });
});
