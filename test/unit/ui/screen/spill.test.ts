import { describe, expect, it } from "vitest";
import { markdown } from "../../../../src/ui/render/markdown.ts";
import { textOfLine } from "../../../../src/ui/render/spans.ts";
import { spilled } from "../../../../src/ui/screen/spill.ts";
import type { Entry } from "../../../../src/ui/store/entry.ts";
import { endStream, openSource } from "../../../../src/ui/store/stream.ts";
import { textDelta } from "../../../../src/ui/store/view-reply.ts";
import { NO_VIEW, type View } from "../../../../src/ui/store/view.ts";

const WORDS = Array.from({ length: 200 }, (_, n) => `word${n}`);
const SOME = (n: number) => WORDS.slice(0, n).join(" ");

/** Streams a text in pieces, with a frame behind each; gives what is above, and the most rows that were in neither place. */
function play(text: string, { width = 40, room = 3, piece = 7 } = {}) {
  let view: View = NO_VIEW;
  const entries: Entry[] = [];
  let hidden = 0;
  for (let at = 0; at < text.length; at += piece) {
    const step = textDelta(view, text.slice(at, at + piece));
    const over = spilled(step.view, width, room);
    view = over.view;
    entries.push(...step.entries, ...over.entries);
    hidden = Math.max(hidden, markdown(openSource(view.stream), width).length - room);
  }
  const last = endStream(view.stream).map((block): Entry => ({ kind: "markdown", ...block }));
  const all = [...entries, ...last].flatMap((entry) => (entry.kind === "markdown" ? [entry] : []));
  const rows = all.flatMap(({ source, cont }, n) => [
    ...(n > 0 && !cont ? [""] : []),
    ...markdown(source, width).map((row) => JSON.stringify(row)),
  ]);
  return { rows, hidden, raw: all.map((entry) => entry.raw).join(""), early: entries.length };
}
const whole = (text: string, width = 40) => markdown(text, width).map((row) => JSON.stringify(row));

describe("an open block that is longer than the tail", () => {
  it.each([
    ["a paragraph", 0, `${SOME(60)}.`],
    ["of several lines", 0, SOME(60).replaceAll("9 ", "9\n")],
    [
      "with emphasis, code and links",
      1,
      `${SOME(20)} **bold and more** and \`code of it\` [a b c](https://a.b/c) ${SOME(30)}`,
    ],
    ["with names that hold lines", 1, `${SOME(20)} snake_case_name and 3 * 4 * 5 ${SOME(30)}`],
    ["of Chinese", 0, "我们在这里看见很多字".repeat(30)],
    // A row that begins as a list would goes with one that does not.
    ["with numbers and dashes as words", 5, `${"of 12. and 3 - 4 # 5 > 6 + 7 ".repeat(20)}.`],
    ["two paragraphs", 0, `${SOME(40)}\n\n${SOME(40)}`],
  ])(
    "UX-F-1: %s: every row is in the transcript or in the tail, and is as it is when all of it is known",
    (_, most, text) => {
      const { rows, hidden, raw, early } = play(text);
      expect(rows.map((row) => (row === "[]" ? "" : row))).toEqual(whole(text).map((row) => (row === "[]" ? "" : row)));
      expect(raw).toBe(text);
      expect(hidden).toBeLessThanOrEqual(most);
      expect(early).toBeGreaterThan(1);
    },
  );
  it("UX-F-1: a list goes item by item, code line by line", () => {
    const list = Array.from({ length: 15 }, (_, n) => `- the item ${n}`).join("\n");
    const code = `\`\`\`js\n${Array.from({ length: 15 }, (_, n) => `let a${n};`).join("\n")}\n\`\`\`\n`;
    for (const text of [list, code]) {
      const { rows, raw, early } = play(text, { room: 2, piece: 1 });
      expect(rows.map((row) => textOfLine(JSON.parse(row)))).toEqual(markdown(text, 40).map(textOfLine));
      expect(raw).toBe(text);
      expect(early).toBeGreaterThan(4);
    }
  });
  it("UX-T-3: nothing goes behind a sign that is still open: what it means is not known yet", () => {
    const text = `**${SOME(40)}** and more`;
    const { rows, early } = play(text);
    expect(rows).toEqual(whole(text));
    expect(early).toBe(0);
  });
  it("UX-F-1: what has no end is cut all the same, so that a frame's cost doesn't grow with it", () => {
    const { early, raw } = play(`[${SOME(200)} ${SOME(200)} ${SOME(200)} ${SOME(200)}`, { piece: 50 });
    expect(early).toBeGreaterThan(10);
    expect(raw).toContain("[word0");
  });
});
