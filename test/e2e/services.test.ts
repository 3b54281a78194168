import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApi, type Answer } from "../support/api-server.ts";
import { startChatServer } from "../support/chat-server.ts";
import { runAgent } from "../support/run-agent.ts";
import { place } from "../support/session.ts";

const SECRETS = {
  OPENAI_API_KEY: "CANARY-openai-1",
  ANTHROPIC_API_KEY: "CANARY-anthropic-2",
  AWS_BEARER_TOKEN_BEDROCK: "CANARY-bedrock-3",
  CLOUDSDK_AUTH_ACCESS_TOKEN: "CANARY-vertex-4",
};

/** Every file below a folder that holds these bytes. */
function holding(dir: string, needle: string): string[] {
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((file) => join(dir, file));
  return files.filter((file) => statSync(file).isFile() && readFileSync(file).includes(needle));
}

describe("M1: a service that speaks chat completions", () => {
  it("does a whole task over it; no command, request or file sees a key", async () => {
    const at = place("services");
    writeFileSync(join(at.folder, "a.txt"), "hello\n");
    const calls = [
      { name: "Read", input: { file_path: "a.txt" } },
      { name: "Bash", input: { command: "env; cat a.txt" } },
    ];
    const server = await startChatServer(
      (n) => ({ turn: n === 1 ? { text: "Both.", calls } : { text: "It says hello." } }),
      {
        key: SECRETS.OPENAI_API_KEY,
      },
    );
    const env = { ...SECRETS, OPENAI_BASE_URL: server.url };
    const run = await runAgent(at, ["-p", "what is in a.txt?", "--model", "openai:gpt-x", "--effort", "low"], env);
    expect({ code: run.code, out: run.out }).toEqual({ code: 0, out: "It says hello.\n" });
    expect(server.breaches).toEqual([]);
    const [first, second] = server.requests;
    expect(first?.body).toMatchObject({ model: "gpt-x", reasoning_effort: "low" });
    expect(second?.raw.match(/hello/g)?.length).toBeGreaterThanOrEqual(2);
    for (const secret of Object.values(SECRETS)) {
      expect(second?.raw).not.toContain(secret);
      expect(run.err).not.toContain(secret);
      for (const dir of [at.folder, at.config, at.state, at.home]) expect(holding(dir, secret)).toEqual([]);
    }
  });
  it("without a key it says so in one line, exit 1", async () => {
    const at = place("services");
    const none = await runAgent(at, ["-p", "hi", "--model", "openai:gpt-x"]);
    expect(none.code).toBe(1);
    expect(none.err).toMatch(/^agent: No key for openai:gpt-x: set OPENAI_API_KEY, [^\n]*\n$/);
  });
});

describe("M2: agent cost", () => {
  it("out of the log: over two models, a void attempt and a resume; as text, by request and as JSON", async () => {
    const at = place("cost");
    writeFileSync(join(at.folder, "a.txt"), "hello\n".repeat(200));
    const usage = { input: 1000, output: 100, cacheRead: 4000 };
    const read = { calls: [{ name: "Read", input: { file_path: "a.txt" } }], usage };
    const script: Answer[] = [
      { turn: read },
      { turn: { text: "x".repeat(40), usage: { input: 2000, output: 50 } }, fault: { kind: "end", after: 4 } },
      { turn: { text: "Hello.", usage } },
      { turn: { text: "Again.", usage } },
    ];
    const api = await startApi(script);
    const env = { ANTHROPIC_BASE_URL: api.url };
    const first = await runAgent(at, ["-p", "go", "--output-format", "json"], env);
    const id = (JSON.parse(first.out) as { session_id: string }).session_id;
    await runAgent(at, ["-p", "again", "--resume", id, "--model", "claude-mystery-9"], env);
    const told = await runAgent(at, ["cost"], env);
    expect(told.out).toMatch(/claude-sonnet-5-5 +2 +4,000 +2\d\d +8,000 +0 +\$0\.0/);
    expect(told.out).toMatch(/claude-mystery-9 .*cost unknown/);
    expect(told.out).toMatch(/1 attempt broke off[^]*Read +1 +\d/);
    const turns = await runAgent(at, ["cost", id, "--turns"], env);
    expect(
      turns.out
        .trimEnd()
        .split("\n")
        .slice(2)
        .map((row) => row.split(/ {2,}/)[0]),
    ).toEqual(["1.1", "1.2 (asked anew)", "1.2", "2.1"]);
    const json = JSON.parse((await runAgent(at, ["cost", id, "--json"], env)).out) as {
      session_id: string;
      usd?: number;
      models: { usd?: number }[];
      turns: { usd?: number; outcome: string }[];
    };
    expect(json).toMatchObject({ type: "cost", version: 1, session_id: id, agents: [] });
    expect(json.usd).toBeUndefined();
    const known = json.turns.reduce((sum, turn) => sum + (turn.usd ?? 0), 0);
    expect(json.models[0]?.usd).toBeCloseTo(known, 10);
    expect(json.turns.map((turn) => turn.outcome)).toEqual(["kept", "void", "kept", "kept"]);
  });
});
