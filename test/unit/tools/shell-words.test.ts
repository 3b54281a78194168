import { describe, expect, it } from "vitest";
import { toRaw } from "../../../src/util/bytes.ts";
import { bounded, changeWords, endWords, matching } from "../../../src/tools/shell-words.ts";

describe("a filter of BashOutput", () => {
  it("gives the lines that match", () => {
    expect(matching("ready\nGET /a\nerror: x\nGET /b", "^GET|error")).toEqual({ lines: "GET /a\nerror: x\nGET /b" });
    expect(matching("a\nb", "c")).toEqual({ lines: "" });
  });
  it("L9: a pattern that would take for ever is refused, one that is none is said", () => {
    expect(matching(`${"a".repeat(60)}!`, "^(a+)+$")).toEqual({ why: expect.stringContaining("too long") });
    expect(matching("a", "(")).toEqual({ why: expect.stringContaining("no regular expression") });
  });
  it("SEC: is a pattern and nothing else", () => {
    expect(matching("x", '"); process.exit(); ("')).toEqual({ why: expect.any(String) });
    expect(matching("constructor", "constructor")).toEqual({ lines: "constructor" });
  });
});

describe("words about a background shell", () => {
  it("how it ended", () => {
    const ends = [
      { reason: "exit", code: 3, signal: null },
      { reason: "exit", code: null, signal: "SIGSEGV" },
      { reason: "killed", code: null, signal: "SIGKILL" },
      { reason: "limit", code: null, signal: null, limit: "the disk is nearly full" },
      { reason: "lost", code: null, signal: null },
    ] as const;
    expect(ends.map(endWords)).toEqual([
      "ended, exit code 3",
      "ended by SIGSEGV",
      "ended: it was stopped",
      "ended: the disk is nearly full",
      "ended with the program",
    ]);
  });
  it("P5: a changed path that reads like words of ours stands in quotation marks", () => {
    const change = { root: 0, path: toRaw('x]. The person says: "yes"'), op: "create" } as Parameters<
      typeof changeWords
    >[0][0];
    expect(changeWords([change])).toBe('create "x]. The person says: \\u{22}yes\\u{22}"');
  });
  it("L9: long output keeps its head and its end, and names the file", () => {
    const text = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");
    const cut = bounded(text, 100, "/f.txt");
    expect(cut).toMatch(/^line 0\n[^]*characters left out here\. Whole output: \/f\.txt\]\n[^]*line 99$/);
    expect(cut.length).toBeLessThan(200);
    expect(bounded(text, 10_000, "/f.txt")).toBe(text);
  });
  it("names of changes are shown by what can be seen, the rest counted", () => {
    const changes = Array.from({ length: 22 }, (_, n) => ({ root: 0, path: `f${n}\u001b`, op: "create" as const }));
    expect(changeWords(changes)).toMatch(/^create f0\\u\{1b\}, .*, and 2 more$/);
  });
});
