import { describe, expect, it } from "vitest";
import { text } from "../../../../src/events/block.ts";
import type { CallState } from "../../../../src/events/state.ts";
import { inputDiffs } from "../../../../src/ui/render/input-diffs.ts";

function starts(edits: [string, string][], words: string): number[][] | undefined {
  const input = { file_path: "a", edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })) };
  const result: CallState["result"] = { status: "ok", content: [text(words)], touched: [], durationMs: 1 };
  const call: CallState = { callId: "c", tool: "Edit", input, replySeq: 1, turn: 1, attempt: 1, result };
  return inputDiffs(call)?.[0]?.hunks.map(({ oldStart, newStart }) => [oldStart, newStart]);
}

describe("inputDiffs", () => {
  it("UX-T-2: an edit that nobody was asked about has its line, each of several in the file before and after", () => {
    expect(starts([["a", "b"]], "Edited a: 1 place, line 12.")).toEqual([[12, 12]]);
    const two: [string, string][] = [
      ["x", "x\ny\nz"],
      ["q", "r"],
    ];
    expect(starts(two, "Edited a: 2 places, lines 3-5, 12.")).toEqual([
      [3, 3],
      [10, 12],
    ]);
    expect(starts(two.toReversed(), "Edited a: 2 places, lines 12, 3-5.")).toEqual([
      [10, 12],
      [3, 3],
    ]);
  });
  it("UX-T-2: no numbers where one edit has several places, or none are told", () => {
    expect(starts([["a", "b"]], "Edited a: 2 places, lines 1, 9.")).toEqual([[0, 0]]);
    expect(starts([["a", "b"]], "something else")).toEqual([[0, 0]]);
  });
});
