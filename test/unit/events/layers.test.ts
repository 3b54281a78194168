import { describe, expect, it } from "vitest";
import type { ChangeEntry } from "../../../src/events/effect.ts";
import { layersOf, pendingEntries, pendingFiles, pendingText, rehearses } from "../../../src/events/layers.ts";
import type { StepState } from "../../../src/events/state.ts";
import { entry, summary } from "../../support/questions.ts";

const step = (
  id: string,
  status: StepState["status"],
  entries: ChangeEntry[],
  more: Partial<StepState> = {},
): StepState => ({
  operationId: id,
  status,
  kept: false,
  at: "",
  summary: summary(entries),
  ...more,
});
const made = (path: string) => entry(path, { op: "create" });
const gone = (path: string) => entry(path, { op: "delete" });

describe("what is pending", () => {
  it("W6: layers are what waits and what is kept, in the order in which they were made", () => {
    const steps = [
      step("a", "pended", []),
      step("b", "landed", [], { kept: true }),
      step("c", "dropped", []),
      step("d", "squashed", []),
      step("e", "pended", [], { kept: true }),
    ];
    expect(layersOf({ steps }).map((l) => `${l.operationId} ${l.pended}`)).toEqual(["a true", "b false", "e true"]);
    expect([rehearses({ steps, rehearsing: false }), rehearses({ steps: [], rehearsing: false })]).toEqual([
      true,
      false,
    ]);
  });

  it("W6: counts each file once, by its last state; what was made and deleted again counts no more", () => {
    const steps = [
      step("a", "pended", [made("n"), entry("m"), made("d/x"), made("old")]),
      step("b", "pended", [entry("n"), gone("m"), gone("d"), entry("new", { op: "rename", from: "old" })]),
      step("c", "landed", [made("other")]),
      step("d", "pended", [entry("r", { op: "rename", from: "was" }), entry("dir", { op: "create", type: "folder" })]),
    ];
    expect(pendingEntries({ steps }).map((e) => `${e.op} ${e.path}`)).toEqual([
      "create n",
      "delete m",
      "delete d",
      "create new",
      "delete was",
      "create r",
    ]);
    expect([pendingFiles({ steps }), pendingText({ steps })]).toEqual([6, "6 files"]);
    expect(pendingText({ steps: [step("a", "pended", [made("n")])] })).toBe("1 file");
    expect(pendingText({ steps: [] })).toBe("nothing");
    const commit = { ...summary([]), git: [{ text: "commit 1 on main", high: false }] };
    expect(pendingText({ steps: [step("a", "pended", [], { summary: commit })] })).toBe("git's state");
  });
});
