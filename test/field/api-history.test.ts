import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { isRecord, type Block } from "../support/api-blocks.ts";
import {
  startApi,
  type Answer,
  type ApiRequest,
  type ApiServer,
  type ApiServerOptions,
  type Script,
} from "../support/api-server.ts";
import { bytesOf, eventsOf, signatureOf, type ApiTurn } from "../support/api-sse.ts";
import { png } from "../support/media.ts";
import { quickClock } from "../support/model.ts";
import { agentEnv, runAgent, type AgentRun } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { collect, openAt, place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const PATIENT = { timeout: 180_000 };
const keyed = (api: ApiServer) => ({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "CANARY-KEY" });
const bash = (command: string, id?: string) => ({ name: "Bash", input: { command }, id });
const look = (file_path: string, id?: string) => ({ name: "Read", input: { file_path }, id });
const fine: Answer = { turn: { text: "fine" } };

/** The real program in a terminal. */
function screen(at: Place, api: ApiServer, args: readonly string[] = []): Terminal {
  return openTerminal(process.execPath, [program, ...args], {
    cols: 100,
    rows: 30,
    cwd: at.folder,
    env: agentEnv(at, keyed(api)),
  });
}
/** Types words, sees them, presses Enter until `then` is shown. */
async function say(terminal: Terminal, words: string, then: string | RegExp): Promise<void> {
  terminal.type(words);
  await terminal.waitFor(words);
  for (let tries = 0; ; tries++) {
    terminal.type("\r");
    try {
      await terminal.waitFor(then, 6000);
      return;
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}
/** The real program without a screen. The server must have taken each of its requests. */
async function print(at: Place, api: ApiServer, args: readonly string[]): Promise<AgentRun> {
  const run = await runAgent(at, ["-p", ...args], keyed(api));
  expect(api.breaches).toEqual([]);
  return run;
}
const server = (script: Script, options: ApiServerOptions = {}) => startApi(script, options);

function logs(at: Place): string[] {
  const dir = join(at.state, "understudy/sessions");
  return readdirSync(dir)
    .filter((f) => f.endsWith(".jsonl"))
    .map((f) => join(dir, f));
}
const sessionOf = (at: Place): string => /([^/]+)\.jsonl$/.exec(logs(at)[0] ?? "")?.[1] ?? "";

interface Sent {
  role: string;
  content: Block[];
}
/** The messages of a request, without breakpoints. */
function sent(api: ApiServer, n: number): Sent[] {
  const list = api.requests[n]?.body["messages"] as Sent[];
  return list.map(({ role, content }) => ({
    role,
    content: content.map((block) =>
      Object.fromEntries(Object.entries(block).filter(([key]) => key !== "cache_control")),
    ),
  }));
}
const textOf = (block: unknown): string =>
  isRecord(block) && Array.isArray(block["content"])
    ? block["content"].map((b: unknown) => (isRecord(b) ? String(b["text"]) : "")).join("\n")
    : isRecord(block)
      ? String(block["text"])
      : "";

function needsCopy(ctx: TestContext): void {
  needs(ctx, missingTool("bwrap"));
}

describe("field reports of the API", PATIENT, () => {
  it("api-assistant-tail: what was said before an interrupt goes back without the white space at its end", async () => {
    const at = place("field");
    const turn: ApiTurn = { text: "Partial answer: \n  ", piece: 16 };
    const events = eventsOf(turn, "m", 1);
    const open = events.findIndex(({ event }) => event === "content_block_stop");
    const api = await server([{ events, fault: { kind: "stall", after: open, ping: 300 } }, fine]);
    const terminal = screen(at, api);
    await terminal.waitFor("what shall be done?");
    await say(terminal, "go", "Partial answer:");
    terminal.type("\x1b");
    await terminal.waitFor(/Stopped by you/);
    await say(terminal, "next", "fine");
    const shown = (await terminal.lines()).join("\n");
    expect(shown).toMatch(/Partial answer:[^]*Stopped by you[^]*next[^]*fine/);
    expect(sent(api, 1).slice(1)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "Partial answer:" }] },
      { role: "user", content: [{ type: "text", text: "next" }] },
    ]);
    expect(api.breaches).toEqual([]);
  });

  it("api-blank-text: blank blocks and empty results never go out, and three spaces send nothing", async (ctx) => {
    needsCopy(ctx);
    const at = place("field");
    const api = await server([
      { turn: { text: "\n\n", calls: [bash("true")] } },
      { turn: {} },
      { turn: { text: "Here I am." } },
      { turn: { text: "Hello to you." } },
    ]);
    const terminal = screen(at, api);
    await terminal.waitFor("what shall be done?");
    await say(terminal, "go", "Here I am.");
    const [, reply, results] = sent(api, 1);
    expect(reply?.content.map((b) => b["type"])).toEqual(["tool_use"]);
    expect(results?.content).toMatchObject([{ type: "tool_result" }]);
    expect(textOf(results?.content[0]).trim()).not.toBe("");
    terminal.type("   ");
    terminal.type("\r");
    terminal.type("\x15");
    await say(terminal, "hi", "Hello to you.");
    expect(api.requests).toHaveLength(4);
    expect(sent(api, 3).at(-1)?.content.at(-1)).toEqual({ type: "text", text: "hi" });
    expect(api.breaches).toEqual([]);
  });

  it("api-cut-tool-input: a call that is cut off each time writes nothing, ends in an error, and leaves a talk that goes on", async () => {
    const at = place("field");
    const turn: ApiTurn = {
      calls: [{ name: "Write", input: {}, broken: '{"file_path":"new.txt","content":"half of it' }],
    };
    const events = eventsOf(turn, "m", 1);
    const stop = events.findIndex(({ event }) => event === "content_block_stop");
    const cut: Answer = { events, fault: { kind: "cut", bytes: bytesOf(events.slice(0, stop)).length } };
    let broken = true;
    const api = await server(() => (broken ? cut : fine));
    const access = { baseUrl: api.url, apiKey: "K" };
    const model = anthropicModel("claude-sonnet-5-5", { access, clock: quickClock(), random: () => 0 });
    const session = await openAt(at, { model, more: { mode: "auto" } });
    const ask = (words: string) =>
      collect(session.submit([{ type: "text", text: words }], new AbortController().signal));
    const first = await ask("go");
    expect(first.result).toMatchObject({ reason: "api-error", detail: expect.stringMatching(/\w/) as string });
    expect(api.requests.length).toBeLessThan(15);
    expect(existsSync(join(at.folder, "new.txt"))).toBe(false);
    broken = false;
    expect((await ask("go on")).result.text).toBe("fine");
    expect(JSON.stringify(sent(api, api.requests.length - 1))).not.toMatch(/tool_use|tool_result|half of it/);
    expect(api.breaches).toEqual([]);
    await session.close();
  });

  it("api-half-emoji: no cut goes through a sign, in results, in the log, in titles; resumed it goes on", async (ctx) => {
    needsCopy(ctx);
    const at = place("field");
    for (const p of ["", "x"]) writeFileSync(join(at.folder, `e${p}.txt`), p + "\u{1F600}".repeat(80_000));
    const calls = [
      bash("cat e.txt"),
      bash("cat ex.txt"),
      look("e.txt"),
      { name: "Grep", input: { pattern: ".", path: "ex.txt", output_mode: "content" } },
    ];
    const api = await server([{ turn: { calls } }, fine, fine], { noReplacement: true });
    expect((await print(at, api, [`x${"\u{1F600}".repeat(300)}`])).code).toBe(0);
    expect((await print(at, api, ["--resume", sessionOf(at), "hi"])).out).toBe("fine\n");
    expect(sent(api, 1)[2]?.content.map((b) => b["is_error"])).toEqual([undefined, undefined, undefined, undefined]);
    for (const line of readFileSync(logs(at)[0] ?? "", "utf8")
      .trimEnd()
      .split("\n"))
      expect(halves(JSON.parse(line))).toEqual([]);
    const listed = await runAgent(at, ["sessions"], keyed(api));
    expect(listed.out).toMatch(/x\u{1F600}/u);
    expect(listed.out).not.toContain("\ufffd");
  });

  it("api-interrupt-pairs: calls that were stopped have their results, in one message, in order, and so after a resume", async (ctx) => {
    needsCopy(ctx);
    const at = place("field");
    const api = await server([
      { turn: { calls: [bash("echo begun; sleep 7300", "A"), bash("sleep 7301", "B")] } },
      { turn: { text: "I go on." } },
      { turn: { text: "Once again." } },
    ]);
    const first = screen(at, api);
    await first.waitFor("what shall be done?");
    await say(first, "go", /begun/);
    first.type("\x1b");
    await first.waitFor(/Stopped by you/);
    await say(first, "go on", "I go on.");
    first.type("/exit\r");
    expect(await first.exited).toBe(0);
    const second = screen(at, api, ["--resume", sessionOf(at)]);
    await second.waitFor("what shall be done?");
    await say(second, "again", "Once again.");
    expect(api.breaches).toEqual([]);
    for (const n of [1, 2]) {
      const results = sent(api, n)[2]?.content ?? [];
      expect(results.map((b) => b["tool_use_id"])).toEqual(n === 1 ? ["A", "B", undefined] : ["A", "B", undefined]);
      for (const result of results.slice(0, 2)) expect(textOf(result)).toMatch(/interrupt|stopped/i);
      expect(textOf(results[2])).toBe("go on");
    }
  });

  it("api-parallel-order: results stand in the calls' order in one message, whichever ended first", async (ctx) => {
    needsCopy(ctx);
    const at = place("field");
    writeFileSync(join(at.folder, "a.txt"), "hi\n");
    const glob = { name: "Glob", input: { pattern: "*.txt" }, id: "C" };
    const api = await server([
      { turn: { text: "I look.", calls: [bash("sleep 2; echo slow", "A"), look("a.txt", "B"), glob] } },
      fine,
    ]);
    expect((await print(at, api, ["go"])).out).toBe("fine\n");
    const last = sent(api, 1).at(-1);
    expect(last?.role).toBe("user");
    expect(last?.content.slice(0, 3).map((b) => b["tool_use_id"])).toEqual(["A", "B", "C"]);
    expect(last?.content.map(textOf).slice(0, 3)).toEqual([
      expect.stringContaining("slow"),
      expect.stringContaining("hi"),
      expect.stringContaining("a.txt"),
    ]);
  });

  it("api-sibling-failure: a call that fails stops none beside it", async (ctx) => {
    needsCopy(ctx);
    const at = place("field");
    writeFileSync(join(at.folder, "a.txt"), "hi\n");
    const api = await server([
      { turn: { calls: [bash("grep zzz a.txt"), look("missing.txt"), bash("echo fine")] } },
      fine,
    ]);
    expect((await print(at, api, ["go"])).code).toBe(0);
    const [grep, read, echo] = sent(api, 1).at(-1)?.content ?? [];
    expect(textOf(grep)).toMatch(/exit code 1/i);
    expect(textOf(read)).toContain("missing.txt");
    expect(read?.["is_error"]).toBe(true);
    expect([textOf(echo).trim(), echo?.["is_error"]]).toEqual(["fine", undefined]);
  });

  it("api-thinking-intact: thoughts come back as they were, between calls and after a resume", async (ctx) => {
    needsCopy(ctx);
    const at = place("field");
    writeFileSync(join(at.folder, "a.txt"), "hi\n");
    const thought = (thinking: string) => ({ type: "thinking", thinking, signature: signatureOf(thinking) });
    const blocks = [
      thought("T1: where is it?\n \u{1F600}"),
      { type: "text", text: "I look." },
      { type: "tool_use", id: "A", name: "Read", input: { file_path: "a.txt" } },
      thought("T2"),
      { type: "redacted_thinking", data: "D+/=" },
      { type: "tool_use", id: "B", name: "Bash", input: { command: "exit 1" } },
    ];
    const api = await server([{ turn: { blocks, stopReason: "tool_use" } }, fine, fine]);
    expect((await print(at, api, ["go"])).code).toBe(0);
    expect((await print(at, api, ["--resume", sessionOf(at), "more"])).code).toBe(0);
    for (const n of [1, 2]) expect(sent(api, n)[1]).toEqual({ role: "assistant", content: blocks });
  });
});

