import { describe, expect, it } from "vitest";
import { emulator } from "../../support/emulator.ts";
import { modesOf, openTerminal, RESTORED } from "../../support/terminal.ts";

const ECHO = `
  process.stdout.on("resize", () => console.log(process.stdout.rows + " by " + process.stdout.columns));
  let n = 0;
  process.stdin.on("data", (d) => {
    console.log((n++ === 0 ? "got " : "then ") + String(d).trim());
    if (n === 2) setTimeout(() => process.exit(7), 20);
  });
`;

describe("terminal harness", () => {
  it("types, waits, resizes and tells the exit code", async () => {
    const t = openTerminal(process.execPath, ["-e", ECHO]);
    t.type("one\r");
    await t.waitFor("got one");
    t.resize(40, 10);
    await t.waitFor("10 by 40");
    t.type("two\r");
    await t.waitFor(/then two/);
    expect(await t.exited).toBe(7);
    expect((await t.lines()).some((l) => l === "got one")).toBe(true);
  });
  it("says what was on screen when the wait was in vain", async () => {
    const t = openTerminal("/bin/sh", ["-c", "echo nothing here"]);
    await expect(t.waitFor("something")).rejects.toThrow(/ended before something was shown:\nnothing here/);
  });
  it("does not pass CI on", async () => {
    const t = openTerminal("/bin/sh", ["-c", 'echo "CI=[${CI-unset}]"']);
    expect(await t.waitFor("CI=")).toContain("CI=[unset]");
  });
  it("joins wrapped rows and keeps scrollback", async () => {
    const e = emulator(10, 4);
    await e.write(Array.from({ length: 6 }, (_, i) => `line ${i} is long`).join("\r\n"));
    expect(e.lines()).toEqual([0, 1, 2, 3, 4, 5].map((i) => `line ${i} is long`));
    expect(e.scrollback().length).toBe(8);
    expect(e.screen()).toEqual(["line 4 is", "long", "line 5 is", "long"]);
    e.close();
  });
  it("reads modes from bytes", () => {
    expect(modesOf("")).toEqual(RESTORED);
    expect(modesOf("\x1b[?2004h\x1b[?25l\x1b[?7l\x1b[>1u\x1b[>4;2m\x1b[?1049;1004h")).toEqual({
      paste: true,
      focus: true,
      cursor: false,
      autowrap: false,
      alternate: true,
      synchronized: false,
      kitty: 1,
      otherKeys: 2,
    });
    expect(modesOf("\x1b[?2004h\x1b[>1u\x1b[<u\x1b[>4;2m\x1b[>4m\x1b[?2004l")).toEqual(RESTORED);
  });
});
