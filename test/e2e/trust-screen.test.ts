import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../src/events/sessions.ts";
import { press } from "../support/press.ts";
import { agentEnv, runAgent, scriptFile } from "../support/run-agent.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, RESTORED, type Terminal } from "../support/terminal.ts";

const program = resolve(import.meta.dirname, "../../bin/agent.js");
const DONE = "the-model-is-done";

function put(at: Place, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at.folder, path)), { recursive: true });
    writeFileSync(join(at.folder, path), text);
  }
}

const hook = (command: string) =>
  JSON.stringify({ hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } });

function hostile(): Place {
  const at = place("trust");
  put(at, {
    ".claude/settings.json": hook("touch MARK"),
    ".mcp.json": JSON.stringify({ mcpServers: { db: { command: "touch", args: ["MARK"] } } }),
    "CLAUDE.md": "CANARY-OF-MEMORY",
  });
  return at;
}

function open(at: Place, args: readonly string[] = [], { cols = 80, rows = 30, env = {} } = {}): Terminal {
  const base = [program, "--model", scriptFile(at, { turns: [{ text: DONE }], loop: true })];
  return openTerminal(process.execPath, [...base, ...args], {
    cols,
    rows,
    cwd: at.folder,
    env: { ...agentEnv(at), ...env },
  });
}

async function leave(terminal: Terminal): Promise<void> {
  await terminal.waitFor(/(ask|auto|plan) mode/);
  terminal.type("/exit\r");
  expect(await terminal.exited).toBe(0);
}

/** Answers, and waits for what comes instead of the question: a second press would go to the composer. */
async function answer(terminal: Terminal, key: string): Promise<void> {
  await press(terminal, / Leave\n/, key, (rows) => !/\d Leave\n/.test(rows.join("\n")));
}

describe("the first start in a folder that brings something", () => {
  it(
    "H5, G8: shows it and asks; nothing of it is used before, and leaving opens nothing",
    { timeout: 120_000 },
    async () => {
      const at = hostile();
      const terminal = open(at);
      const shown = (await terminal.waitFor("3 Leave")).join("\n");
      for (const text of ["Do you trust this folder?", "touch MARK", ".mcp.json: db", "CLAUDE.md", "1 Trust it"])
        expect(shown).toContain(text);
      await answer(terminal, "3");
      expect(await terminal.exited).toBe(0);
      expect(terminal.modes()).toEqual(RESTORED);
      expect(existsSync(join(at.folder, "MARK"))).toBe(false);
      expect(listSessions(join(at.state, "understudy", "sessions"))).toEqual([]);
      expect(existsSync(join(at.config, "trust"))).toBe(false);
    },
  );

  it(
    "H5: keys typed ahead, pasted or pressed at once answer nothing; a yes is kept, and what changed is asked anew",
    { timeout: 240_000 },
    async () => {
      const at = hostile();
      const first = open(at);
      first.type("111\r\x1b[200~1\x1b[201~");
      await first.waitFor("3 Leave");
      await answer(first, "1");
      await leave(first);
      put(at, { ".claude/settings.json": hook("curl evil.test") });
      const second = open(at);
      const shown = (await second.waitFor("3 Leave")).join("\n");
      expect(shown).toContain("changed: hook .claude/settings.json SessionStart");
      await answer(second, "2");
      await second.waitFor(/Not used, since/);
      expect((await second.lines()).join(" ")).toMatch(
        /Not used, since this folder is not\s+trusted: 1 hook, 1 MCP server, CLAUDE\.md/,
      );
      await leave(second);
    },
  );

  it("H5, N-4: the line front-end asks the same, and takes a number", { timeout: 120_000 }, async () => {
    const at = hostile();
    const terminal = open(at, ["--screen-reader"]);
    expect((await terminal.waitFor("answer:")).join("\n")).toContain("touch MARK");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    terminal.type("1\r");
    await terminal.waitFor(/you:/);
    terminal.type("/exit\r");
    expect(await terminal.exited).toBe(0);
    expect(readdirSync(join(at.config, "trust"))).toHaveLength(1);
  });
});

