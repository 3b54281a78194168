import { describe, expect, it } from "vitest";
import { readApart } from "../../../src/tools/web-reader.ts";

const AT = "https://docs.example.com/";
const never = new AbortController().signal;

describe("readApart", () => {
  it("T1: a page is read beside the program, as it would be in it", async () => {
    expect(await readApart("<h1>Head</h1><p>a <a href='/b'>b</a></p>", AT, never)).toEqual({
      title: "",
      markdown: "# Head\n\na [b](https://docs.example.com/b)",
      whole: true,
    });
  });
  it("T1: a cell that spans a million columns is one cell", async () => {
    const { markdown } = await readApart(
      "<table><tr><th colspan=999999999>x</th></tr><tr><td rowspan=99999999>y</td></tr></table>",
      AT,
      never,
    );
    expect(markdown.length).toBeLessThan(100);
    expect(markdown).toContain("y");
  });
  it("T1: what takes too long is its bare text, and the program goes on meanwhile", async () => {
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 5);
    const page = await readApart(`<table><tr>${"<td>a".repeat(6000)}</table>deep`, AT, never, { ms: 300, heapMb: 512 });
    clearInterval(ticking);
    expect(page).toMatchObject({ plain: true, markdown: expect.stringContaining("deep") });
    expect(ticks).toBeGreaterThan(5);
  });
  it("T1: what takes too much memory is its bare text", async () => {
    const page = await readApart(`<p>${"<b>word</b> ".repeat(5000)}`, AT, never, { ms: 60_000, heapMb: 8 });
    expect(page).toMatchObject({ plain: true, markdown: expect.stringContaining("word") });
  });
  it("S7: the person's stop ends it at once", async () => {
    const stop = new AbortController();
    const page = readApart(`<table><tr>${"<td>a".repeat(6000)}</table>`, AT, stop.signal);
    setTimeout(() => stop.abort(), 20);
    await expect(page).rejects.toThrow("aborted");
    await expect(readApart("<p>a", AT, stop.signal)).rejects.toThrow("aborted");
  });
});
