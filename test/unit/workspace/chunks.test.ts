import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { choicesIn, chunksOf, hunksOfChunks, joined, withMarkers } from "../../../src/workspace/chunks.ts";
import { mergeText } from "../../../src/workspace/merge.ts";
import { deepRuns } from "../../support/deep.ts";

const text = fc
  .tuple(fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d\r\n"), { maxLength: 8 }), fc.constantFrom("", "", "x"))
  .map(([lines, end]) => lines.join("") + end);
const bytes = (s: string): Buffer => Buffer.from(s, "latin1");
const chunks = (a: string, o: string | undefined, b: string) =>
  chunksOf(bytes(a), o === undefined ? undefined : bytes(o), bytes(b)) ?? [];

describe("chunks of a file that both sides changed", () => {
  it("W6: nothing taken is the folder's text; all taken is the merge wherever there is one, and a clash wherever there is none", () => {
    fc.assert(
      fc.property(text, text, text, (a, o, b) => {
        const all = chunks(a, o, b);
        expect(joined(all, () => "folder").toString("latin1")).toBe(a);
        const merged = mergeText(bytes(a), bytes(o), bytes(b));
        expect(all.some((c) => c.kind === "clash")).toBe(merged === undefined);
        if (merged !== undefined) expect(joined(all, () => "ours")).toEqual(merged);
        expect(all.map((c) => c.base.join("")).join("")).toBe(o);
        expect(all.map((c) => c.ours.join("")).join("")).toBe(b);
      }),
      deepRuns(500, 20_000),
    );
  });

  it("W6: what stays of a part is in conflict where it was, and nowhere else", () => {
    fc.assert(
      fc.property(text, text, text, fc.array(fc.boolean()), (a, o, b, taken) => {
        const all = chunks(a, o, b);
        const side = (left: "folder" | "base" | "ours") => joined(all, (_c, n) => (taken[n] === true ? "ours" : left));
        const again = chunksOf(side("folder"), side("base"), side("ours")) ?? [];
        const open = choicesIn(all).filter((_c, n) => taken[n] !== true);
        expect(again.some((c) => c.kind === "clash")).toBe(open.some((c) => c.kind === "clash"));
      }),
      deepRuns(300, 20_000),
    );
  });

  it("W6: without a base all that differs clashes; bytes that are no text have no chunks", () => {
    expect(chunks("a\nb\n", undefined, "a\nc\n").map((c) => c.kind)).toEqual(["same", "clash"]);
    expect(choicesIn(chunks("a\n", undefined, "a\n"))).toEqual([]);
    expect(chunksOf(bytes("a\0"), bytes("a"), bytes("b"))).toBeUndefined();
    expect(chunksOf(bytes("a"), bytes("a\0"), bytes("b"))).toBeUndefined();
  });

  it("W6: hunks name their lines on both sides, a last line without its end, and what a clash was", () => {
    const all = chunks(
      "1\n2\nmine\n4\n5\n6\n7\n8\n9",
      "1\n2\n3\n4\n5\n6\n7\n8\n9",
      "1\n2\nours\nmore\n4\n5\n6\n7\n8\n\u00fc",
    );
    expect(hunksOfChunks(all, false)).toEqual([
      {
        oldStart: 1,
        newStart: 1,
        lines: [" 1", " 2", "-mine", "+ours", "+more", " 4", " 5", " 6"],
        was: ["3"],
      },
      {
        oldStart: 6,
        newStart: 7,
        lines: [" 6", " 7", " 8", "-9", "\\ No newline at end of file", "+\u00fc", "\\ No newline at end of file"],
      },
    ]);
    expect(hunksOfChunks(chunks("a\n", undefined, "\u00c3\u00bc\n"), true)[0]?.lines).toEqual(["-a", "+\u00fc"]);
  });

  it("W6: marks stand on lines of their own, also where a last line has no end", () => {
    expect(withMarkers(chunks("x\nmine", "x\nold", "x\nours")).toString("latin1")).toBe(
      "x\n<<<<<<< folder\nmine\n||||||| before\nold\n=======\nours\n>>>>>>> rehearsed\n",
    );
  });
});
