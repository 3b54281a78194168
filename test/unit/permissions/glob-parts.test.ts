import { describe, expect, it } from "vitest";
import { PathPattern } from "../../../src/permissions/glob.ts";
import { braces, literal, matchSigns, partText, readPart, type Part } from "../../../src/permissions/glob-parts.ts";

const fits = (pattern: string, text: string): boolean => {
  const part = readPart(pattern);
  if ("all" in part) return true;
  return "name" in part ? part.name === text : matchSigns(part.signs, Array.from(text));
};

describe("one component of a pattern", () => {
  it.each([
    ["[a-c]", "abc", "d-A"],
    ["[!a-c]", "dz-", "abc"],
    ["[^a-c]", "d^", "abc"],
    ["[]a]", "]a", "b["],
    ["[!]a]", "b[", "]a"],
    ["[a-]", "a-", "b"],
    ["[-a]", "a-", "b"],
    ["[a-cx-z]", "abcxyz", "dw-"],
    ["[xa-c]", "xabc", "-y"],
    ["[a-cx]", "abcx", "-y"],
    ["[+--]", "+,-", "*."],
    ["[a!]", "a!", "b"],
    ["[\u{1f600}-\u{1f602}]", "\u{1f601}", "a"],
    ["?", "a\u{1f600}é", ""],
    ["\\?", "?", "a"],
    ["\\[", "[", "a"],
  ])("%s", (pattern, yes, no) => {
    expect(Array.from(yes).filter((c) => !fits(pattern, c))).toEqual([]);
    expect(Array.from(no).filter((c) => fits(pattern, c))).toEqual([]);
  });
  it.each([
    ["a*c", ["ac", "abc", "abbc", "acbc"], ["a", "c", "acb", "bac"]],
    ["*", ["", "a", ".x"], []],
    ["***", ["", "abc"], []],
    ["a***b", ["ab", "axb"], ["a", "b"]],
    ["*a*b", ["ab", "xaxb", "aab", "abab"], ["ba", "a", "abx"]],
    ["*ab", ["ab", "aab", "abab"], ["aba"]],
    ["a?c", ["abc"], ["ac", "abbc"]],
    ["?*", ["a", "ab"], [""]],
    ["*?", ["a", "ab"], [""]],
    ["a[b-d]*e", ["abe", "adxe"], ["ae", "aee", "ab"]],
    ["\\*a", ["*a"], ["a", "xa"]],
    ["a\\\\b", ["a\\b"], ["ab"]],
  ])("%s as a whole", (pattern, yes, no) => {
    expect(yes.filter((text) => !fits(pattern, text))).toEqual([]);
    expect(no.filter((text) => fits(pattern, text))).toEqual([]);
  });
  it("what can't be read says so", () => {
    expect(() => readPart("a\\")).toThrow("takes nothing literally");
    for (const text of ["[", "[a", "[]", "[!]", "[^]", "a[b-"]) expect(() => readPart(text)).toThrow("without its ]");
  });
  it("is written as it was read", () => {
    for (const text of ["**", "a", "a\\*b", "[a-c!]x", "[!x]", "?*", "a\\[b", "\\\\", "\\{a\\}"]) {
      const part: Part = readPart(text);
      expect(partText(part)).toBe(text);
    }
    expect(partText(readPart("[^a]"))).toBe("[!a]");
    expect(literal("a*?[b]{c}\\d,-!")).toBe("a\\*\\?\\[b\\]\\{c\\}\\\\d,-!");
  });
});

describe("braces", () => {
  it.each([
    ["a", ["a"]],
    ["a{b,c}d", ["abd", "acd"]],
    ["{a,b}{c,d}", ["ac", "ad", "bc", "bd"]],
    ["{a,{b,c}}", ["a", "b", "c"]],
    ["{a,b{c,d}e}", ["a", "bce", "bde"]],
    ["{,a}", ["", "a"]],
    ["{a}", ["{a}"]],
    ["{a", ["{a"]],
    ["a}", ["a}"]],
    ["{}{a,b}", ["{}a", "{}b"]],
    ["{a{b,c}", ["{ab", "{ac"]],
    ["\\{a,b}", ["\\{a,b}"]],
    ["{a\\,b,c}", ["a\\,b", "c"]],
    ["{a\\},b}", ["a\\}", "b"]],
    ["{a,b\\}", ["{a,b\\}"]],
    ["x{1,2}y{3,4}z", ["x1y3z", "x1y4z", "x2y3z", "x2y4z"]],
  ])("%s", (text, all) => {
    expect(braces(text)).toEqual(all);
  });
  it("64 alternatives are the most", () => {
    expect(braces("{a,b}".repeat(6))).toHaveLength(64);
    expect(() => braces("{a,b}".repeat(6) + "{a,b,c}")).toThrow("more than 64 alternatives");
    expect(() => braces("{a,b}".repeat(7))).toThrow("more than 64 alternatives");
  });
});

