import { describe, expect, it } from "vitest";
import { sliceColumns, stringWidth, truncateStyled, wrappedRows, wrapStyled } from "../../../../src/ui/term/width.ts";

const RED = "\x1b[31m";
const END = "\x1b[39m";

describe("width", () => {
  it("counts columns, not characters; styles and links take none", () => {
    expect([stringWidth("日本"), stringWidth("e\u0301"), stringWidth("👩‍👩‍👧"), stringWidth("")]).toEqual([4, 1, 2, 0]);
    expect(stringWidth(`${RED}ab${END}\x1b]8;;http://x\x1b\\c\x1b]8;;\x1b\\`)).toBe(3);
    for (let i = 0; i < 10_000; i++) stringWidth(`é${i}`);
    expect(stringWidth("é0")).toBe(2);
  });
  it("cuts styled text at a column, never through a wide character", () => {
    expect(sliceColumns("abcdef", 3)).toBe("abc");
    expect(sliceColumns("日本語", 3)).toBe("日");
    expect(sliceColumns(`a${RED}bc${END}d`, 2)).toBe(`a${RED}b`);
    expect(sliceColumns(`ab${RED}c`, 2)).toBe("ab");
  });
  it("truncates with a sign and ends the styles", () => {
    expect(truncateStyled("abcdef", 6)).toBe("abcdef");
    expect(truncateStyled("abcdef", 4)).toBe("abc…");
    expect(truncateStyled(`${RED}abcdef${END}`, 4)).toBe(`${RED}abc\x1b[0m…`);
    expect([truncateStyled("abc", 1), truncateStyled("abc", 0), truncateStyled("日本", 3)]).toEqual(["…", "", "日…"]);
  });
  it("wraps behind blanks, long words anywhere, and takes styles along", () => {
    expect(wrapStyled("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
    expect(wrapStyled("abcdefgh", 3)).toEqual(["abc", "def", "gh"]);
    expect(wrapStyled("a\n\nb", 10)).toEqual(["a", "", "b"]);
    expect(wrapStyled(`${RED}one two${END}`, 4)).toEqual([`${RED}one\x1b[0m`, `${RED}two${END}\x1b[0m`]);
  });
  it("N-9: widths below one don't break it", () => {
    expect(wrapStyled("ab", 0)).toEqual(["a", "b"]);
    expect(sliceColumns("ab", -1)).toBe("");
  });
  it("TUI-3.3: counts rows that a terminal makes of one, wide characters going down whole", () => {
    expect([wrappedRows("abcdef", 3), wrappedRows("abcdefg", 3), wrappedRows("", 3)]).toEqual([2, 3, 1]);
    expect([wrappedRows("日本語", 4), wrappedRows("日本語", 3), wrappedRows("a日本", 4)]).toEqual([2, 3, 2]);
  });
});