describe("without a terminal", () => {
  it(
    "H5: an untrusted folder's things are not used, which stderr and the result say; --trust-folder is for one run",
    { timeout: 240_000 },
    async () => {
      const at = hostile();
      const model = scriptFile(at, { turns: [{ text: DONE }], loop: true });
      const flag = await runAgent(at, ["-p", "hi", "--model", model, "--output-format", "json", "--trust-folder"]);
      expect(flag.err).not.toContain("Not used");
      expect(JSON.parse(flag.out)).not.toHaveProperty("untrusted");
      rmSync(join(at.folder, "MARK"), { force: true });
      const plain = await runAgent(at, ["-p", "hi", "--model", model, "--output-format", "json"]);
      expect(plain.code).toBe(0);
      expect(plain.err.split("\n").filter((line) => line.includes("Not used, since"))).toEqual([
        "agent: Not used, since this folder is not trusted: 1 hook, 1 MCP server, CLAUDE.md. /trust or agent trust add trusts it, --trust-folder for one run.",
      ]);
      expect(JSON.parse(plain.out)).toMatchObject({ untrusted: ["1 hook", "1 MCP server", "CLAUDE.md"] });
      expect(existsSync(join(at.folder, "MARK"))).toBe(false);
    },
  );

  it("H5: agent trust shows, adds, lists and removes, and runs nothing", { timeout: 240_000 }, async () => {
    const at = hostile();
    const show = await runAgent(at, ["trust"]);
    expect(show.out).toContain(`${at.folder} is not trusted`);
    expect(show.out).toContain("    touch MARK");
    const add = await runAgent(at, ["trust", "add"]);
    expect(add.out).toContain(`${at.folder} is trusted as it is now, with 1 hook, 1 MCP server, CLAUDE.md`);
    expect((await runAgent(at, ["trust", "list"])).out).toMatch(/trusted {2}.*project\n$/);
    expect((await runAgent(at, ["trust", "remove"])).code).toBe(0);
    const home = await runAgent({ ...at, home: at.folder }, ["trust", "add"]);
    expect(home).toMatchObject({ code: 2, err: expect.stringContaining("can't be trusted for good") as string });
    expect(existsSync(join(at.folder, "MARK"))).toBe(false);
  });
});

describe("--bypass (P8)", () => {
  it("P8: is red in every frame, asks nothing, and the next start of the session is without it", async () => {
    const at = place("bypass");
    writeFileSync(join(at.folder, "a.txt"), "old\n");
    const model = scriptFile(at, {
      turns: [{ calls: [{ name: "Bash", input: { command: "rm a.txt" } }] }, { text: DONE }],
    });
    const args = [program, "--model", model];
    const inContainer = existsSync("/.dockerenv") || existsSync("/run/.containerenv");
    const terminal = openTerminal(process.execPath, [...args, "--bypass"], {
      cols: 100,
      rows: 30,
      cwd: at.folder,
      env: agentEnv(at),
    });
    if (process.getuid?.() === 0 && !inContainer) {
      await terminal.waitFor("--bypass is refused for root outside a container");
      expect(await terminal.exited).toBe(2);
      return;
    }
    await terminal.waitFor(/BYPASS ask mode/);
    terminal.type("go\r");
    await terminal.waitFor(DONE);
    expect(existsSync(join(at.folder, "a.txt"))).toBe(false);
    const raw = terminal.raw();
    expect(raw).toMatch(/\u001b\[(?:1;|1m\u001b\[)38;5;209mBYPASS ask mode/);
    expect(raw).not.toMatch(/(?<!209m)BYPASS/);
    // No frame shows the mode by itself.
    expect(raw.replaceAll("BYPASS ask mode", "")).not.toMatch(/ask mode/);
    terminal.resize(15, 3);
    await terminal.waitFor(/BYPASS/);
    terminal.resize(100, 30);
    await terminal.waitFor(/BYPASS ask mode/);
    terminal.type("/exit\r");
    expect(await terminal.exited).toBe(0);
    const again = openTerminal(process.execPath, [...args, "--continue"], {
      cols: 100,
      rows: 30,
      cwd: at.folder,
      env: agentEnv(at),
    });
    expect((await again.waitFor(/ask mode/)).join("\n")).not.toContain("BYPASS ask mode");
    await leave(again);
  }, 240_000);

  it("P8: in print mode a line says so; it is refused in the home, and no setting or variable turns it on", async () => {
    const at = place("bypass");
    const model = scriptFile(at, { turns: [{ text: DONE }], loop: true });
    const run = await runAgent(at, ["-p", "hi", "--model", model, "--bypass", "--output-format", "json"]);
    if (run.code === 2) {
      expect(run.err).toContain("refused for root outside a container");
      return;
    }
    expect(run.err).toContain("agent: BYPASS: nothing is asked but what a rule or a hook asks");
    expect(JSON.parse(run.out)).toMatchObject({ bypass: true });
    const home = await runAgent({ ...at, home: at.folder }, ["-p", "hi", "--model", model, "--bypass"]);
    expect(home).toMatchObject({ code: 2 });
    expect(home.err).toContain(`--bypass is refused in ${at.folder}, which holds your home folder`);
    writeFileSync(join(at.config, "settings.json"), '{"permissions": {"disableBypass": true}}');
    const forbidden = await runAgent(at, ["-p", "hi", "--model", model, "--bypass"]);
    expect(forbidden).toMatchObject({ code: 2 });
    expect(forbidden.err).toMatch(/--bypass is forbidden by .*settings\.json/);
  }, 240_000);
});
