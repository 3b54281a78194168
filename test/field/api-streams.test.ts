import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApi, type Answer, type ApiServer } from "../support/api-server.ts";
import { deep } from "../support/deep.ts";
import { commandsWith } from "../support/processes.ts";
import { AGENT, agentEnv, runAgent, scriptFile, type AgentRun } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal, type TerminalOptions } from "../support/terminal.ts";

const env = (url: string): Record<string, string> => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "k" });
const said = (text: string): Answer => ({ turn: { text } });
const status = (code: number, headers: Record<string, string> = {}): Answer => ({
  fault: { kind: "status", status: code, headers },
});
/** `First I will`, then the connection is reset. */
const dropped: Answer = { turn: { text: "First I will", piece: 100 }, fault: { kind: "cut", bytes: 620, hard: true } };

function screen(at: Place, more: Record<string, string>, args: readonly string[], o: TerminalOptions = {}): Terminal {
  return openTerminal(process.execPath, [AGENT, ...args], {
    cols: 100,
    rows: 30,
    cwd: at.folder,
    env: agentEnv(at, more),
    ...o,
  });
}

function settings(at: Place, values: object): Place {
  writeFileSync(join(at.config, "settings.json"), JSON.stringify(values));
  return at;
}
const hasty = (more: object = {}): Place => settings(place("field"), { retry: { attempts: 2, ...more } });

describe("field reports: the service", { timeout: 240_000 }, () => {
  it("api-429-waits: a passing limit is waited for with the wait in sight, a day is named and not waited for", async () => {
    const times: number[] = [];
    const api = await startApi((_, n) => {
      times.push(performance.now());
      return n === 1 ? status(429, { "retry-after": "3" }) : said("fine");
    });
    const terminal = screen(place("field"), env(api.url), ["hi"]);
    await terminal.waitFor(/Rate limit .* try 2 of 9 in [123] s/, 60_000);
    await terminal.waitFor("fine", 60_000);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(3000);
    terminal.close();
    const day = await startApi(() => status(429, { "retry-after": "86400" }));
    const { code, out, err } = await runAgent(place("field"), ["-p", "hi"], env(day.url));
    expect([code, out, day.requests.length]).toEqual([1, "", 1]);
    expect(err).toContain("It asks to wait for 24 hours");
    const shown = screen(place("field"), env(day.url), ["hi"]);
    await shown.waitFor(/asks to wait for 24 hours[\s\S]*any message goes\s+on/, 60_000);
    expect(day.requests).toHaveLength(2);
    shown.close();
    const hours = await startApi(() => status(429, { "retry-after": "7200" }));
    const long = screen(place("field"), env(hours.url), ["hi"]);
    await long.waitFor(/try 2 of 9 in 2 hours/, 60_000);
    long.type("\x1b");
    await long.waitFor("Stopped by you", 60_000);
    expect(hours.requests).toHaveLength(1);
  });

  it("api-base-url: slashes and /v1 at the end of the address make no other path", async () => {
    const paths: string[] = [];
    const api = await startApi(({ path }) => (paths.push(path), said("fine")));
    for (const end of ["", "/", "/v1", "/v1/", "/gw/"])
      await runAgent(place("field"), ["-p", "hi"], env(api.url + end));
    expect(api.requests.map((r) => r.path)).toEqual([...Array<string>(4).fill("/v1/messages"), "/gw/v1/messages"]);
    expect(paths).toHaveLength(4);
  });

  it("api-dropped-is-not-done: what broke off is asked for again, and is never an answer", async () => {
    const once = await startApi((_, n) => (n === 1 ? dropped : said("All done.")));
    const a = await runAgent(place("field"), ["-p", "hi"], env(once.url));
    expect([a.code, a.out, once.requests.length]).toEqual([0, "All done.\n", 2]);

    const always = await startApi(() => dropped);
    const b = await runAgent(hasty(), ["-p", "hi"], env(always.url));
    expect([b.code, b.out, always.requests.length]).toEqual([1, "", 2]);
    expect(b.err).toContain("cut off, no answer: First I will");
    expect(b.err).toMatch(/The reply broke off: the connection was closed \(tried 2 times\)\. To go on: /);

    const silent = await startApi(() => ({ turn: { text: "First I will" }, fault: { kind: "stall", after: 4 } }));
    const c = await runAgent(hasty({ silenceSeconds: 1 }), ["-p", "hi"], env(silent.url));
    expect([c.code, c.out, silent.requests.length]).toEqual([1, "", 2]);
    expect(c.err).toContain("No word from the model for 1 s (tried 2 times)");

    const terminal = screen(place("field"), env(silent.url), ["hi"]);
    await terminal.waitFor("First I will", 60_000);
    terminal.type("\x1b");
    await terminal.waitFor("Stopped by you", 60_000);
  });
});

