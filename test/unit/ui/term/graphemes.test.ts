import fc from "fast-check";
import realWidth from "string-width";
import { describe, expect, it } from "vitest";
import { graphemes, isSimple, Segmenter } from "../../../../src/ui/term/graphemes.ts";
import { measured, stringWidth } from "../../../../src/ui/term/width.ts";

const real = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const units = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
const simple = units.filter(isSimple);
const apart = [...simple, ...units.slice(0, 0x20).filter((c) => c !== "\r"), "\x7f"];
const segments = (text: string) => [...real.segment(text)].map(({ segment, index }) => ({ segment, index }));
const ours = (text: string) => [...graphemes(text)].map(({ segment, index }) => ({ segment, index }));

describe("graphemes", () => {
  it("TUI-B1: every simple sign is one column, as the Unicode tables have it, and there are enough for our screen", () => {
    expect(simple.filter((sign) => realWidth(sign) !== 1)).toEqual([]);
    expect(isSimple("Understudy — “é” 5×3 · … › ─ │ → ✓ ✗ ■ ○ ● ✻")).toBe(true);
    for (const wide of ["日", "e\u0301", "👩", "\u00ad", "\u200d", "\ufe0f", "\r", "\x1b", "\u2028"]) {
      expect(isSimple(wide)).toBe(false);
    }
  });
  it("any two of them stay apart", () => {
    const pairs = apart.map((sign) => apart.map((next) => sign + next).join(""));
    expect(pairs.filter((text) => segments(text).length !== text.length)).toEqual([]);
  });
  it("texts of all kinds are cut and measured as by the tables", () => {
    const unit = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...apart) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("\r", "\r\n", "日", "\u0301", "👩‍👩‍👧", "🇩🇪", "\u200d", "\ufe0f", "1\u20e3", "\x1b[31m"),
      },
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (parts) => {
        const text = parts.join("");
        expect(ours(text)).toEqual(segments(text));
        expect(stringWidth(text)).toBe(realWidth(text));
        for (const options of [undefined, {}, { countAnsiEscapeCodes: true }, { ambiguousIsNarrow: false }]) {
          expect(measured(text, options)).toBe(realWidth(text, options));
        }
      }),
    );
  });
  it("tells what holds a place, as the libraries ask", () => {
    const segmenter = new Segmenter();
    for (const text of ["a›b", "a日b\u0301"]) {
      for (let at = 0; at < text.length; at++) {
        expect(segmenter.segment(text).containing(at)).toEqual(real.segment(text).containing(at));
      }
      expect(segmenter.segment(text).containing(9)).toBe(undefined);
    }
  });
});
