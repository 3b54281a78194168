import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hunksOf, withoutHunks } from "../../../src/workspace/hunk.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");
const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `${from + n}\n`).join("");

describe("withoutHunks", () => {
  const before = lines(1, 40);
  const after = before.replace("2\n", "two\n").replace("20\n", "").replace("39\n", "39\nnew\n");
  it("P9: each hunk can be taken back by itself, byte by byte", () => {
    expect(hunksOf(before, after)).toHaveLength(3);
    const left = (n: number[]) => withoutHunks(bytes(before), bytes(after), n).toString("latin1");
    expect(left([])).toBe(after);
    expect(left([0, 1, 2])).toBe(before);
    expect(left([0])).toBe(after.replace("two\n", "2\n"));
    expect(left([1])).toBe(before.replace("2\n", "two\n").replace("39\n", "39\nnew\n"));
    expect(left([2])).toBe(after.replace("new\n", ""));
  });
  it("P9: changes that lie closer than their context are one hunk, others are two", () => {
    const two = (apart: number) => before.replace("10\n", "x\n").replace(`${10 + apart}\n`, "y\n");
    expect(hunksOf(before, two(7))).toHaveLength(1);
    expect(hunksOf(before, two(8))).toHaveLength(2);
  });
  it.each([
    ["a", "b", "b"],
    ["a\n", "a", "a"],
    ["a", "a\n", "a\n"],
    ["", "x\n", "x\n"],
    ["x\n", "", ""],
    ["\xff\n", "\xfe\r\n", "\xfe\r\n"],
  ])("P9: ends without a line end: %j to %j", (old, now, kept) => {
    expect(withoutHunks(bytes(old), bytes(now), []).toString("latin1")).toBe(kept);
    expect(withoutHunks(bytes(old), bytes(now), [0]).toString("latin1")).toBe(old);
  });
  it("P9: a number that no hunk has is refused", () => {
    expect(() => withoutHunks(bytes("a\n"), bytes("b\n"), [0, 1])).toThrow("there is no hunk 1: the diff has 1");
  });
  it("P9: property: none taken back is after, all is before", () => {
    const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "d\n", "\n", "é\r\n"), { maxLength: 40 });
    const end = fc.constantFrom("", "z");
    fc.assert(
      fc.property(text, text, end, end, (old, now, oldEnd, nowEnd) => {
        const [a, b] = [Buffer.from(old.join("") + oldEnd), Buffer.from(now.join("") + nowEnd)];
        const all = hunksOf(a.toString("latin1"), b.toString("latin1")).map((_, n) => n);
        expect(withoutHunks(a, b, []).equals(b)).toBe(true);
        expect(withoutHunks(a, b, all).equals(a)).toBe(true);
      }),
    );
  });
});
