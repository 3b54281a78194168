import { describe, expect, it } from "vitest";
import { guarded } from "../../../../src/ui/term/guard.ts";
import { createOut } from "../../../../src/ui/term/out.ts";
import { fakeTerminal } from "../../../support/screen.ts";

describe("the last look at a row", () => {
  it.each([
    ["plain ✓ │ ─ … “é”", "plain ✓ │ ─ … “é”"],
    ["\x1b[1;38;5;3mbold\x1b[0m 日本", "\x1b[1;38;5;3mbold\x1b[0m 日本"],
    ["\x1b[m", "\x1b[m"],
    ["a\nb", "a⏎b"],
    ["a\tb", "a b"],
    ["a\rb", "ab"],
    ["a\x1b[2Jb", "ab"],
    ["a\x1b]52;c;x\x07b", "ab"],
    ["a\x9b2Jb", "ab"],
    ["a\u202eb\u2028c\u200bd", "abcd"],
    ["\x1b[8mhidden", "hidden"],
    ["\x1b[5mx\x1b[6my\x1b[1;8mz", "xy\x1b[1mz\x1b[0m"],
    ["\x1b[38;2;1;2;3mx\x1b[107;2mx\x1b[39;49m", "\x1b[38;2;1;2;3mx\x1b[107;2mx\x1b[39;49m"],
    ["\x1b[?25lx\x1b[1Ay\x1b[1 qz", "xyz"],
  ])("TUI-5: %j becomes %j", (row, clean) => {
    expect(guarded(row)).toBe(clean);
  });
});

describe("the writer of the terminal", () => {
  const HOSTILE = "x\x1b]0;title\x07\x1b[2J\x9b1;2r\x07\u202e\nz";
  it("SEC-G7: no row reaches the terminal as a command, by whatever way it came", () => {
    const terminal = fakeTerminal(40, 10);
    const out = createOut(terminal, { clock: { now: () => 0 } });
    out.above([HOSTILE]);
    out.frame([HOSTILE, "\x1b[31mred\x1b[0m"]);
    out.repaint([HOSTILE]);
    out.stream.write(`${HOSTILE.replace("\n", "")}\x1b[32mink\x1b[39m`);
    out.close([HOSTILE]);
    const written = terminal.written.join("");
    expect(written).toContain("\x1b[31mred");
    expect(written).toContain("\x1b[32mink");
    expect(written).not.toMatch(/\x07|\x9b|\u202e|\x1b\]|title\x07|\x1b\[2J/);
    expect(written.match(/x⏎z/g)?.length).toBeGreaterThanOrEqual(4);
  });
});
