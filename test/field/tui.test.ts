import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startApi } from "../support/api-server.ts";
import { AGENT, agentEnv } from "../support/run-agent.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { place, type Place } from "../support/session.ts";
import { openTerminal, type Terminal } from "../support/terminal.ts";

type Turn = { text?: string; calls?: { name: string; input: Record<string, unknown> }[] };

/** The real program on a server that plays the turns. `before`: a shell command ahead of it, in the same terminal. */
async function open(turns: readonly Turn[], { at = place("field"), before = "true" } = {}) {
  const api = await startApi(turns.map((turn) => ({ turn })));
  const env = agentEnv(at, { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "CANARY-KEY" });
  const terminal = openTerminal("/bin/sh", ["-c", `${before}; exec "$0" "$1"`, process.execPath, AGENT], {
    cwd: at.folder,
    env,
  });
  await terminal.waitFor("ask mode ·");
  return { api, terminal };
}

async function send(terminal: Terminal, words: string): Promise<void> {
  terminal.type(words);
  await terminal.waitFor(`› ${words}`);
  terminal.type("\r");
}

/** Processes whose command line is one of these. */
function running(commands: readonly string[]): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
      return commands.includes(words) ? [words] : [];
    } catch {
      return [];
    }
  });
}

function withEscapes(): Place {
  const at = place("field");
  writeFileSync(join(at.folder, "esc.txt"), "a\x1b[2J\x1b]0;owned\x07\x1b[?1049h\x1b]52;c;aGk=\x07\b\b\rb\n");
  return at;
}

describe("field reports of the screen", () => {
  it("tui-esc-stops-child: Esc ends a command that ignores signals, and the session goes on; Ctrl-C does one thing at a time", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    // Numbers that no other program sleeps.
    const command = "trap '' INT; sleep 61.0137 & wait; sleep 62.0137";
    const { terminal } = await open([{ calls: [{ name: "Bash", input: { command } }] }, { text: "hi there" }]);
    const sleeps = ["sleep 61.0137", "sleep 62.0137"];
    await send(terminal, "go");
    await expect.poll(() => running(sleeps), { timeout: 20_000 }).toEqual(["sleep 61.0137"]);
    terminal.type("\x1b");
    await terminal.waitFor("Stopped by you");
    await expect.poll(() => running(sleeps), { timeout: 5000 }).toEqual([]);
    await send(terminal, "hello");
    await terminal.waitFor("hi there");
    await terminal.waitFor("what shall be done");
    terminal.type("words");
    await terminal.waitFor("› words");
    terminal.type("\x03");
    await terminal.waitFor("what shall be done");
    terminal.type("\x03");
    await terminal.waitFor("Ctrl-C again to exit");
    terminal.type("\x03");
    expect(await terminal.exited).toBe(0);
  });

  it("tui-paste-crlf: nothing is sent before Enter, then all of it at once, without a CR", async () => {
    const { api, terminal } = await open([{ text: "got it" }]);
    terminal.type("\x1b[200~one\r\ntwo\r\nthree\x1b[201~");
    await terminal.waitFor("three");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(JSON.stringify(api.requests)).not.toContain("three");
    terminal.type("\r");
    await terminal.waitFor("got it");
    const sent = JSON.stringify(api.requests);
    expect(sent).toContain(String.raw`one\ntwo\nthree`);
    expect(sent).not.toContain(String.raw`\r`);
  });

  it("tui-scrollback-kept: earlier rows of the shell stay, each row of a long answer is there once", async () => {
    const text = Array.from({ length: 500 }, (_, n) => `row-${n}-`).join("\n\n");
    const { terminal } = await open([{ text }], { before: 'for n in $(seq 50); do echo "earlier-$n-"; done' });
    await send(terminal, "go");
    await terminal.waitFor(/row-\d/);
    terminal.resize(80, 20);
    await new Promise((resolve) => setTimeout(resolve, 200));
    terminal.resize(80, 24);
    await terminal.waitFor(
      (rows) => rows.some((r) => r.includes("row-499-")) && rows.some((r) => r.includes("what shall")),
    );
    const all = (await terminal.lines()).join("\n");
    const seen = (word: string) => all.match(new RegExp(`${word}-\\d+-`, "g")) ?? [];
    expect(seen("earlier")).toEqual(Array.from({ length: 50 }, (_, n) => `earlier-${n + 1}-`));
    expect(seen("row")).toEqual(Array.from({ length: 500 }, (_, n) => `row-${n}-`));
    expect(terminal.raw()).not.toMatch(/\x1b\[[23]J/);
  });

  it("tui-tool-escapes: no escape of a command, file, search, name or the model reaches the terminal; the letters do", async (ctx) => {
    needs(ctx, missingTool("bwrap"));
    const at = withEscapes();
    const bytes = readFileSync(join(at.folder, "esc.txt"), "utf8");
    writeFileSync(join(at.folder, "x\x1b[31my"), "");
    const calls = [
      { name: "Bash", input: { command: "cat esc.txt; ls" } },
      { name: "Read", input: { file_path: "esc.txt" } },
      { name: "Grep", input: { pattern: "b", path: "esc.txt" } },
      { name: "Glob", input: { pattern: "x*" } },
    ];
    const { terminal } = await open([{ calls }, { text: `said ${bytes} x\x1b[31my\n\nthe end` }], { at });
    await send(terminal, "go");
    await terminal.waitFor(
      (rows) => rows.some((r) => r.includes("the end")) && rows.some((r) => r.includes("what shall")),
    );
    expect(terminal.raw()).not.toMatch(/\x1b\[2J|owned\x07|\x1b\[\?1049h|\x1b\]52|\x1b\[31m|[\b]/);
    const shown = (await terminal.lines()).join("\n");
    // A CR goes back to the row's begin, so the last state of it is shown.
    expect(shown).toMatch(/Bash cat esc\.txt; ls[^]*\bb\n[^]*esc\.txt\n\s+xy\n/);
    expect(shown).toMatch(/\nb\n\s*xy\n\nthe end/);
  });

  it("tui-wide-cursor: the terminal's own cursor is at the drawn cell; Backspace takes a wide sign whole", async () => {
    const { terminal } = await open([]);
    terminal.type("\u6f22\u5b57a\u{1f468}\u200d\u{1f469}");
    await terminal.waitFor("\u6f22\u5b57a");
    const column = () => terminal.screen().then(() => terminal.emulator.cursor().x);
    await expect.poll(column).toBe(2 + 2 + 2 + 1 + 2);
    terminal.type("\x1b[D");
    await expect.poll(column).toBe(2 + 2 + 2 + 1);
    terminal.type("\x1b[D");
    await expect.poll(column).toBe(2 + 2 + 2);
    terminal.type("\x7f");
    await expect.poll(column).toBe(2 + 2);
    expect((await terminal.screen()).filter((row) => row.startsWith("› \u6f22"))).toEqual([
      expect.stringMatching(/^› \u6f22a\u{1f468}\u200d?\u{1f469}$/u),
    ]);
  });
});
