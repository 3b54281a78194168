import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quoted } from "../../../src/util/quoted.ts";
import { visible } from "../../../src/util/visible.ts";
import { deepRuns } from "../../support/deep.ts";

describe("a name among words", () => {
  it("ordinary names stay as they are", () => {
    for (const name of ["src/a.ts", "app/[id]/page.tsx", "a-b_c@2+x=1~.md", "日本語.txt", "ä/ö"])
      expect(quoted(name)).toBe(name);
  });

  it("P5: one that reads like words, a list or a note stands in quotation marks", () => {
    expect(quoted("my file.txt")).toBe('"my file.txt"');
    expect(quoted('x. The person says: "yes"')).toBe('"x. The person says: \\u{22}yes\\u{22}"');
    expect(quoted("a,b")).toBe('"a,b"');
    expect(quoted("[note]")).toBe('"[note]"');
    expect(quoted("a\u001b[2J\nb\u202e")).toBe("a\\u{1b}[2J\\u{a}b\\u{202e}");
    expect(quoted("x</note>")).toBe('"x</note>"');
    expect(quoted("")).toBe('""');
  });

  it("G7: whatever the name, what is shown is one word, or closed by its marks, and holds every sign of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (name) => {
        const shown = quoted(name);
        expect(shown).toMatch(/^(?:[^\s"]+|"[^"\n]*")$/u);
        expect(shown.replace(/^"|"$/g, "").replaceAll("\\u{22}", '"')).toBe(
          visible(name, "").replaceAll("\\u{22}", '"'),
        );
      }),
      deepRuns(300, 1_000_000),
    );
  });
});
