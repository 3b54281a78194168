import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTerminal, RESTORED } from "../support/terminal.ts";

const APP = join(import.meta.dirname, "../support/programs/boot-app.ts");
const open = () => openTerminal(process.execPath, [APP], { cols: 40, rows: 12 });

describe("boot", () => {
  it("UX-IN-18, TUI-8: what is typed before the main screen is up is echoed, kept, and handed over in order", async () => {
    const t = open();
    await t.waitFor("ask mode");
    for (const key of ["f", "ix", "\x7f", "\r", "m"]) {
      t.type(key);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await t.waitFor((rows) => rows.includes("› fi") && rows.includes("  m"));
    t.signal("SIGUSR2");
    await t.waitFor("got m");
    t.type("q");
    expect(await t.exited).toBe(0);
    const got = (await t.lines()).filter((l) => l.startsWith("got"));
    expect(got).toEqual(["f", "i", "x", "backspace", "return", "m", "q"].map((k) => `got ${k}`));
    expect((await t.lines()).at(-1)).toBe("bye");
    expect(t.modes()).toEqual(RESTORED);
  });
  it("UX-Q-7: Ctrl-C twice ends a start that hangs, the terminal restored", async () => {
    const t = open();
    await t.waitFor("ask mode");
    t.type("\x03");
    await new Promise((resolve) => setTimeout(resolve, 50));
    t.type("\x03");
    expect(await t.exited).toBe(130);
    expect(t.modes()).toEqual(RESTORED);
  });
  it("a resize before the main screen is up leaves one composer", async () => {
    const t = open();
    t.type("some words");
    await t.waitFor("› some words");
    t.resize(20, 8);
    t.type("!");
    await t.waitFor("› some words!");
    expect((await t.screen()).filter((l) => l.includes("some")).length).toBe(1);
  });
});
