import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApi, type Answer, type ApiServer } from "../support/api-server.ts";
import { deep } from "../support/deep.ts";
import { runAgent, type AgentRun } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";

const soon = { "retry-after-ms": "1" };
const failing = (status: number): Answer => ({ fault: { kind: "status", status, headers: soon } });
const said = (text: string): Answer => ({ turn: { text } });

function run(at: Place, api: ApiServer, ...args: string[]): Promise<AgentRun> {
  return runAgent(at, ["-p", "go", ...args], { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "k" });
}
const asked = (api: ApiServer): unknown[] => api.requests.map((r) => r.body["model"]);
const BOTH = ["--model", "first", "--fallback-model", "spare"];

function facts(at: Place): Record<string, unknown>[] {
  const dir = join(at.state, "understudy/sessions");
  const [file = ""] = readdirSync(dir).filter((f) => f.endsWith(".jsonl"));
  const lines = readFileSync(join(dir, file), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("S10, M2: a model that stands by", () => {
  it("answers where the first choice is overloaded, is told, and has had its turn with the next message", async () => {
    const at = place("fallback");
    let down = true;
    const api = await startApi(({ body }) =>
      body["model"] === "spare" ? said("Spare here.") : down ? failing(529) : said("First again."),
    );
    const first = await run(at, api, ...BOTH);
    expect([first.code, first.out]).toEqual([0, "Spare here.\n"]);
    expect(first.err).toMatch(/agent: spare stands in: .*overloaded.* \(tried 3 times\)\.\n$/);
    expect(asked(api)).toEqual(["first", "first", "first", "spare"]);
    down = false;
    const second = await run(at, api, "--continue", "--fallback-model", "spare");
    expect([second.code, second.out, second.err]).toEqual([0, "First again.\n", ""]);
    expect(asked(api).slice(4)).toEqual(["first"]);
    const changes = facts(at).filter((f) => f["type"] === "model.changed");
    expect(changes).toMatchObject([
      { model: "spare", by: "fallback" },
      { model: "first", by: "back" },
    ]);
    expect(api.breaches).toEqual([]);
  });

  it("doesn't wait out a long limit, and goes on with the work in the middle of it", async () => {
    const at = place("fallback");
    writeFileSync(join(at.folder, "a.txt"), "hello\n");
    let n = 0;
    const limited: Answer = { fault: { kind: "status", status: 429, headers: { "retry-after": "300" } } };
    const call = { turn: { calls: [{ name: "Read", input: { file_path: "a.txt" } }] } };
    const api = await startApi(({ body }) => (body["model"] === "spare" ? said("Done.") : ++n === 1 ? call : limited));
    writeFileSync(join(at.config, "settings.json"), '{"model":"first","fallbackModel":"spare"}');
    const { code, out } = await run(at, api);
    expect([code, out, asked(api)]).toEqual([0, "Done.\n", ["first", "first", "spare"]]);
    expect(api.requests.at(-1)?.raw).toContain("tool_result");
    expect(api.breaches).toEqual([]);
  });

  it("is never for a refused key, request or name", async () => {
    for (const status of [400, 401, 403, 404].slice(0, deep(2, 4))) {
      const api = await startApi(() => failing(status));
      const { code } = await run(place("fallback"), api, ...BOTH);
      expect([status, code, asked(api)]).toEqual([status, 1, ["first"]]);
    }
  });

  it("where neither can be had, one line names both", async () => {
    const api = await startApi(({ body }) => failing(body["model"] === "spare" ? 503 : 529));
    const at = place("fallback");
    writeFileSync(join(at.config, "settings.json"), '{"retry":{"attempts":2}}');
    const { code, out, err } = await run(at, api, ...BOTH);
    expect([code, out]).toEqual([1, ""]);
    expect(err.split("\n").at(-2)).toMatch(/has a fault \(503\).*\(first before it: .*overloaded.*To go on: agent/);
    expect(asked(api)).toEqual(["first", "first", "spare", "spare"]);
  });

  it("one that can't be is told at once", async () => {
    const api = await startApi(() => said("x"));
    const { code, err } = await run(place("fallback"), api, "--fallback-model", "scripted:nowhere.json");
    expect([code, api.requests.length]).toEqual([2, 0]);
    expect(err).toMatch(/^agent: The fallback model: .*nowhere\.json[^\n]*\n$/);
  });
});
