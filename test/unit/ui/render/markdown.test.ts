import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { highlight, loadHighlight } from "../../../../src/ui/render/highlight.ts";
import { markdown } from "../../../../src/ui/render/markdown.ts";
import { lineWidth, paint, textOfLine } from "../../../../src/ui/render/spans.ts";
import { defaultPalette, makeTheme, plainTheme } from "../../../../src/ui/theme.ts";

const show = (source: string, width: number): string[] => paint(markdown(source, width), plainTheme);
const SAMPLE = `# Title

Some **bold** and \`code\`, a [link](https://example.com/x).

- one
- two that is long enough to wrap
  - nested
- [x] done

> quoted

| a | name |
|---|---|
| 1 | 日本語 |

\`\`\`ts
const x =  "hi";
\`\`\``;

describe("markdown", () => {
  it("UX-T-3: headings, lists, quotes, tables, links and code for a width", () => {
    expect(show(SAMPLE, 30)).toEqual([
      "Title",
      "",
      "Some bold and code, a link",
      "(https://example.com/x).",
      "",
      "  - one",
      "  - two that is long enough to",
      "    wrap",
      "    - nested",
      "[x] done",
      "",
      "│ quoted",
      "",
      "a  name",
      "─  ──────",
      "1  日本語",
      "",
      '  const x =  "hi";',
    ]);
  });
  it("UX-T-3: a table that is too narrow is told as key: value rows", () => {
    const table = "| first column | second column |\n|---|---|\n| alpha beta | gamma delta |";
    expect(show(table, 12)).toEqual(["first", "column:", "alpha beta", "second", "column:", "gamma delta"]);
  });
  it("UX-T-3: code is never reflowed, only cut where the row ends", () => {
    const rows = show("```\nabc  def   ghi\n```", 10);
    expect(rows).toEqual(["  abc  def", "     ghi"]);
  });
  it("keeps the line ends of a paragraph and numbers a list from its start", () => {
    expect(show("a\nb\n\n3. x\n4. y", 20)).toEqual(["a", "b", "", "3. x", "4. y"]);
  });
  it("colours code once the grammars are loaded, never a language that it does not know", async () => {
    const styles = () => highlight('const x = "hi";', "ts").flatMap((row) => row.map((span) => span.style));
    await loadHighlight();
    expect(styles()).toContain("keyword");
    expect(highlight("a\nb", "nosuch").map(textOfLine)).toEqual(["a", "b"]);
    expect(highlight("/* a\n b */", "ts").map(textOfLine)).toEqual(["/* a", " b */"]);
  });
  it("hides no link's target behind its text", () => {
    expect(show("[https://good.example](https://evil.example)", 80)[0]).toContain("https://evil.example");
  });
  it("SEC-G7: escapes, bidi marks and hidden letters of a model never arrive", () => {
    const hostile =
      "a\x1b]52;c;QQ==\x07b \x1b[2J\x1b[H `\x1b[8mx` [l](\x1b]8;;u\x07) \u202e \u{e0041} \x9b2J\n```\n\x1b[31mred\r\n```";
    const rows = paint(markdown(hostile, 40), plainTheme).join("\n");
    expect(rows).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u{e0041}]/u);
    expect(rows).toContain("red");
  });
  it("a wall of quote signs and deep lists are shown as they are, in no time", () => {
    expect(show(">".repeat(5000), 80).join("")).toBe(">".repeat(5000));
    const deep = Array.from({ length: 500 }, (_, at) => `${"  ".repeat(at)}- x`).join("\n");
    expect(show(deep, 80).length).toBeGreaterThan(400);
  });
  it("no row is wider than the width, whatever the text, for widths 1 to 200", () => {
    const bits = fc.constantFrom(
      "# ",
      "- ",
      "> ",
      "```ts\n",
      "\n",
      "| a | b |\n|---|---|\n",
      "日本",
      "👩‍👩‍👧",
      "\t",
      "word ",
      "**",
      "`",
      "[x](y)",
      "\x1b[31m",
      "é",
      "1. ",
    );
    const text = fc.array(fc.oneof(bits, fc.string({ unit: "grapheme" })), { maxLength: 25 }).map((a) => a.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 200 }), (source, width) => {
        for (const row of markdown(source, width)) expect(lineWidth(row)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 400 },
    );
  });
  it("UX-T-6: no row ends with blanks", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 60 }), (source, width) => {
        for (const row of markdown(`| a | b |\n|---|---|\n| ${source.replaceAll("\n", "")} |\n\n${source}`, width)) {
          expect(textOfLine(row)).not.toMatch(/ $/);
        }
      }),
    );
  });
  it("UX-N-3: without colour only weight is told by SGR", () => {
    const raw = paint(markdown(SAMPLE, 60), makeTheme({ depth: 0, palette: defaultPalette(false) })).join("\n");
    expect([...raw.matchAll(/\x1b\[([\d;]*)m/g)].flatMap((m) => (m[1] ?? "").split(";"))).toSatisfy((codes: string[]) =>
      codes.every((code) => ["0", "1", "2", "3", "4", "9"].includes(code)),
    );
  });
});
