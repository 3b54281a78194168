import { describe, expect, it } from "vitest";
import { lastStates, sanitize, Sanitizer, visible } from "../../../src/util/visible.ts";

const chunks = (list: readonly string[], options: { sgr?: boolean } = {}): string[] => {
  const stream = new Sanitizer(options);
  return [...list.map((part) => stream.write(part)), stream.end()];
};

describe("the sanitiser, sign by sign", () => {
  it("SEC-G7: of every sign below 0x300 the screen gets itself or nothing", () => {
    const dropped = (code: number): boolean =>
      (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code < 0xa0) || code === 0xad;
    // A control string's start and end are looked at by themselves.
    const starts = new Set([0x1b, 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f]);
    const wrong = Array.from({ length: 0x300 }, (_, code) => code).filter((code) => {
      const c = String.fromCharCode(code);
      return !starts.has(code) && sanitize(`a${c}b`) !== (dropped(code) ? "ab" : `a${c}b`);
    });
    expect(wrong).toEqual([]);
  });
  it.each([
    // Everything from 0x30 to 0x7e ends an escape, what is between ends nothing.
    ["\x1b0a", "a"],
    ["\x1b~a", "a"],
    ["\x1b a0b", "0b"],
    ["\x1b /a0b", "0b"],
    ["\x1b/0b", "b"],
    ["\x1b\x7fa", "a"],
    ["\x1bé", "é"],
    ["\x1b\na", "\na"],
    // Parameters and what stands between of a CSI.
    ["\x1b[ @a", "a"],
    ["\x1b[?@a", "a"],
    ["\x1b[@a", "a"],
    ["\x1b[~a", "a"],
    ["\x1b[1\x01@a", "a"],
    ["\x1b[1\na", "\na"],
    ["\x1b[1éa", "éa"],
    ["\x1b[1\x7fa", "a"],
    // Each way in and each way out of a control string.
    ["\x90a\x9cb", "b"],
    ["\x98a\x9cb", "b"],
    ["\x9da\x9cb", "b"],
    ["\x9ea\x9cb", "b"],
    ["\x9fa\x9cb", "b"],
    ["\x9da\x07b", "b"],
    ["\x1b]a\x07b", "b"],
    ["\x9da\x18b", "b"],
    ["\x9da\x1ab", "b"],
    ["\x1bPa\x07b\x1b\\c", "c"],
    ["\x90a\x07b\x9cc", "c"],
    ["\x9fa\x07b\x9cc", "c"],
    ["\x1b_a\x07b\x1b\\c", "c"],
    ["\x1b]a\x1b\x1b\\b", "b"],
    ["\x1b]a\x1bcb", "b"],
    ["\x1b]a\x1b]b\x07c", "c"],
    ["\x1b]a\x1bPb\x1b\\c", "c"],
    // In one, the starts of others are its text.
    ["\x1b]a\x9b2Jb\x07c", "c"],
    ["\x1b]a\x9db\x07c", "c"],
    // One without an end is told as text.
    ["\x1b]0;a", "0;a"],
    ["\x1b]0;a\x1b", "0;a"],
    ["\x1b]a\x9bb\nc", "ab\nc"],
    ["\x1b]a\u0301\nc", "a\u0301\nc"],
    ["a\x1b[", "a"],
    ["a\x1b", "a"],
    ["a\x9b12", "a"],
    ["\x9b\x1b[31mb", "b"],
    ["\x1b\x9b1mb", "b"],
    ["\x1b\x9da\x9cb", "b"],
    ["\x1b[\x9da\x9cb", "b"],
  ])("TUI-B16: %j becomes %j", (text, clean) => {
    expect(sanitize(text)).toBe(clean);
  });
  it("a control string that goes on for ever is not shown again; a shorter one whole", () => {
    expect(sanitize(`\x1b]${"a".repeat(4096)}\nb`)).toBe(`${"a".repeat(4096)}\nb`);
    expect(sanitize(`\x1b]${"a".repeat(4097)}\nb`)).toBe("\nb");
    expect(sanitize(`\x1b]${"a".repeat(50_000)}`)).toBe("");
  });
  it("halves of pairs, and marks that go on over a chunk", () => {
    expect(["\ud800", "\udbff", "\udc00", "\udfff"].map((c) => sanitize(`a${c}b`))).toEqual(
      Array.from({ length: 4 }, () => "a\ufffdb"),
    );
    expect(sanitize("\ud7ff\ue000")).toBe("\ud7ff\ue000");
    expect(chunks(["a\ud83d", "\ude00b"])).toEqual(["a", "😀b", ""]);
    expect(chunks(["a\ud800", "\udc00b"])).toEqual(["a", "\u{10000}b", ""]);
    expect(chunks(["a\udbff", "b"])).toEqual(["a", "\ufffdb", ""]);
    expect(chunks(["a\ud83d"])).toEqual(["a", "\ufffd"]);
    const five = "\u0301".repeat(5);
    expect(chunks([`a${five}`, five, "b", `${five}`])).toEqual([`a${five}`, five.slice(2), "b", five, ""]);
    expect(chunks([`a${five}`, "", five])).toEqual([`a${five}`, "", five.slice(2), ""]);
    expect(sanitize(`a${"\u0300".repeat(9)}`)).toBe(`a${"\u0300".repeat(8)}`);
    expect(sanitize("\u0300é日本".repeat(20))).toBe("\u0300é日本".repeat(20));
  });
  it("a stream that has ended begins anew", () => {
    const stream = new Sanitizer({ sgr: true });
    expect(stream.write("\x1b[31ma\x1b]b") + stream.end()).toBe("\x1b[31mab\x1b[0m");
    expect(stream.write("c") + stream.end()).toBe("c");
    expect(stream.write("\x1b]") + stream.end() + stream.write("d")).toBe("d");
    expect(stream.write("x\ud83d") + stream.end() + stream.write("d")).toBe("x\ufffdd");
    expect(chunks(["plain", "é", "\x1b]0;t", "itle\x07", "z"])).toEqual(["plain", "é", "", "", "z", ""]);
  });
});