/** The first picture of a result in a request, as the service names it. */
function pictureIn(request: ApiRequest): string | undefined {
  const messages = request.body["messages"] as Sent[];
  for (const [i, { content }] of messages.entries())
    for (const [j, block] of content.entries()) {
      const inner: unknown[] = Array.isArray(block["content"]) ? block["content"] : [];
      const k = inner.findIndex((b) => isRecord(b) && b["type"] === "image");
      if (k >= 0)
        return `messages.${i}.content.${j}.tool_result.content.${k}.image.source.base64.data: it can't be read`;
    }
  return undefined;
}

describe("a request that is refused all the same", PATIENT, () => {
  it("L4: what it was refused for is left out, told, asked without, and stays out after a resume", async () => {
    const at = place("field");
    writeFileSync(join(at.folder, "a.png"), png(3, 4));
    const script = [{ turn: { text: "I look.", calls: [look("a.png")] } }, {}, fine, fine];
    const api = await server(script, { refuses: pictureIn });
    const run = await print(at, api, ["what is in a.png?"]);
    expect([run.code, run.out]).toEqual([0, "fine\n"]);
    expect(run.err).toBe(
      "agent: The service refused the request for a picture (it can't be read). It is left out from here on; asking again.\n",
    );
    expect((await print(at, api, ["--resume", sessionOf(at), "and now?"])).out).toBe("fine\n");
    for (const n of [2, 3])
      expect(textOf(sent(api, n)[2]?.content[0])).toBe(
        "(A picture was here and is not sent: the service refused it, it can't be read.)",
      );
    expect(api.requests).toHaveLength(4);
  });

  it("L6: refused thinking is left out of all that was said before", async () => {
    const at = place("field");
    writeFileSync(join(at.folder, "a.txt"), "hi\n");
    let strange = false;
    const refuses = ({ raw }: ApiRequest) =>
      strange && raw.includes('"thinking":"Hm')
        ? "messages.1.content.0: Invalid `signature` in `thinking` block"
        : undefined;
    const later = { turn: { thinking: "Ah.", text: "fine" } };
    const script = [{ turn: { thinking: "Hm.", calls: [look("a.txt")] } }, fine, {}, later, fine];
    const api = await server(script, { refuses });
    expect((await print(at, api, ["go"])).out).toBe("fine\n");
    strange = true;
    const run = await print(at, api, ["--resume", sessionOf(at), "more"]);
    expect([run.code, run.out]).toEqual([0, "fine\n"]);
    expect(run.err).toMatch(/refused earlier thinking.*left out/);
    expect((await print(at, api, ["--resume", sessionOf(at), "again"])).out).toBe("fine\n");
    expect(api.requests[4]?.raw).toContain('"thinking":"Ah.');
    expect(api.requests[4]?.raw).not.toContain('"thinking":"Hm.');
  });

  it("L4: what can't be found is one line with the ways out, and the next message works", async () => {
    const at = place("field");
    let strange = true;
    const refuses = () => (strange ? "Something is not as it should be" : undefined);
    const api = await server([{}, fine], { refuses });
    const run = await print(at, api, ["go"]);
    expect([run.code, run.out]).toEqual([1, ""]);
    expect(run.err).toMatch(/^agent: [^\n]*Something is not as it should be[^\n]*\/rewind[^\n]*\/clear[^\n]*\n$/);
    strange = false;
    expect((await print(at, api, ["--resume", sessionOf(at), "again"])).out).toBe("fine\n");
    expect(api.requests).toHaveLength(2);
  });
});

