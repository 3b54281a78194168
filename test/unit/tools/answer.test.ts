import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pickAnswer } from "../../../src/tools/answer.ts";

const options = [{ label: "Tabs" }, { label: "Blanks" }, { label: "3" }];

describe("a typed answer", () => {
  it.each<[string, boolean, unknown]>([
    ["2", false, { answer: "Blanks" }],
    [" blanks ", false, { answer: "Blanks" }],
    ["3", false, { answer: "3" }],
    ["both, by file type", false, { answer: "both, by file type" }],
    ["2 spaces", false, { answer: "2 spaces" }],
    ["1,2", true, { answer: "Tabs; Blanks" }],
    ["2 1 2", true, { answer: "Tabs; Blanks" }],
    ["1,2", false, { problem: "only one option can be chosen here" }],
    ["4", false, { problem: "there is no option 4; there are 1 to 3, or own words (not a number alone)" }],
    ["0", true, { problem: "there is no option 0; there are 1 to 3, or own words (not a number alone)" }],
    ["  ", false, { problem: "the answer is empty; give a number or words" }],
  ])("S6: %j (several: %s)", (typed, multiple, expected) =>
    expect(pickAnswer({ question: "?", options, multiple }, typed)).toEqual(expected),
  );
  it("S6: without options every word is an answer, a number too", () => {
    expect(pickAnswer({ question: "How many?", options: [] }, "42")).toEqual({ answer: "42" });
  });
  it("S6: an answer is a label, labels, or exactly the words that were typed", () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (typed, multiple) => {
        const read = pickAnswer({ question: "?", options, multiple }, typed);
        if ("problem" in read) return;
        const labels = new Set(options.map((o) => o.label));
        expect(read.answer === typed.trim() || read.answer.split("; ").every((part) => labels.has(part))).toBe(true);
      }),
    );
  });
});
