import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApi, type Answer, type ApiServer, type Script } from "../support/api-server.ts";
import { runAgent, startAgent, type AgentRun } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";

const KEY = "CANARY-KEY-5b21";
const keyed = (api: ApiServer, more: Record<string, string> = {}) => ({
  ANTHROPIC_BASE_URL: api.url,
  ANTHROPIC_API_KEY: KEY,
  ...more,
});

/** The real program against the local server; the server must have found nothing wrong with what it was sent. */
async function print(
  script: Script,
  args: readonly string[],
  at: Place = place("api"),
): Promise<AgentRun & { at: Place; api: ApiServer }> {
  const api = await startApi(script, { key: KEY });
  const run = await runAgent(at, ["-p", ...args], keyed(api));
  expect(api.breaches).toEqual([]);
  return { ...run, at, api };
}

/** Every file below a folder that holds these bytes. */
function holding(dir: string, needle: string): string[] {
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((f) => join(dir, f));
  return files.filter((f) => statSync(f).isFile() && readFileSync(f).includes(needle));
}
const lines = (text: string) =>
  text
    .split("\n")
    .filter((l) => l !== "")
    .map((l): Record<string, unknown> => JSON.parse(l) as Record<string, unknown>);

const TOOL: readonly Answer[] = [
  { turn: { thinking: "I should look.", text: "I look.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] } },
  { turn: { text: "It says hello." } },
];

describe("M1, U2: -p against a server of the Messages API", () => {
  it("text: the answer alone on stdout; the request carries prompt, tools and key", async () => {
    const { code, out, err, api } = await print([{ turn: { text: "Four." } }], ["two and two?"]);
    expect({ code, out, err }).toEqual({ code: 0, out: "Four.\n", err: "" });
    expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(api.requests[0]?.body["messages"])).toContain("two and two?");
    const tools = api.requests[0]?.body["tools"] as { name: string }[];
    expect(tools.map((t) => t.name)).toEqual(expect.arrayContaining(["Bash", "Edit", "Glob", "Grep", "Read", "Write"]));
  });

  it("L4, L6: a tool turn; thinking goes back as it came, the result behind it", async () => {
    const at = place("api");
    writeFileSync(join(at.folder, "a.txt"), "hello\n");
    const { code, out, api } = await print(TOOL, ["what does a.txt say?"], at);
    expect([code, out]).toEqual([0, "It says hello.\n"]);
    const messages = api.requests[1]?.body["messages"] as { role: string; content: Record<string, unknown>[] }[];
    expect(messages.map((m) => m.content.map((b) => b["type"]).join())).toEqual([
      "text,text",
      "thinking,text,tool_use",
      "tool_result",
    ]);
    expect(JSON.stringify(messages[2])).toContain("1\\thello");
  });

  it("json and stream-json: nothing but JSON on stdout", async () => {
    const json = await print(
      [{ turn: { text: "Four.", usage: { input: 7, output: 3 } } }],
      ["--output-format", "json", "hi"],
    );
    expect(lines(json.out)).toMatchObject([
      { type: "result", text: "Four.", reason: "done", usage: { input_tokens: 7, output_tokens: 3 } },
    ]);
    const stream = await print([{ turn: { text: "Four." } }], ["--output-format", "stream-json", "hi"]);
    const types = lines(stream.out).map((e) => e["type"]);
    expect(types).toEqual(
      expect.arrayContaining(["prompt.submitted", "turn.started", "reply.completed", "query.finished"]),
    );
    expect(types.at(-1)).toBe("result");
    expect([json.err, stream.err, json.code, stream.code]).toEqual(["", "", 0, 0]);
  });

  it("S10: a repeat is told on stderr alone", async () => {
    const busy: Answer = { fault: { kind: "status", status: 529, headers: { "retry-after": "0" } } };
    const { code, out, err, api } = await print([busy, { turn: { text: "There." } }], ["hi"]);
    expect([code, out, api.requests.length]).toEqual([0, "There.\n", 2]);
    expect(err).toMatch(/^agent: .*overloaded.*trying again in 0 s\n$/);
  });

  it("S10: a refused key is one line, exit 1, and the key is not in it", async () => {
    const api = await startApi([], { key: "another" });
    const { code, out, err } = await runAgent(place("api"), ["-p", "hi"], keyed(api));
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^agent: [^\n]*refused the key[^\n]*ANTHROPIC_API_KEY[^\n]*\n$/);
    expect(err).not.toContain(KEY);
  });

  it("M3: no key: exit 1, one line that names the key, the demo and local servers", async () => {
    const { code, out, err } = await runAgent(place("api"), ["-p", "hi"]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^agent: [^\n]*ANTHROPIC_API_KEY[^\n]*--model demo[^\n]*local server[^\n]*\n$/);
    const piped = await runAgent(place("api"), [], {}, "hi");
    expect([piped.code, piped.err]).toEqual([1, err]);
    expect((await runAgent(place("api"), [])).code).toBe(2);
  });

  it("M4: what was printed as stream-json plays again without a server, its tools for real", async () => {
    const at = place("api");
    writeFileSync(join(at.folder, "a.txt"), "hello\n");
    const first = await print(TOOL, ["--output-format", "stream-json", "what does a.txt say?"], at);
    const file = join(at.config, "recorded.jsonl");
    writeFileSync(file, first.out);
    writeFileSync(join(at.folder, "a.txt"), "changed\n");
    const again = await runAgent(at, ["-p", "--model", `recorded:${file}`, "--output-format", "stream-json", "again"]);
    expect([again.code, again.err]).toEqual([0, ""]);
    const types = (out: string) => lines(out).map((e) => e["type"]);
    expect(types(again.out)).toEqual(types(first.out));
    expect(again.out).toContain("1\\tchanged");
    expect(lines(again.out).at(-1)).toMatchObject({ text: "It says hello.", cost_usd: 0 });
  });

  it("an answer of 10 MB arrives whole", async () => {
    const text = `${"All work and no play. ".repeat(480_000)}End.`;
    const { code, out } = await print([{ turn: { text, piece: 50_000 } }], ["go"]);
    expect(code).toBe(0);
    expect(out.length).toBe(text.length + 1);
    expect(out === `${text}\n`).toBe(true);
  });

  it("U2: a reader that goes away is no error", async () => {
    const api = await startApi([{ turn: { text: "line\n".repeat(200_000), piece: 50_000 } }]);
    const { child, done } = startAgent(place("api"), ["-p", "--output-format", "stream-json", "go"], keyed(api));
    child.stdout?.once("data", () => child.stdout?.destroy());
    const { code, err } = await done;
    expect(err).toBe("");
    // As of SIGPIPE, unless the work was done before it was noticed.
    expect([0, 141]).toContain(code);
  });
});

