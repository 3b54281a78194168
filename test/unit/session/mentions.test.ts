import { describe, expect, it } from "vitest";
import { mentionOf, mentionsIn } from "../../../src/session/mentions.ts";

const paths = (words: string) => mentionsIn(words).map(({ readings }) => readings.at(-1)?.path);

describe("mentions", () => {
  it("IN-11: @path at the start, behind blanks, opening signs and Chinese or Japanese punctuation; not inside a word", () => {
    expect(paths("@src/a.ts and (@b.ts), see @c.ts.")).toEqual(["src/a.ts", "b.ts", "c.ts"]);
    expect(paths("見て、@src/a.ts。次（@b.ts）")).toEqual(["src/a.ts", "b.ts"]);
    expect(paths("me@example.org a@b x.@y")).toEqual([]);
    expect(paths("@ alone @")).toEqual([]);
  });

  it("IN-11: a range of lines, and blanks in quotes", () => {
    expect(mentionsIn("@a.ts:10-20")[0]?.readings).toContainEqual({ path: "a.ts", lines: { from: 10, to: 20 } });
    expect(mentionsIn("@a.ts:7,")[0]?.readings).toContainEqual({ path: "a.ts", lines: { from: 7, to: 7 } });
    expect(mentionsIn("@a.ts#L3-L5")[0]?.readings).toContainEqual({ path: "a.ts", lines: { from: 3, to: 5 } });
    expect(mentionsIn("@a.ts:20-10")[0]?.readings).toEqual([{ path: "a.ts:20-10" }]);
    expect(mentionsIn('@"my file.md":2-3 x')[0]?.readings).toContainEqual({
      path: "my file.md",
      lines: { from: 2, to: 3 },
    });
  });

  it("IN-11: the longest name counts first, so that a name may end as a sentence does", () => {
    expect(mentionsIn("is it @what?")[0]?.readings.map((r) => r.path)).toEqual(["what?", "what"]);
    for (const path of ["a b.md", "what?", "src/x.ts", "日本.md"])
      expect(mentionsIn(`see ${mentionOf(path)} now`)[0]?.readings[0]?.path).toBe(path);
  });

  it("IN-11: a text of nothing but such signs is looked at so far and no further", () => {
    expect(mentionsIn(":@".repeat(50_000))).toHaveLength(2000);
    expect(mentionsIn(`@${".".repeat(4000)}x`)[0]?.readings).toEqual([{ path: `${".".repeat(4000)}x` }]);
    expect(mentionsIn(`@a${".".repeat(4000)}`)[0]?.readings.at(-1)).toEqual({ path: "a" });
  });
});
