import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasInvisible, lastStates, sanitize, Sanitizer, visible } from "../../../src/util/visible.ts";

/** The exact text that `visible` was given, read back from what it shows. */
function readBack(shown: string): string {
  return shown.replace(/\\u\{([0-9a-f]+)\}/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}
const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ..."\x1b,[,],P,_,^,X,\\,;,0,8,m,J,H,\x07,\x9b,\x9c,\x9d,\x90,\n,\t,\r,a,\u202e,\u200b,\u0301,\ud83d,\udc4d,\\u{5c},u{,\u00a0,\u2800,\x7f".split(
          ",",
        ),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join("")),
);

describe("visible", () => {
  it("SEC-G7: shown text, read back, is the exact text", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(readBack(visible(text))).toBe(text);
        expect(readBack(visible(text, "\n\t"))).toBe(text);
      }),
      { numRuns: 5000 },
    );
  });
  it("SEC-G7: shows no control, bidi, zero-width or odd blank as itself", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(visible(text)).not.toMatch(
          /[\x00-\x09\x0b-\x1f\x7f-\xa0\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\u2800\ufeff]/,
        );
      }),
      { numRuns: 2000 },
    );
  });
  it.each([
    [
      "perm-hidden-command",
      "echo good; touch evil \x1b[24D\x1b[K\r",
      "echo good; touch evil \\u{1b}[24D\\u{1b}[K\\u{d}",
    ],
    ["perm-hidden-command", "echo \u202e \u200b", "echo \\u{202e} \\u{200b}"],
    ["terminal-escape-005", "rm -rf src\rls -la", "rm -rf src\\u{d}ls -la"],
    ["terminal-escape-007", "cat docs/hello\x1b[/../../etc/hosts", "cat docs/hello\\u{1b}[/../../etc/hosts"],
    ["terminal-escape-010", "echo ok\t; rm", "echo ok\\u{9}; rm"],
    ["UX-P-2 no-break space", "rm\u00a0-rf", "rm\\u{a0}-rf"],
    ["UX-P-2 variation selector", "a\ufe0fb", "a\\u{fe0f}b"],
    ["UX-P-2 tag letters", "a\u{e0041}", "a\\u{e0041}"],
    ["half of a pair", "a\ud83d", "a\\u{d83d}"],
    ["text that looks escaped", "\\u{1b}", "\\u{5c}u{1b}"],
    ["a plain backslash", "a\\nb \\d", "a\\nb \\d"],
  ])("%s", (_id, text, shown) => {
    expect(visible(text)).toBe(shown);
  });
  it("keeps ordinary text of any script", () => {
    for (const text of ["ls -la\necho ok", "naïve café", "日本語", "👍 done", "русский"]) {
      expect(visible(text)).toBe(text);
      expect(hasInvisible(text)).toBe(false);
    }
    expect(hasInvisible("a\u200b")).toBe(true);
  });
});

