import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frontmatter } from "../../../src/util/frontmatter.ts";

describe("the head of a Markdown file", () => {
  it("C6: values, lists and long texts are read, the body is what stands behind", () => {
    const text =
      "---\nname: a\npaths:\n  - src/**\n  - '*.md'\nwhen: 2026-01-01\nlong: >\n  one\n  two\n---\n\n# Body\n---\nx\n";
    const { data, body, problem, lineOf } = frontmatter(text);
    expect(data).toEqual({ name: "a", paths: ["src/**", "*.md"], when: "2026-01-01", long: "one two\n" });
    expect(body).toBe("\n# Body\n---\nx\n");
    expect(problem).toBeUndefined();
    expect([lineOf("name"), lineOf("paths"), lineOf("none")]).toEqual([2, 3, 1]);
  });
  it("skl-colon: a value with a colon in it is read whole, and told with its line", () => {
    const { data, problem } = frontmatter("---\nname: a\ndescription: Set up the harness: hooks, tools\n---\nB\n");
    expect(data).toEqual({ name: "a", description: "Set up the harness: hooks, tools" });
    expect(problem).toMatchObject({ line: 3, healed: true });
  });
  it("what can't be read has a problem with its line, and no values", () => {
    const { data, body, problem } = frontmatter("---\nname: [c\n---\nBODY\n");
    expect(data).toEqual({});
    expect(body).toBe("BODY\n");
    expect(problem).toMatchObject({ healed: false });
    expect(problem?.line).toBeGreaterThan(1);
  });
  it("a file without a head is all body, and one that begins with a rule too", () => {
    expect(frontmatter("# A\n---\nb: c\n---\n")).toMatchObject({ data: {}, body: "# A\n---\nb: c\n---\n" });
    expect(frontmatter("---\nno end\n")).toMatchObject({ data: {}, body: "---\nno end\n" });
    expect(frontmatter("---\n---\nx")).toMatchObject({ data: {}, body: "x" });
  });
  it("tags make nothing but text, and aliases can't grow without bound", () => {
    const bomb = Array.from(
      { length: 12 },
      (_, i) => `a${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1}, *a${i - 1}, *a${i - 1}`}]`,
    );
    expect(frontmatter(`---\n${bomb.join("\n")}\n---\n`).problem).toBeDefined();
    expect(typeof frontmatter("---\na: !!js/function 'x'\n---\n").data["a"]).toBe("string");
  });
  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("-", "\n", ":", " ", "a", "[", "{", "&", "*", '"', "#", "\r") }),
        (s) => {
          expect(frontmatter(`---\n${s}\n---\n`).data).toBeTypeOf("object");
        },
      ),
      { numRuns: 300 },
    );
  });
});
