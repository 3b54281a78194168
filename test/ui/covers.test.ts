import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../support/bundle.ts";
import { openTerminal, RESTORED, type Terminal } from "../support/terminal.ts";

let built: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  built = await bundle("fake-repl.ts");
});
afterAll(() => built.remove());

async function open(words: string, until: string | RegExp): Promise<Terminal> {
  const terminal = openTerminal(process.execPath, [built.file], {});
  await terminal.waitFor("ask mode ·");
  terminal.type(words);
  await terminal.waitFor(words);
  terminal.type("\r");
  await terminal.waitFor(until);
  return terminal;
}
const composer = (screen: readonly string[]) => screen.some((row) => row.startsWith("› what shall"));

describe("what covers the screen, in a terminal", () => {
  it("UX-T-5: Ctrl-O is on the other screen, q back on the same one; nothing of it is in the scrollback", async () => {
    const terminal = await open("long 60", "That was long.");
    const before = await terminal.waitFor(composer);
    terminal.type("\x0f");
    await terminal.waitFor("transcript end");
    expect(terminal.modes()).toMatchObject({ alternate: true });
    terminal.type("/line 7");
    await terminal.waitFor(/^\/line 7$/m);
    terminal.type("\r");
    await terminal.waitFor(/ {2}output line 7$/m);
    terminal.type("q");
    expect(await terminal.waitFor(composer)).toEqual(before);
    expect(terminal.modes()).toMatchObject({ alternate: false });
    expect((await terminal.lines()).filter((row) => row.trim() === "output line 7")).toEqual([]);
    expect(terminal.raw()).not.toMatch(/\x1b\[[23]J/);
  });
  it("UX-T-5 TUI-B9: resized while it is open it is laid out anew, and so is the screen behind it", async () => {
    const terminal = await open("long 60", "That was long.");
    await terminal.waitFor(composer);
    terminal.type("\x0f");
    await terminal.waitFor("transcript end");
    terminal.resize(50, 14);
    await terminal.waitFor((screen) => screen.length === 14 && screen[13]?.startsWith("transcript end") === true);
    terminal.type("q");
    const back = await terminal.waitFor(composer);
    expect(back.filter((row) => row.startsWith("› what shall"))).toHaveLength(1);
    expect(back.filter((row) => row.startsWith("ask mode"))).toHaveLength(1);
  });
  it("UX-P-4 UX-P-3: back from the review, the question takes the first key that is meant", async () => {
    const terminal = await open("edit", /1\W+yes/i);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    terminal.type("\x0f");
    await terminal.waitFor(() => terminal.modes().alternate);
    terminal.type("q");
    await terminal.waitFor(/1\W+yes/i);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    terminal.type("1");
    const shown = (await terminal.waitFor(/allowed by you|Not answered/)).join("\n");
    expect(shown).not.toContain("Not answered");
  });
  it("UX-T-5 TUI-B12: ended by a signal while it is open, the terminal is as it was", async () => {
    const terminal = await open("hello", "You said: hello");
    terminal.type("\x0f");
    await terminal.waitFor("transcript end");
    terminal.signal("SIGTERM");
    expect(await terminal.exited).toBe(143);
    expect(terminal.modes()).toEqual(RESTORED);
  });
});
