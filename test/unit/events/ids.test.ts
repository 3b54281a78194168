import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { uniqueCallIds } from "../../../src/events/ids.ts";
import { finished, prompt, reply, stateOf, toolUse } from "../../support/event-log.ts";

const ids = (blocks: readonly { type: string; id?: string }[]) =>
  blocks.flatMap((b) => (b.id === undefined ? [] : [b.id]));

describe("uniqueCallIds", () => {
  it("L4: a good reply stays as it is, block by block", () => {
    const blocks = [text("x"), toolUse("toolu_1"), toolUse("toolu_2")];
    const out = uniqueCallIds(blocks, stateOf());
    expect(out.every((b, i) => b === blocks[i])).toBe(true);
  });
  it("L4: ids that are empty, not valid, twice in the reply or used before are replaced", () => {
    const state = stateOf(prompt("x"), reply([toolUse("old")]));
    const blocks = [toolUse("a"), toolUse("a"), toolUse(""), toolUse("b c"), toolUse("old"), toolUse("x".repeat(129))];
    expect(ids(uniqueCallIds(blocks, state))).toEqual([
      "a",
      "call_4_1",
      "call_4_2",
      "call_4_3",
      "call_4_4",
      "call_4_5",
    ]);
  });
  it("L4: a new id meets no other, not even one that looks like it", () => {
    expect(ids(uniqueCallIds([toolUse(""), toolUse("call_2_0")], stateOf()))).toEqual(["call_2_0_2", "call_2_0"]);
  });
  it("L4: the fold does the same to a log that lacks it, so that the first call keeps its result", () => {
    const state = stateOf(prompt("x"), reply([toolUse("a", "Read"), toolUse("a", "Bash")]), finished("a"));
    expect([...state.calls.values()].map((c) => [c.callId, c.tool, c.result?.status])).toEqual([
      ["a", "Read", "ok"],
      ["call_3_1", "Bash", undefined],
    ]);
  });
  it("SEC-18: an input nested without end becomes a broken one", () => {
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 100_000; i++) deep = { a: deep };
    expect(uniqueCallIds([toolUse("a", "Read", deep)], stateOf())).toEqual([
      { ...toolUse("a"), broken: "(nested too deep)" },
    ]);
  });
});
