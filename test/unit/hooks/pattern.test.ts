import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matcherOf } from "../../../src/hooks/matcher.ts";
import { compile, PatternError } from "../../../src/hooks/pattern.ts";
import { deepRuns } from "../../support/deep.ts";

describe("matcherOf", () => {
  it("H1: names are exact and case counts; A|B is either; nothing and * are all", () => {
    const table: [string, string, boolean][] = [
      ["Bash", "Bash", true],
      ["Bash", "bash", false],
      ["Bash", "BashOutput", false],
      ["Edit|Write", "Write", true],
      ["Edit|Write", "Wri", false],
      ["", "Anything", true],
      ["*", "mcp__a__b", true],
      ["mcp__git__.*", "mcp__git__push", true],
      ["mcp__git__.*", "mcp__gut__push", false],
      ["^Bash", "BashOutput", true],
      ["Bash$", "BashOutput", false],
      ["B.sh", "xBash", true],
    ];
    for (const [matcher, subject, fits] of table)
      expect([matcher, subject, matcherOf(matcher)(subject)]).toEqual([matcher, subject, fits]);
  });
  it("H1: what can't be read is an error in words", () => {
    for (const text of ["(", "a)", "[a", "a**", "(*a)", "(?=a)", "(a)\\1", "a{999}", "\\b", "x".repeat(501)])
      expect(() => matcherOf(`.${text}`)).toThrow(PatternError);
  });
});

describe("compile", () => {
  it("H1: says what a regular expression says", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "\\d", "\\.", "(a|b)", "(?:ab)", "(a*)");
    const times = fc.constantFrom("", "*", "+", "?", "{2}", "{1,3}", "{2,}");
    const part = fc.tuple(atom, times).map(([a, t]) => a + t);
    const source = fc
      .tuple(
        fc.constantFrom("", "^"),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("", "$"),
        fc.option(part, { nil: "" }),
      )
      .map(([head, parts, tail, other]) => `${head}${parts.join("")}${tail}${other === "" ? "" : `|${other}`}`);
    const subject = fc.string({ unit: fc.constantFrom("a", "b", "c", "1", ".", "_"), maxLength: 8 });
    fc.assert(
      fc.property(source, subject, (pattern, text) => {
        expect(compile(pattern)(text)).toBe(new RegExp(pattern, "s").test(text));
      }),
      deepRuns(2000, 200_000),
    );
  });
  it("H1: no pattern takes long, whatever it says", () => {
    for (const pattern of ["^(a+)+$", "(a|a)*b", "(a*)*(a*)*c", "(.*)*(.*)*x", "(a{1,50}){1,50}b".slice(0, 12)]) {
      // A backtracking matcher would not come to an end here.
      expect(compile(pattern)("a".repeat(4000) + "!")).toBe(false);
    }
  });
});
