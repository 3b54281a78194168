import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import xterm from "@xterm/headless";
import { describe, expect, it } from "vitest";
import { rowsOf, svg } from "../../../scripts/svg.mjs";

async function drawn(data: string, cols = 30, rows = 2) {
  const terminal = new xterm.Terminal({ cols, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(data, resolve));
  return rowsOf(terminal);
}

describe("rows of a terminal", () => {
  it("cells of equal looks are one run, at their column", async () => {
    const [first, second] = await drawn("plain \x1b[1;38;5;114mbold green\x1b[0m end\r\n  \x1b[2mdim\x1b[0m");
    expect(first?.map(({ x, text, look }) => [x, text.trimEnd(), look.bold, look.fore])).toEqual([
      [0, "plain", false, undefined],
      [6, "bold green", true, "#87d787"],
      [16, " end", false, undefined],
    ]);
    expect(second?.map(({ x, text, look }) => [x, text, look.dim])).toEqual([[2, "dim", true]]);
  });
  it("knows the colours of 16, of the cube, the greys and 24 bits, and inverse", async () => {
    const codes = ["31", "38;5;16", "38;5;231", "38;5;232", "38;5;255", "38;2;1;2;255"];
    const [row] = await drawn(codes.map((code) => `\x1b[${code}mx`).join("") + "\x1b[0;7mi");
    const wanted = ["#e06c75", "#000000", "#ffffff", "#080808", "#eeeeee", "#0102ff"];
    expect(row?.slice(0, 6).map((run) => run.look.fore)).toEqual(wanted);
    expect(row?.[6]?.look.back).toMatch(/^#/);
  });
  it("wide signs stand alone and take two cells", async () => {
    const [row] = await drawn("a日本b");
    expect(row?.map(({ x, text, cells }) => [x, text.trimEnd(), cells])).toMatchObject([
      [0, "a", 1],
      [1, "日", 2],
      [3, "本", 2],
      [5, "b", expect.any(Number)],
    ]);
  });
});

describe("picture", () => {
  it("escapes what is text, and keeps the columns by stated lengths", async () => {
    const text = svg(await drawn('<b> & "x"'), { cols: 30, title: "t<", label: 'l"' });
    expect(text).toContain(">&lt;b&gt; &amp; &quot;x&quot;</text>");
    expect(text).toContain('textLength="75.6"');
    expect(text).toContain('aria-label="l&quot;"');
    expect(text).not.toContain("t<<");
  });
  it("blanks within a text stay where a browser would fold them", async () => {
    const text = svg(await drawn("\x1b[31m-   const a;"), { cols: 30, title: "t", label: "l" });
    expect(text).toContain(">-\u00a0\u00a0\u00a0const a;</text>");
  });
  it("the one of the README is whole, of this machine alone, and shows a question with its diff", () => {
    const text = readFileSync(resolve(import.meta.dirname, "../../../docs/screen.svg"), "utf8");
    expect(text.trimEnd().endsWith("</svg>")).toBe(true);
    expect(text.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|url\(|@import|<script|\/tmp\//);
    // Words that were put in stand by themselves: each is a text of its own.
    for (const words of ["ask mode", "yes, once", "Grep", "seconds % 60"]) expect(text).toContain(words);
  });
});
