import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../support/bundle.ts";
import { openTerminal, RESTORED, type Terminal, type TerminalOptions } from "../support/terminal.ts";

let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("fake-repl.ts");
});
afterAll(() => built.remove());

const STATUS = /^(plan|ask|auto) mode( ·|$)/;

async function open(options: TerminalOptions = {}): Promise<Terminal> {
  const terminal = openTerminal(process.execPath, [built.file], options);
  await terminal.waitFor("ask mode ·");
  return terminal;
}
/** Types a line, and Enter as a key of its own once the line is on screen. */
async function send(terminal: Terminal, words: string): Promise<void> {
  terminal.type(words);
  await terminal.waitFor(words);
  terminal.type("\r");
}
const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const count = (rows: readonly string[], pattern: RegExp) => rows.filter((row) => pattern.test(row)).length;

describe("the screen in a terminal", () => {
  it("U1: streams an answer; every word is there once, one status row, one composer", async () => {
    const terminal = await open();
    await send(terminal, "stream 300");
    await terminal.waitFor(
      (screen) => screen.some((row) => row.includes("w299")) && screen.some((row) => row.startsWith("› what shall")),
    );
    const words = (await terminal.lines()).join(" ").match(/\bw\d+\b/g) ?? [];
    expect(words).toEqual(Array.from({ length: 300 }, (_, at) => `w${at}`));
    const screen = await terminal.screen();
    expect(count(screen, STATUS)).toBe(1);
    expect(count(screen, /^› what shall/)).toBe(1);
    expect(terminal.raw()).not.toMatch(/\x1b\[[23]J/);
  });
  it("U1 P5: an edit shows its diff and lands on 1", async () => {
    const terminal = await open();
    await send(terminal, "edit");
    const asked = await terminal.waitFor("1 yes, once");
    expect(asked.join("\n")).toContain("11 +   return 20;");
    await rest(500);
    terminal.type("1");
    await terminal.waitFor("The limit is 20 now.");
    expect((await terminal.lines()).join("\n")).toContain("✓ allowed by you Edit src/a.ts");
  });
  it("P3: a deletion of many files does not land on 3", async () => {
    const terminal = await open();
    await send(terminal, "delete");
    const asked = await terminal.waitFor("3 no");
    expect(asked.join("\n")).toContain("− old/file-0.ts");
    expect(asked.length).toBeLessThanOrEqual(24);
    await rest(500);
    terminal.type("3");
    await terminal.waitFor("Stopped: you said no");
    expect((await terminal.lines()).join("\n")).not.toContain("Deleted.");
  });
  it("P8: Shift+Tab changes the mode on screen", async () => {
    const terminal = await open();
    terminal.type("\x1b[Z");
    await terminal.waitFor("auto mode ·");
    terminal.type("\x1b[Z");
    expect(count(await terminal.waitFor("plan mode ·"), STATUS)).toBe(1);
  });
  it("S7 TUI-B17: Esc stops what runs and says so", async () => {
    const terminal = await open();
    await send(terminal, "sleep");
    await terminal.waitFor("tick 3");
    terminal.type("\x1b");
    await terminal.waitFor("■ Stopped by you");
    expect((await terminal.waitFor("› what shall")).join("\n")).not.toContain("tick");
  });
  it("UX-N-7 TUI-B12: /exit leaves the summary, the terminal restored, no composer behind", async () => {
    const terminal = await open();
    await send(terminal, "hello");
    await terminal.waitFor("You said: hello");
    await terminal.waitFor("› what shall");
    await send(terminal, "/exit");
    expect(await terminal.exited).toBe(0);
    const rows = await terminal.lines();
    expect(rows.at(-1)).toBe("Go on with agent --resume s_fake");
    expect(count(rows, STATUS)).toBe(0);
    expect(terminal.modes()).toEqual(RESTORED);
  });
  for (const [name, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
  ] as const) {
    it(`TUI-B12: ${name} restores the terminal and ends with ${code}, also while a question is open`, async () => {
      const terminal = await open();
      await send(terminal, "edit");
      await terminal.waitFor("1 yes, once");
      terminal.signal(name);
      expect(await terminal.exited).toBe(code);
      expect(terminal.modes()).toEqual(RESTORED);
      expect((await terminal.lines()).at(-1)).toBe("Go on with agent --resume s_fake");
    });
  }
  it("UX-IN-18: what is typed before the screen is there is kept, in order, and sent", async () => {
    const terminal = openTerminal(process.execPath, [built.file]);
    terminal.type("typed ahead");
    await terminal.waitFor("› typed ahead");
    terminal.type("\r");
    await terminal.waitFor("You said: typed ahead");
    expect(count(await terminal.lines(), /^› typed ahead/)).toBe(1);
  });
  it("UX-N-6 E2: the picker filters by what is typed, then the screen has the terminal", async () => {
    const terminal = openTerminal(process.execPath, [built.file], { env: { PICK: "1" } });
    await terminal.waitFor("Which session?");
    terminal.type("pars");
    await terminal.waitFor((screen) => screen.join().includes("parser") && !screen.join().includes("no prompt yet"));
    terminal.type("\r");
    await terminal.waitFor("ask mode ·");
    await send(terminal, "hello");
    await terminal.waitFor("You said: hello");
    await terminal.waitFor("› what shall");
    await send(terminal, "/exit");
    expect(await terminal.exited).toBe(0);
    expect((await terminal.lines()).at(-1)).toBe("Go on with agent --resume s_other");
  });
  it("TUI-B6: idle writes nothing", async () => {
    const terminal = await open();
    await rest(700);
    const before = terminal.raw().length;
    await rest(1500);
    expect(terminal.raw().length).toBe(before);
  });
  it("UX-N-4: TERM=dumb and screen readers get lines, never an escape", async () => {
    const terminal = openTerminal(process.execPath, [built.file], { env: { PLAIN: "1", TERM: "dumb" } });
    await terminal.waitFor("you:");
    terminal.type("edit\r");
    await terminal.waitFor("answer:");
    await rest(500);
    terminal.type("1\r");
    await terminal.waitFor("agent: The limit is 20 now.");
    terminal.type("\x04");
    expect(await terminal.exited).toBe(0);
    expect(terminal.raw()).not.toContain("\x1b");
  });
  it("UX-Q-7: Ctrl-C twice leaves", async () => {
    const terminal = await open();
    terminal.type("\x03");
    await terminal.waitFor("Ctrl-C again to exit");
    terminal.type("\x03");
    expect(await terminal.exited).toBe(0);
  });
  for (const [cols, rows] of [
    [40, 10],
    [120, 40],
    [20, 6],
  ] as const) {
    it(`UX-F-1: works at ${cols}x${rows}: question, answer, status`, async () => {
      const terminal = await open({ cols, rows });
      await send(terminal, "edit");
      await terminal.waitFor("1 yes, once");
      expect(count(await terminal.screen(), STATUS)).toBe(1);
      // What doesn't fit is looked at first: a yes counts once all of it was on the screen (P5).
      const answer = async () => {
        await rest(500);
        terminal.type("1");
        await rest(300);
        return (await terminal.lines()).join("\n").includes("now.");
      };
      let pages = 0;
      while (!(await answer()) && pages < 20) {
        terminal.type("\x1b[6~");
        pages++;
      }
      await terminal.waitFor(/now\./);
      expect(pages > 0).toBe(rows < 20);
      expect(count(await terminal.screen(), STATUS)).toBe(1);
    });
  }
  it("UX-IN-14: a paste of many lines is one sign, and is sent whole", async () => {
    const terminal = await open();
    const lines = Array.from({ length: 30 }, (_, at) => `pasted ${at}`).join("\n");
    terminal.type(`\x1b[200~${lines}\x1b[201~`);
    await terminal.waitFor("[Pasted #1 · 30 lines]");
    terminal.type("\r");
    await terminal.waitFor("pasted 29");
    expect((await terminal.lines()).filter((row) => row.includes("You said: pasted 0"))).toHaveLength(1);
  });
  it("decision 10: resizing while it streams loses no word and leaves one status row", async () => {
    const terminal = await open({ cols: 90, rows: 30 });
    await send(terminal, "stream 400 4");
    for (const [cols, rows] of [
      [60, 24],
      [100, 30],
      [45, 20],
      [80, 24],
    ] as const) {
      await rest(300);
      terminal.resize(cols, rows);
    }
    await terminal.waitFor(
      (screen) => screen.some((row) => row.includes("w399")) && screen.some((row) => row.startsWith("› what shall")),
    );
    const words = new Set((await terminal.lines()).join(" ").match(/\bw\d+\b/g));
    // A row in flight while the size changes may be erased; more than one row may not.
    expect(words.size).toBeGreaterThanOrEqual(380);
    expect(count(await terminal.screen(), STATUS)).toBe(1);
  });
});