describe("sanitize", () => {
  it.each([
    ["terminal-escape-001", "\x1b]52;c;Y3VybA==\x07", ""],
    ["terminal-escape-002", "\x1b]8;;http://example.invalid/\x1b\\docs\x1b]8;;\x1b\\", "docs"],
    ["terminal-escape-004", "\x1b[2J\x1b[H Allow? y", " Allow? y"],
    ["terminal-escape-011", "\x1bP+q544e\x1b\\", ""],
    ["terminal-escape-012", "\x1b_Gf=24;AAAA\x1b\\", ""],
    ["terminal-escape-013", "\x1b^x\x1b\\\x1bXy\x1b\\", ""],
    ["terminal-escape-014", "\x9b2J\x9d0;x\x9c", ""],
    ["terminal-escape-015", "\x1b[6n\x1b[c\x1b[21t", ""],
    ["terminal-escape-016", "x\x1b[201~y\n", "xy\n"],
    ["terminal-escape-017", "start \x1b]0;never closed\nmore", "start 0;never closed\nmore"],
    ["terminal-escape-017 at the end", "start \x1b]0;never closed", "start 0;never closed"],
    ["terminal-escape-018", "\x07\x07a", "a"],
    ["terminal-escape-021", "ENOENT: \x1b[31mfake\x1b]8;;http://example.invalid\x1b\\", "ENOENT: fake"],
    ["terminal-escape-022", "branch \x1b]0;x\x07main", "branch main"],
    ["an escape inside a control string ends it", "\x1b]0;a\x1b[2Jb", "b"],
    ["charset and keypad", "\x1b(B\x1b=\x1b>x\x1bc", "x"],
    ["zero width, bidi, soft hyphen", "a\u200b\u202eb\u00adc\u2066", "abc"],
    ["half of a pair", "a\ud83db", "a\ufffdb"],
    ["emoji with a joiner", "👩\u200d💻", "👩\u200d💻"],
    ["line ends", "a\r\nb\tc", "a\nb\tc"],
  ])("%s", (_id, text, clean) => {
    expect(sanitize(text)).toBe(clean);
  });
  it("marks on one letter are bounded", () => {
    expect(sanitize("a" + "\u0301".repeat(100) + "b")).toBe("a" + "\u0301".repeat(8) + "b");
  });
  it.each([
    ["\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"],
    ["\x1b[1;38;5;200;8mx", "\x1b[1;38;5;200mx\x1b[0m"],
    ["\x1b[38;2;1;2;8mx\x1b[m", "\x1b[38;2;1;2;8mx\x1b[m"],
    ["\x1b[8mhidden\x1b[28m", "hidden\x1b[28m\x1b[0m"],
    ["\x1b[5mblink", "blink"],
    ["\x1b[?25lx\x1b[>4m", "x"],
    ["\x1b[38;2;1mx", "x"],
  ])("TUI-B16: colours of %j", (text, clean) => {
    expect(sanitize(text, { sgr: true })).toBe(clean);
  });
  it("terminal-escape-023: a stream cut anywhere gives the same as the whole", () => {
    fc.assert(
      fc.property(nasty, fc.array(fc.nat(60), { maxLength: 6 }), fc.boolean(), (text, cuts, sgr) => {
        const stream = new Sanitizer({ sgr });
        let out = "";
        let from = 0;
        for (const cut of [...cuts.map((c) => Math.min(c, text.length)).toSorted((a, b) => a - b), text.length]) {
          out += stream.write(text.slice(from, cut));
          from = cut;
        }
        expect(out + stream.end()).toBe(sanitize(text, { sgr }));
      }),
      { numRuns: 5000 },
    );
  });
  it("TUI-B16: nothing but printable text, line ends, tabs and own colours comes out", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const bad = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
        expect(sanitize(text)).not.toMatch(bad);
        expect(sanitize(text, { sgr: true }).replace(/\x1b\[[\d;:]*m/g, "")).not.toMatch(bad);
      }),
      { numRuns: 5000 },
    );
  });
});

describe("lastStates", () => {
  it("UX-T-8: progress lines show their last state", () => {
    expect(lastStates("10%\r50%\r100%\r\ndone\r\n")).toBe("100%\ndone\n");
    expect(lastStates("a\rb\r")).toBe("b");
    expect(lastStates("plain\n")).toBe("plain\n");
  });
  it("means the same as the two patterns that say it shortest", () => {
    const sent = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n") });
    const shortest = (text: string) => text.replace(/\r+(?=\n|$)/g, "").replace(/[^\n]*\r/g, "");
    fc.assert(
      fc.property(sent, (text) => {
        expect(lastStates(text)).toBe(shortest(text));
      }),
    );
  });
  it("terminal-escape-019: a line of a million letters costs no more than its length", () => {
    const long = "W".repeat(1_000_000);
    expect(lastStates(long)).toBe(long);
    expect(lastStates(`${long}\r${long}x`)).toBe(`${long}x`);
    expect(lastStates(`a${"\r".repeat(1_000_000)}x`)).toBe("x");
  });
});
