import { expect, it } from "vitest";
import { partMessage, withWords } from "../../../src/context/summary-prompt.ts";
import { partsOf } from "../../../src/context/transcript.ts";

const smile = "\u{1F600}";

it.each([1, 2, 3, 7, 8])(
  "C3: parts of at most %i characters hold every sign whole, in order, and nothing twice",
  (most) => {
    const entry = `a${smile.repeat(9)}b${smile}`;
    const parts = partsOf([entry], most);
    expect(parts.join("").replaceAll("\n", "")).toBe(entry);
    expect(parts.every((part) => part.isWellFormed() && part.length <= Math.max(2, most))).toBe(true);
  },
);

it("L4: what asks for a summary holds no half sign, whoever wrote it", () => {
  const half = smile.slice(0, 1);
  const asked = [partMessage(`keep ${half}`, `before ${half}`, `part ${half}`), ...withWords([], `keep ${half}`)];
  expect(JSON.stringify(asked)).not.toMatch(/\\ud83d/);
});
