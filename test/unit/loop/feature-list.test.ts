import { describe, expect, it } from "vitest";
import { listText, nextFeature, readFeatures, ticked } from "../../../src/loop/feature-list.ts";
import { verdictOf } from "../../../src/loop/judging.ts";

const feature = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: id,
  check: "true",
  passes: false,
  ...more,
});
const list = (...features: object[]) => {
  const read = readFeatures(JSON.stringify({ wanted: "w", features }));
  if (typeof read === "string") throw new Error(read);
  return read;
};

describe("the feature list", () => {
  it.each([
    ["no JSON", "{", "it is no JSON"],
    ["no features", '{"features": []}', "features: "],
    ["a name that is none", JSON.stringify({ features: [feature("A b")] }), "features.0.id: small letters"],
    ["no check", JSON.stringify({ features: [feature("a", { check: "" })] }), "features.0.check: "],
    ["one twice", JSON.stringify({ features: [feature("a"), feature("a")] }), 'there are two features "a"'],
  ])("C8: %s is told", (_, text, words) => {
    expect(readFeatures(text)).toContain(words);
  });

  it.each([
    ["another title", list(feature("a", { title: "b" }), feature("b")), 'of "a" more than passes'],
    ["another check", list(feature("a"), feature("b", { check: "exit 0" })), 'of "b" more than passes'],
    ["one less", list(feature("a")), "its features were a, b, and would be a"],
    ["another order", list(feature("b"), feature("a")), "would be b, a"],
    ["something beside", list(feature("a", { note: 1 }), feature("b")), 'of "a" more than passes'],
    ["another wish", { ...list(feature("a"), feature("b")), wanted: "less" }, "more than its features"],
  ])("C8: %s is more than passes", (_, after, words) => {
    expect(ticked(list(feature("a"), feature("b")), after)).toContain(words);
  });

  it("C8: what is ticked is named, what is taken back is not; the next is the first that fails", () => {
    const before = list(feature("a", { passes: true }), feature("b"), feature("c"));
    const after = list(feature("a"), feature("b", { passes: true }), feature("c"));
    expect(ticked(before, after)).toEqual(["b"]);
    expect([nextFeature(before)?.id, nextFeature(after)?.id]).toEqual(["b", "a"]);
    expect(readFeatures(listText(after))).toEqual(after);
  });

  it.each([
    ["Fine.\nVERDICT: yes", true, "Fine."],
    ["**VERDICT: No**\n", false, ""],
    ["VERDICT: yes\nbut then\nVERDICT: no", false, "VERDICT: yes\nbut then"],
    ["VERDICT: yes, if you mend it", false, "It gave no verdict."],
    ["All good.", false, "It gave no verdict. All good."],
  ])("C9: %j is read as it is meant", (text, ok, words) => {
    expect(verdictOf({ text })).toEqual({ ok, text: words });
  });
});