describe("S7: SIGINT while the answer streams", () => {
  it("exit 130, the log is whole, and the session goes on", async () => {
    const at = place("api");
    const stalled: Answer = {
      turn: { text: "I am in the middle of something long." },
      fault: { kind: "stall", after: 6, ping: 500 },
    };
    const api = await startApi([stalled, { turn: { text: "Where was I?" } }], { key: KEY });
    const { child, done } = startAgent(at, ["-p", "go"], keyed(api));
    await api.seen(1);
    setTimeout(() => child.kill("SIGINT"), 300);
    const first = await done;
    expect(first.code).toBe(130);
    const sessions = readdirSync(join(at.state, "understudy/sessions")).filter((f) => f.endsWith(".jsonl"));
    expect(sessions).toHaveLength(1);
    const log = lines(readFileSync(join(at.state, "understudy/sessions", sessions[0] ?? ""), "utf8"));
    expect(log.at(-1)).toMatchObject({ type: "query.finished", reason: "interrupted" });
    const id = sessions[0]?.replace(".jsonl", "") ?? "";
    const second = await runAgent(at, ["-p", "--resume", id, "go on"], keyed(api));
    expect([second.code, second.out]).toEqual([0, "Where was I?\n"]);
    expect(api.breaches).toEqual([]);
  });
});

describe("E1, SEC-G9: the key", () => {
  it("is in no file, no child's environment, no request's body and nothing printed", async () => {
    const at = place("api");
    const command =
      "env; cat /proc/self/environ | tr '\\0' '\\n'; cat /proc/$PPID/environ 2>&1 | tr '\\0' '\\n'; echo done";
    const { code, out, err, api } = await print(
      [{ turn: { calls: [{ name: "Bash", input: { command } }] } }, { turn: { text: "Seen." } }],
      ["--output-format", "stream-json", "show the environment"],
      at,
    );
    expect(code).toBe(0);
    expect(out).toContain("PATH=");
    expect([out, err, ...api.requests.map((r) => r.raw)].filter((text) => text.includes(KEY))).toEqual([]);
    for (const dir of [at.state, at.config, at.home, at.folder]) expect(holding(dir, KEY)).toEqual([]);
    expect(holding(at.state, "show the environment")).not.toEqual([]);
  });
});
