import { describe, expect, it } from "vitest";
import type { OneOfMany, Question } from "../../../../src/permissions/asker.ts";
import { questionText } from "../../../../src/permissions/question-text.ts";
import { layoutPrompt } from "../../../../src/ui/prompt/layout.ts";
import { leftOut, partsOf } from "../../../../src/ui/prompt/parts.ts";
import { openPermission } from "../../../../src/ui/prompt/permission.ts";
import { entry, oneLineDiff, question, summary } from "../../../support/questions.ts";

const one = (callId: string, tool: string, path: string): OneOfMany => ({
  callId,
  tool,
  subject: path,
  entries: [entry(path)],
  diffs: [oneLineDiff(path)],
  shown: "00",
});
const hunk = (oldStart: number) => ({ oldStart, newStart: oldStart, lines: ["-a", "+b"] });
const twoHunks = (path: string) => ({ ...oneLineDiff(path), hunks: [hunk(1), hunk(40)] });

/** Two edits of one file, one of another: both files' diffs have two hunks. */
const asked: Question = {
  ...question({
    changes: summary([entry("src/a.ts"), entry("src/b\u202e.ts")]),
    diffs: [twoHunks("src/a.ts"), twoHunks("src/b\u202e.ts")],
  }),
  together: [one("c1", "Edit", "src/a.ts"), one("c2", "Edit", "src/b\u202e.ts"), one("c3", "Edit", "src/a.ts")],
};

describe("a question about several calls", () => {
  it("P5, P-1: says how many they are, names each in its order, exactly, and lists each file once", () => {
    const { rows } = layoutPrompt(openPermission(asked), 79, 40, true);
    const text = rows.map((row) => row.map((span) => span.text).join(""));
    expect(text[0]).toContain("Land the changes of 3 calls? medium risk");
    expect(text.join("\n")).toContain("one after another: Edit src/a.ts · Edit src/b\\u{202e}.ts · Edit src/a.ts");
    expect(text.filter((row) => row.includes("modify src/a.ts") || row.includes("src/a.ts +")).length).toBeLessThan(3);
    expect(questionText(asked)).toContain("3 calls:\n  Edit src/a.ts\n  Edit src/b\\u{202e}.ts\n  Edit src/a.ts");
  });
  it("P5: hunks are chosen in a file that one call changes; one that several change is a part as a whole", () => {
    expect(partsOf(asked).map((part) => part.key)).toEqual(["0", "1", "1:0", "1:1"]);
    expect(leftOut(asked, new Set(["0", "1:1"]))).toEqual([
      { root: 0, path: "src/a.ts" },
      { root: 0, path: "src/b\u202e.ts", hunks: [1] },
    ]);
  });
});
