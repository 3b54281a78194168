import { describe, expect, it } from "vitest";
import { nearest, nearNames } from "../../../src/tools/near.ts";

describe("the nearest text", () => {
  it.each([
    ["\tif (a) {\n\t\tgo();\n", "  if (a) {\n    go();\n", /lines 1-2 \(differs in white space alone/],
    ["it’s\n", "it's", /line 1 \(differs in curly and straight quotes\)/],
    ["cafe\u0301\n", "café", /line 1 \(differs in how accents/],
    ["const Limit = 1;", "const limit = 1;", /line 1 \(differs in capital letters alone\)/],
  ])("T4: names the kind of difference", (text, wanted, expected) => {
    expect(nearest(text, wanted)).toMatch(expected);
  });
  it("T4: knows Read's line numbers", () => {
    expect(nearest("a\nb\n", "1\ta\n2\tb\n")).toMatch(/line numbers that Read puts/);
  });
  it("T4: takes the block that is most alike as a whole", () => {
    const text = "def save_user(x):\n  check(x)\n  put('user')\n\ndef save_group(x):\n  check(x)\n  put('group')\n";
    expect(nearest(text, "def save_gruop(x):\n  check(x)\n  put('group')")).toMatch(/lines 5-7/);
  });
  it("T4: names nothing where nothing is alike", () => {
    expect(nearest("alpha\n", "zzzz qqqq")).toMatch(/Nothing in it is alike/);
  });
  it("T4: is bounded for large texts and long lines", () => {
    const text = `${"x".repeat(1_000_000)}\n`.repeat(3) + "needle one\n".repeat(200_000);
    expect(nearest(text, "needle two").length).toBeLessThan(2000);
  });
  it("names of files", () => {
    expect(nearNames(["index.ts", "main.ts", "index.test.ts"], "index.tsx")).toEqual(["index.ts", "index.test.ts"]);
  });
});