describe("field reports of sessions", PATIENT, () => {
  it("ses-line-separator: line ends of other alphabets break no line of the log", async () => {
    const at = place("field");
    const odd = "a\u2028b\u0085c\x0bd";
    writeFileSync(join(at.folder, "odd.txt"), `${odd}\n`);
    const words = "x \u2028 y \u2029 z \u0085 w";
    const api = await server([{ turn: { calls: [look("odd.txt")] } }, fine, fine]);
    expect((await print(at, api, [words])).code).toBe(0);
    const again = await print(at, api, ["--resume", sessionOf(at), "hi"]);
    expect([again.code, again.err]).toEqual([0, ""]);
    for (const n of [1, 2]) {
      expect(sent(api, n)[0]?.content.map((b) => b["text"])).toContain(words);
      expect(textOf(sent(api, n)[2]?.content[0])).toContain(odd);
    }
  });

  it("ses-nul-run: a damaged line is skipped and told, and all others are there", async () => {
    const at = place("field");
    writeFileSync(join(at.folder, "a.txt"), "hi\n");
    const turns = [1, 2, 3, 4, 5, 6].flatMap((n): Answer[] => [
      { turn: { calls: [look("a.txt", `call_${n}`)] } },
      { turn: { text: `answer ${n}` } },
    ]);
    const api = await server([...turns, { turn: { text: "answer 7" } }]);
    const access = { baseUrl: api.url, apiKey: "K" };
    const model = anthropicModel("claude-sonnet-5-5", { access, clock: quickClock(), random: () => 0 });
    const own = { ...at, state: join(at.state, "understudy") };
    const session = await openAt(own, { model, more: { defaults: { mode: "ask", model: model.id } } });
    for (const n of [1, 2, 3, 4, 5, 6])
      await collect(session.submit([{ type: "text", text: `p${n}` }], new AbortController().signal));
    await session.close();
    const file = logs(at)[0] ?? "";
    const lines = readFileSync(file, "utf8").split("\n");
    const ends = lines.flatMap((line, i) => (line.includes('"type":"query.finished"') ? [i] : []));
    const third = ends[2] ?? 0;
    writeFileSync(file, [...lines.slice(0, third + 1), "\0".repeat(300), ...lines.slice(third + 1)].join("\n"));
    const run = await print(at, api, ["--resume", sessionOf(at), "seven"]);
    expect([run.code, run.out]).toEqual([0, "answer 7\n"]);
    expect(run.err).toMatch(new RegExp(`1 damaged line.*line ${third + 2}`));
    const prompts = sent(api, 12).flatMap((m) => m.content.map((b) => b["text"]));
    expect(prompts).toEqual(expect.arrayContaining(["p1", "p2", "p3", "p4", "p5", "p6", "seven"]));
  });
});

/** Texts anywhere that hold half a pair. */
function halves(value: unknown): string[] {
  if (typeof value === "string") return value.isWellFormed() ? [] : [value.slice(0, 40)];
  if (Array.isArray(value)) return value.flatMap(halves);
  return isRecord(value) ? Object.values(value).flatMap(halves) : [];
}
