import { describe, expect, it } from "vitest";
import { landedText } from "../../../src/loop/say.ts";

const edit = (path: string) => ({ op: "modify", path });

describe("what the loop tells the model", () => {
  it("P9: names what landed and what the person left out, whole or in part", () => {
    const left = [
      { path: "b", inPart: false },
      { path: "c", inPart: true },
    ];
    expect(landedText({ changed: ["a", "b", "c"].map(edit), git: [{ text: "commit 1 on main" }], left }, 2)).toBe(
      "[Landed in the folder: modify a, modify c, commit 1 on main. The person left out: b, parts of c. 2 regenerable files stay in the copy: later commands and reads see them.]",
    );
    expect(landedText({ changed: [edit("b")], git: [], left: left.slice(0, 1) }, 0)).toMatch(
      /^\[Landed in the folder: nothing\./,
    );
  });

  it("L9: many names are counted", () => {
    const changed = Array.from({ length: 30 }, (_, n) => edit(`f${n}`));
    expect(landedText({ changed, git: [], left: [] }, 0)).toMatch(/modify f19, and 10 more\.\]$/);
  });
});
