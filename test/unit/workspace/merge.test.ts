import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeText } from "../../../src/workspace/merge.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const merged = (mine: string, base: string, theirs: string) =>
  mergeText(bytes(mine), bytes(base), bytes(theirs))?.toString("latin1");

const BASE = "one\ntwo\nthree\nfour\nfive\n";

describe("mergeText", () => {
  it.each([
    ["lines apart", BASE.replace("two", "2"), BASE.replace("five", "V"), "one\n2\nthree\nfour\nV\n"],
    [
      "the same change on both sides",
      BASE.replace("two", "2"),
      BASE.replace("two", "2"),
      "one\n2\nthree\nfour\nfive\n",
    ],
    ["only mine", BASE.replace("two\n", ""), BASE, "one\nthree\nfour\nfive\n"],
    ["only theirs", BASE, BASE.replace("two\n", ""), "one\nthree\nfour\nfive\n"],
    ["lines added at both ends", `zero\n${BASE}`, `${BASE}six\n`, `zero\n${BASE}six\n`],
    [
      "an end without a line end, taken off by theirs",
      BASE.replace("one", "1"),
      BASE.slice(0, -1),
      "1\ntwo\nthree\nfour\nfive",
    ],
    ["bytes that are no UTF-8", `\xff\n${BASE}`, `${BASE}\xfe`, `\xff\n${BASE}\xfe`],
    [
      "line ends of both kinds",
      BASE.replace("two\n", "two\r\n"),
      BASE.replace("five", "5"),
      "one\ntwo\r\nthree\nfour\n5\n",
    ],
    ["all of it gone on one side", BASE, "", ""],
  ])("W3: %s", (_name, mine, theirs, result) => {
    expect(merged(mine, BASE, theirs)).toBe(result);
  });
  it.each([
    ["the same line", BASE.replace("two", "2"), BASE.replace("two", "II")],
    ["a line that the other side took away", BASE.replace("two\n", ""), BASE.replace("two", "2")],
    ["all of it gone, and a change", "", BASE.replace("two", "2")],
  ])("W3: %s is a conflict", (_name, mine, theirs) => {
    expect(merged(mine, BASE, theirs)).toBeUndefined();
    expect(merged(theirs, BASE, mine)).toBeUndefined();
  });
  it("W3: an empty base: what both sides made is a conflict unless it is the same", () => {
    expect(merged("a\n", "", "b\n")).toBeUndefined();
    expect(merged("a\n", "", "a\n")).toBe("a\n");
    expect(merged("", "", "b\n")).toBe("b\n");
  });
  it("W3: what is no text, or too large, is not merged, on whichever side it is", () => {
    const other = BASE.replace("two", "2");
    // As lines they would merge: the odd one is far from the other change.
    for (const odd of [`${BASE}\0\n`, `${BASE}${"x".repeat(4 << 20)}\n`]) {
      expect(merged(odd, BASE, other)).toBeUndefined();
      expect(merged(other, odd, odd)).toBeUndefined();
      expect(merged(other, BASE, odd)).toBeUndefined();
    }
    const most = `${"x".repeat((4 << 20) - 1)}\n`;
    expect(merged(most, most, `${most}y`.slice(-(4 << 20)))).toBeDefined();
  });
  it("W3: property: changes of lines that lie apart both arrive, in whichever order they are given", () => {
    const line = fc.stringMatching(/^[a-z]{0,3}$/);
    const edits = fc.array(fc.tuple(fc.nat(19), fc.constantFrom("change", "remove", "add")), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(line, { minLength: 20, maxLength: 20 }), edits, (extra, wanted) => {
        // Unique lines four apart, so that each change stands alone.
        const base = Array.from({ length: 80 }, (_, n) => `${n}\n`);
        const sides: [string[], string[]] = [[...base], [...base]];
        const both = [...base];
        const seen = new Set<number>();
        wanted.forEach(([at, kind], n) => {
          if (seen.has(at)) return;
          seen.add(at);
          const now = kind === "remove" ? "" : kind === "add" ? `${at * 4}\n+${extra[at]}\n` : `!${extra[at]}\n`;
          for (const text of [sides[n % 2 === 0 ? 0 : 1], both]) if (text !== undefined) text[at * 4] = now;
        });
        const [mine, theirs] = sides.map((text) => text.join(""));
        expect(merged(mine ?? "", base.join(""), theirs ?? "")).toBe(both.join(""));
        expect(merged(theirs ?? "", base.join(""), mine ?? "")).toBe(both.join(""));
      }),
    );
  });
});