describe("paths", () => {
  const touches = (pattern: string, path: string) => new PathPattern(pattern).touches(path);
  it("a start and slashes too many say nothing", () => {
    for (const text of [".///src/a", "/src//a//", "./src/./a"]) expect(touches(text, "src/a")).toBe("yes");
    expect(touches("/a", "b/a")).toBe("no");
    expect(touches("./a", "b/a")).toBe("no");
    expect(touches("a", "b/a")).toBe("yes");
    expect(touches("a/", "b/a")).toBe("yes");
    expect(touches("b/a/", "x/b/a")).toBe("no");
    expect(new PathPattern("/a//").covers("a/b/c")).toBe(true);
    expect(touches("//srv/a", "/srv/a")).toBe("yes");
    expect(touches("//srv/a", "srv/a")).toBe("no");
    expect(touches("/srv/a", "/srv/a")).toBe("no");
    expect(touches("a", "/srv/a")).toBe("yes");
    expect(new PathPattern("/srv", { absolute: true }).covers("/srv/x")).toBe(true);
    expect(new PathPattern("/srv", { absolute: true }).absolute).toBe(true);
    expect(new PathPattern("srv").absolute).toBe(false);
  });
  it("a folder's name covers what lies below, a pattern with signs does not", () => {
    expect(new PathPattern("src").covers("src/a/b")).toBe(true);
    expect(new PathPattern("s*").covers("src/a/b")).toBe(false);
    expect(new PathPattern("s*/").covers("src/a/b")).toBe(true);
    expect(new PathPattern("{src,s*}").covers("src/a")).toBe(false);
    expect(new PathPattern("s*").covers("src", true)).toBe(false);
    expect(new PathPattern("src/**").covers("src", true)).toBe(true);
    expect(touches("s*", "src/a/b")).toBe("yes");
    expect(touches("src/a", "src")).toBe("below");
    expect(touches("{x,src/a}", "src")).toBe("below");
    expect(touches("src/a", "lib")).toBe("no");
  });
  it("to tighten, letters are compared without case, dress, invisible signs and dots at the end", () => {
    for (const path of ["Secret", "SECRET", "ｓecret", "se\u200bcret", "secret.", "secret. .", "secret  "])
      expect(touches("secret", path)).toBe("yes");
    for (const path of ["secre", "secretx", ".secret", "x.secret"]) expect(touches("secret", path)).not.toBe("yes");
    expect(touches("SECRET", "secret")).toBe("yes");
    expect(touches("Se*T", "sEcret")).toBe("yes");
    expect(touches("[A-C]x", "bx")).toBe("yes");
    expect(touches("[a-c]x", "Bx")).toBe("yes");
    expect(touches("[!a]x", "Ax")).toBe("yes");
    expect(touches("[!a]x", "ax")).not.toBe("yes");
    expect(touches("A?", "ab")).toBe("yes");
    expect(touches("a.", "a")).toBe("yes");
    expect(touches("..a", "..A")).toBe("yes");
    for (const path of ["../x", "a/../b", "a\0"]) expect(touches("y", path)).toBe("yes");
    expect(new PathPattern("y").covers("../y")).toBe(false);
  });
  it("only those that begin anywhere are floating", () => {
    expect(new PathPattern("a").floating).toBe(true);
    expect(new PathPattern("{a,b}").floating).toBe(true);
    expect(new PathPattern("**/a").floating).toBe(true);
    expect(new PathPattern("/a").floating).toBe(false);
    expect(new PathPattern("a/b").floating).toBe(false);
    expect(new PathPattern("{**/a,b/c}").floating).toBe(true);
  });
  it("the length is bounded", () => {
    expect(() => new PathPattern("a".repeat(1001))).toThrow("longer than 1,000");
    expect(new PathPattern("a".repeat(1000)).covers("a".repeat(1000))).toBe(true);
    for (const text of ["", " ", "/", "./", "//", "...", "/./."])
      expect(() => new PathPattern(text)).toThrow("the path is missing");
    expect(() => new PathPattern("a/../b")).toThrow("climb");
    expect(() => new PathPattern("a\0")).toThrow("NUL");
  });
});