describe("colours, one by one", () => {
  const passes = (p: string): boolean => sanitize(`\x1b[${p}mx`, { sgr: true }).startsWith(`\x1b[${p}m`);
  it("TUI-B16: weights and colours pass, what blinks, conceals or frames does not", () => {
    const numbers = Array.from({ length: 120 }, (_, n) => n).filter((n) => passes(String(n)));
    const between = (a: number, b: number) => Array.from({ length: b - a + 1 }, (_, n) => a + n);
    const own = [0, 1, 2, 3, 4, 7, 9, 21, ...between(22, 25), ...between(27, 29), ...between(30, 37), 39];
    const rest = [...between(40, 47), 49, 53, 55, 59, ...between(90, 97), ...between(100, 107)];
    expect(numbers).toEqual([...own, ...rest]);
  });
  it.each(["", "00", "01", "009", "4:0", "4:5", "38:5:1", "48:2::1:2:3", "58:5:1", "38;5;1", "48;2;1;2;3", "58;5;8"])(
    "%j passes",
    (p) => {
      expect(passes(p)).toBe(true);
    },
  );
  it.each(["4:6", "6", "8", "05", "008", "28:5:1", "38:x", "x", "?1", "1 ", ">4", "38", "38;7;1", "58;2;1"])(
    "%j doesn't",
    (p) => {
      expect(passes(p)).toBe(false);
    },
  );
  it("a colour that needs more than there is ends the list; what comes before it counts", () => {
    expect(sanitize("\x1b[1;38;5mx", { sgr: true })).toBe("\x1b[1mx\x1b[0m");
    expect(sanitize("\x1b[38;5;1;4mx", { sgr: true })).toBe("\x1b[38;5;1;4mx\x1b[0m");
    expect(sanitize("\x1b[38;2;1;2;3;8;4mx", { sgr: true })).toBe("\x1b[38;2;1;2;3;4mx\x1b[0m");
    expect(sanitize("\x1b[38;5;1;48;5;2mx", { sgr: true })).toBe("\x1b[38;5;1;48;5;2mx\x1b[0m");
    expect(sanitize("\x1b[31mx\x1b[39my", { sgr: true })).toBe("\x1b[31mx\x1b[39my\x1b[0m");
    expect(sanitize("\x1b[31mx\x1b[my", { sgr: true })).toBe("\x1b[31mx\x1b[my");
    expect(sanitize("\x1b[31mx\x1b[0my", { sgr: true })).toBe("\x1b[31mx\x1b[0my");
    // Without a number that counts it is none of ours.
    expect(sanitize("\x1b[31mx\x1b[8my", { sgr: true })).toBe("\x1b[31mxy\x1b[0m");
  });
  it("parameters without an end are cut, and none is made of what is left", () => {
    const long = "1;".repeat(300);
    const out = sanitize(`\x1b[${long}31mx`, { sgr: true });
    expect(out).toBe(`\x1b[${"1;".repeat(128)}mx\x1b[0m`);
  });
});

describe("what questions show, and progress lines", () => {
  it("UX-P-2: marks beyond eight on one letter are all written out", () => {
    expect(visible(`a${"\u0301".repeat(8)}`)).toBe(`a${"\u0301".repeat(8)}`);
    expect(visible(`a${"\u0301".repeat(9)}`)).toBe(`a${"\\u{301}".repeat(9)}`);
  });
  it("UX-T-8: a line of carriage returns alone is empty; others are as they were", () => {
    expect(lastStates("\r\r")).toBe("");
    expect(lastStates("a\n\r\rb\n\r")).toBe("a\nb\n");
    expect(lastStates("x\ry")).toBe("y");
    expect(lastStates("plain\ntext")).toBe("plain\ntext");
  });
});