describe("field reports: without a screen", { timeout: 240_000 }, () => {
  it("hl-exit-code: what fails for good exits with 1, its reason on stderr alone", async () => {
    // The whole budget takes its minute and a half: in `npm run deep`.
    const few = deep(1, 0) === 1;
    const at = () => (few ? hasty() : place("field"));
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((done) => closed.once("listening", done));
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await new Promise((done) => closed.close(done));
    const services: [string, RegExp][] = [
      [(await startApi(() => status(401))).url, /refused the key/],
      [(await startApi(() => status(400))).url, /refused the request/],
      [(await startApi(() => status(500))).url, /has a fault \(500\)/],
      [nobody, /Can't reach .* ECONNREFUSED/],
    ];
    const runs = services.flatMap(([url, why]) =>
      ["text", "json"].map(async (format) => {
        const { code, out, err } = await runAgent(at(), ["-p", "hi", "--output-format", format], env(url));
        expect([code, err]).toEqual([1, expect.stringMatching(why)]);
        if (format === "text") return expect(out).toBe("");
        expect(JSON.parse(out)).toMatchObject({
          type: "result",
          reason: "api-error",
          text: "",
          detail: expect.stringMatching(why) as string,
        });
      }),
    );
    await Promise.all(runs);
  });

  it("hl-epipe: the reader goes away, and the program and its command with it, without a word", async () => {
    const at = place("field");
    const text = "word ".repeat(2500);
    const bash = { name: "Bash", input: { command: "sleep 71.5" } };
    const model = scriptFile(at, {
      turns: [
        { text, deltaMs: 1, calls: [bash] },
        { text, deltaMs: 1 },
      ],
    });
    const line = `"$1" "$2" -p hi --output-format stream-json --model "$3" 2> "$4" | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const err = join(at.config, "err");
    const child = spawn("bash", ["-c", line, "bash", process.execPath, AGENT, model, err], {
      cwd: at.folder,
      env: agentEnv(at),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const started = performance.now();
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (s: string) => (out += s));
    await new Promise((done) => child.on("close", done));
    // Long before the command would have ended.
    expect(performance.now() - started).toBeLessThan(60_000);
    const [first = "", code] = out.trim().split("\n");
    expect([JSON.parse(first) as { v: number }, code, readFileSync(err, "utf8")]).toEqual([
      expect.objectContaining({ v: 1 }),
      "141",
      "",
    ]);
    await expect.poll(() => commandsWith("sleep 71.5"), { timeout: 10_000 }).toEqual([]);
  });

  it("hl-no-colour: files hold no escape codes, NO_COLOR no colours, and a dumb terminal is served plainly", async () => {
    const at = place("field");
    const help = await runAgent(at, ["--help"]);
    const hi = await runAgent(at, ["-p", "hi", "--model", "demo"]);
    const wrong = await runAgent(at, ["--no-such-flag"]);
    expect([help.code, hi.code, wrong.code]).toEqual([0, 0, 2]);
    expect([help, hi, wrong].filter(({ out, err }) => `${out}${err}`.includes("\x1b"))).toEqual([]);

    const grey = screen(at, { NO_COLOR: "1" }, ["--model", "demo"]);
    await grey.waitFor("what shall be done?", 60_000);
    expect(grey.raw()).not.toMatch(/\x1b\[(?:[\d;]*;)?(?:3\d|4\d|9\d|10[0-7])(?:;[\d;]*)?m/);
    const dumb = screen(at, { TERM: "dumb" }, ["--model", "demo"], { env: { ...agentEnv(at), TERM: "dumb" } });
    await dumb.waitFor(/^you:/m, 60_000);
    expect(dumb.raw()).not.toContain("\x1b[");
  });

  it("hl-open-stdin: input that never comes, comes late or not at all", async () => {
    const api = await startApi(() => said("fine"));
    const prompts = () => api.requests.map(({ body }) => JSON.stringify(body["messages"]));
    // A: nothing ever comes.
    const a = await withInput(api, "hi", () => undefined);
    expect([a.code, a.out]).toEqual([0, "fine\n"]);
    // B, C, D: at its end at once, with data, with data that is late.
    for (const input of ["", "data\n"])
      expect((await runAgent(place("field"), ["-p", "hi"], env(api.url), input)).code).toBe(0);
    await withInput(api, "hi", (stdin) => void setTimeout(() => stdin.end("late\n"), 2000));
    expect(prompts()[2]).toMatch(/hi\\n\\ndata/);
    expect(prompts()[3]).toMatch(/hi\\n\\nlate/);
    // E: nothing to do.
    const e = await runAgent(place("field"), ["-p"], env(api.url));
    expect([e.code, e.out]).toEqual([2, ""]);
    expect(e.err).toMatch(/^agent: nothing to do: give a prompt/);
    expect(api.requests).toHaveLength(4);
    expect(api.breaches).toEqual([]);
  });
});

/** Runs with a standard input that stays open until `feed` ends it. */
function withInput(api: ApiServer, prompt: string, feed: (stdin: NodeJS.WritableStream) => void): Promise<AgentRun> {
  const at = place("field");
  const child = spawn(process.execPath, [AGENT, "-p", prompt], {
    cwd: at.folder,
    env: agentEnv(at, env(api.url)),
    stdio: "pipe",
  });
  feed(child.stdin);
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (s: string) => (out += s));
  child.stderr.setEncoding("utf8").on("data", (s: string) => (err += s));
  return new Promise((finish) =>
    child.on("close", (code, signal) => (child.stdin.destroy(), finish({ code, signal, out, err }))),
  );
}
