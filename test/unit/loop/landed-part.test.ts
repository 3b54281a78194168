import { describe, expect, it } from "vitest";
import type { ChangeEntry, ChangeSummary } from "../../../src/events/effect.ts";
import { landedPart } from "../../../src/loop/landed-part.ts";

const entry = (path: string, more: Partial<ChangeEntry> = {}): ChangeEntry => ({
  root: 0,
  path,
  op: "modify",
  type: "file",
  marks: [],
  ...more,
});
const summary: ChangeSummary = {
  entries: [
    entry("a", { added: 1, removed: 1 }),
    entry("b", { added: 2, removed: 0 }),
    entry("c", { type: "folder", files: 3 }),
  ],
  files: 5,
  git: [],
  regenerable: [],
  manifestHash: "h",
  undoable: true,
};

describe("landedPart", () => {
  it("P9: what the person left out is not told as landed", () => {
    expect(landedPart(summary, [])).toBe(summary);
    const part = landedPart(summary, [
      { root: 0, path: "a", hunks: [1] },
      { root: 0, path: "c" },
    ]);
    expect(part).toEqual({ ...summary, entries: [entry("a"), summary.entries[1]], files: 2 });
  });
});
