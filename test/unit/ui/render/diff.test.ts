import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines } from "../../../../src/ui/render/diff.ts";
import { hunkSides } from "../../../../src/ui/render/diff-sides.ts";
import { loadHighlight } from "../../../../src/ui/render/highlight.ts";
import { lineWidth, paint } from "../../../../src/ui/render/spans.ts";
import { wordChanges } from "../../../../src/ui/render/words.ts";
import { plainTheme } from "../../../../src/ui/theme.ts";
import type { FileDiff } from "../../../../src/workspace/workspace.ts";

const diff = (over: Partial<FileDiff> = {}): FileDiff => ({
  root: 0,
  path: "src/a.ts",
  op: "modify",
  added: 1,
  removed: 1,
  hunks: [{ oldStart: 9, newStart: 9, lines: [" before", "-const a = 1;", "+const a = 2;", " after"] }],
  ...over,
});
const show = (d: FileDiff, width = 60, exact = false): string[] => paint(diffLines([d], { width, exact }), plainTheme);

describe("diff", () => {
  it("UX-T-2: line numbers and signs, not colour alone", () => {
    expect(show(diff())).toEqual([
      "src/a.ts +1 −1",
      " 9   before",
      "10 − const a = 1;",
      "10 + const a = 2;",
      "11   after",
    ]);
  });
  it("UX-T-2: marks the word that changed, and no word where little is shared", () => {
    expect(wordChanges("const a = 1;", "const a = 2;").after).toEqual([
      { text: "const a = ", style: "added" },
      { text: "2", style: "addedWord" },
      { text: ";", style: "added" },
    ]);
    expect(wordChanges("alpha beta", "x(y)").before).toEqual([{ text: "alpha beta", style: "removed" }]);
  });
  it("UX-T-2: what was not replaced line by line has the colours of its language, and its sign all the same", async () => {
    await loadHighlight();
    const d = diff({ hunks: [{ oldStart: 1, newStart: 1, lines: [" const a = 1;", "+return 'x';", "+// done"] }] });
    const rows = diffLines([d], { width: 60 }).slice(1);
    expect(rows[0]).toContainEqual({ text: "const", style: "keyword" });
    expect(rows[1]).toContainEqual({ text: "+ ", style: "added" });
    expect(rows[1]).toContainEqual({ text: "'x'", style: "string" });
    expect(rows[2]?.at(-1)?.style).toBe("comment");
    const unknown = diffLines([diff({ ...d, path: "a.unknownlang" })], { width: 60 }).slice(1);
    expect(unknown[1]?.at(-1)).toEqual({ text: "return 'x';", style: "added" });
  });
  it("UX-T-2: two sides stand beside each other, what was replaced beside what took its place", () => {
    const lines = [" same", "-const a = 1;", "-gone", "+const a = 2;", " end"];
    const d = diff({ hunks: [{ oldStart: 9, newStart: 19, lines }] });
    expect(paint(hunkSides(d, 0, { width: 42, digits: 2, exact: true }), plainTheme)).toEqual([
      " 9   same             19   same",
      "10 − const a = 1;     20 + const a = 2;",
      "11 − gone",
      "12   end              21   end",
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.string({ unit: "grapheme" }), (width, text) => {
        const wide = diff({
          hunks: [{ oldStart: 1, newStart: 1, lines: [`-${text.replaceAll("\n", "")}`, "+short"] }],
        });
        for (const row of hunkSides(wide, 0, { width, digits: 1, exact: false }))
          expect(lineWidth(row)).toBeLessThanOrEqual(Math.max(width, 4));
      }),
      { numRuns: 100 },
    );
  });
  it("UX-T-2: long lines wrap with a hanging indent", () => {
    const d = diff({ hunks: [{ oldStart: 1, newStart: 1, lines: ["+abcdefghijklmnop"] }] });
    expect(show(d, 12).slice(-2)).toEqual(["1 + abcdefgh", "    ijklmnop"]);
  });
  it("UX-T-2: a hunk is capped and what is cut is counted", () => {
    const lines = Array.from({ length: 100 }, (_, at) => `+line ${at}`);
    const rows = paint(
      diffLines([diff({ hunks: [{ oldStart: 0, newStart: 1, lines }] })], { width: 40, cap: 80 }),
      plainTheme,
    );
    expect(rows).toHaveLength(82);
    expect(rows.at(-1)).toBe("+ 20 rows of this part");
  });
  it("P5: what is not shown as text is told by size and hash", () => {
    const d = diff({
      op: "create",
      hunks: [],
      hidden: "binary",
      added: 0,
      removed: 0,
      after: { size: 12, hash: "ab".repeat(32), mode: 0o644 },
    });
    expect(show(d)).toEqual(["src/a.ts new file", "binary · after: 12 bytes sha256 abababababababab"]);
  });
  it("tells a changed mode", () => {
    const d = diff({
      op: "chmod",
      hunks: [],
      added: 0,
      removed: 0,
      before: { size: 1, mode: 0o100644 },
      after: { size: 1, mode: 0o100755 },
    });
    expect(show(d)).toEqual(["src/a.ts mode mode 0644 → 0755"]);
  });
  it("UX-P-2: in a question every hidden character of path and lines is written out", () => {
    const d = diff({
      path: "a\x1b]52;c;\x07.txt",
      hunks: [{ oldStart: 1, newStart: 1, lines: ["+a\u202eb\x1b[2J", "+x\ty"] }],
    });
    const rows = show(d, 80, true).join("\n");
    expect(rows).toContain("a\\u{1b}]52;c;\\u{7}.txt");
    expect(rows).toContain("a\\u{202e}b\\u{1b}[2J");
    expect(rows).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });
  it("no row is wider than the width, for widths 1 to 200", () => {
    const lines = fc.array(
      fc.tuple(fc.constantFrom("+", "-", " ", "\\"), fc.string({ unit: "grapheme", maxLength: 60 })),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        lines,
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        (ls, path, width, exact) => {
          const d = diff({
            path,
            hunks: [{ oldStart: 1, newStart: 1, lines: ls.map(([s, t]) => s + t.replaceAll("\n", "")) }],
          });
          for (const row of diffLines([d], { width, exact })) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        },
      ),
      { numRuns: 300 },
    );
  });
});
