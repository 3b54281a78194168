import { describe, expect, it } from "vitest";
import { makeTheme, themeFor } from "../../src/ui/theme.ts";
import { paletteOf } from "../../src/ui/theme/palettes.ts";
import { deep } from "../support/deep.ts";
import { counted, streaming } from "../support/streaming.ts";

const finals = Array.from({ length: 0x7e - 0x40 + 1 }, (_, i) => String.fromCharCode(0x40 + i));
/** Everything that a terminal acts on, in the words of a model: sequences by every final, strings, C1, bidi, one line without end. */
const CORPUS: readonly string[] = [
  finals.map((f) => `\x1b[2${f}\x1b[?1049${f}\x1b[>4;2${f}\x9b5${f}`).join("x"),
  ["0;t", "2;owned", "52;c;aGk=", "8;;http://x", "4;1;red", "11;#fff", "9;hi", "777;notify;a;b", "1337;File=:", "133;A"]
    .map((o) => `\x1b]${o}\x07\x1b]${o}\x1b\\\x9d${o}\x9c`)
    .join(" "),
  "\x1bP+q544e\x1b\\\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\\x1b_Gf=100;AAAA\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\",
  "\x1bc\x1b7\x1b8\x1bD\x1bE\x1bM\x1bH\x1b=\x1b>\x1b#8\x1b(0\x0e\x0f\x05\x07\b\b\b\x7f\x0b\x0c",
  "\u202e\u2066\u200b\ufeff\u2028\u2029 safe \u202c",
  `${"z".repeat(deep(50_000, 1_000_000))}\n\n`,
];

describe("what a model says", () => {
  it("TUI-B16: leaves cursor, title, modes and clipboard of the terminal untouched, and no word is lost", async () => {
    const run = await streaming(80, 24, 7, { texts: CORPUS });
    const { emulator, written } = run.terminal;
    const before = { modes: emulator.modes(), cursor: emulator.cursor().x };
    for (let i = 0; i < CORPUS.length + 1; i++) await run.step();
    await run.finish();
    expect({ modes: emulator.modes(), cursor: emulator.cursor().x }).toEqual(before);
    const bytes = written.join("");
    // Of our own: synchronized output, wrap, cursor, erasing, moving, no strings at all.
    expect(bytes).not.toMatch(/\x1b[\]PX^_c78DEMH=>#(]|[\x05\x07\b\x0b\x0c\x0e\x0f\x7f\x80-\x9f]|\u202e/);
    const used = new Set([...bytes.matchAll(/\x1b\[([?>]?)[\d;]*([@-~])/g)].map(([, p, f]) => `${p}${f}`));
    expect([...used].filter((s) => !["?h", "?l", "A", "B", "C", "J", "K"].includes(s))).toEqual([]);
    expect([...bytes.matchAll(/\x1b\[\?(\d+)[hl]/g)].map(([, n]) => n)).toSatisfy((all: string[]) =>
      all.every((n) => ["2026", "7", "25"].includes(n)),
    );
    expect(counted(emulator.lines(), run.words()).lost).toEqual([]);
    await run.leave();
  });
  it("TUI-B15, UX-N-3: with NO_COLOR no colour comes from anywhere, with colour it does", async () => {
    const COLOUR = /\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[\d;]*)?m/;
    const bytes = async (theme: ReturnType<typeof themeFor>) => {
      const run = await streaming(80, 24, 7, { theme, texts: ["**b** `c` \x1b[31mred\x1b[0m\n\n# head\n\n"] });
      for (let i = 0; i < 3; i++) await run.step();
      await run.finish();
      await run.leave();
      return run.terminal.written.join("");
    };
    expect(await bytes(themeFor({ TERM: "xterm-256color", NO_COLOR: "1", FORCE_COLOR: "3" }))).not.toMatch(COLOUR);
    const palette = paletteOf("light");
    if (palette === undefined) throw new Error("none");
    expect(await bytes(makeTheme({ depth: 256, palette }))).toMatch(COLOUR);
  });
});
