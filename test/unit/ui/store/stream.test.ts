import { describe, expect, it } from "vitest";
import { endStream, feedStream, NO_STREAM, openSource, type Block } from "../../../../src/ui/store/stream.ts";

function blocks(...deltas: string[]): Block[] {
  let stream = NO_STREAM;
  const out: Block[] = [];
  for (const delta of deltas) {
    const step = feedStream(stream, delta);
    stream = step.stream;
    out.push(...step.blocks);
  }
  return [...out, ...endStream(stream)];
}
const raws = (...deltas: string[]) => blocks(...deltas).map((b) => b.raw);

describe("stream", () => {
  it("TUI-7: a block is handed out once what follows shows that it is finished", () => {
    const first = feedStream(NO_STREAM, "one\ntwo\n\n");
    expect(first.blocks).toEqual([]);
    expect(openSource(first.stream)).toBe("one\ntwo\n\n");
    const second = feedStream(first.stream, "three\n");
    expect(second.blocks).toEqual([{ raw: "one\ntwo\n\n", source: "one\ntwo\n\n", cont: false }]);
    expect(openSource(second.stream)).toBe("three\n");
    expect(raws("# Title\ntext\n")).toEqual(["# Title\n", "text\n"]);
  });
  it("a list with blank rows or paragraphs inside stays one block", () => {
    expect(raws("- a\n\n- b\n\n  more of b\n\nafter\n")).toEqual(["- a\n\n- b\n\n  more of b\n\n", "after\n"]);
    expect(raws("1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n\nz")).toEqual([
      "1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n\n",
      "z",
    ]);
  });
  it("TUI: a code block is one block with its blank rows; a long one is handed out in pieces that are each fenced", () => {
    expect(raws("```ts\na\n\nb\n```\nafter\n")).toEqual(["```ts\na\n\nb\n```\n", "after\n"]);
    const code = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join("");
    const list = blocks(`\`\`\`ts\n${code}\`\`\`\nafter`);
    expect(list.map((b) => b.raw).join("")).toBe(`\`\`\`ts\n${code}\`\`\`\nafter`);
    expect(list.map((b) => b.cont)).toEqual([false, true, true, true, false]);
    for (const b of list.slice(0, -1)) expect(b.source).toMatch(/^```ts\n(line \d+\n)*```\n$/);
    expect(list.map((b) => b.source.replaceAll(/```(ts)?\n/g, "")).join("")).toBe(`${code}after`);
  });
  it("UX-T-3: the tail of an open fence is fenced on both sides, so that it does not flash", () => {
    const { stream } = feedStream(NO_STREAM, "```js\nlet a");
    expect(openSource(stream)).toBe("```js\nlet a\n```\n");
    expect(openSource(feedStream(NO_STREAM, "```js\n").stream)).toBe("```js\n```\n");
  });
  it("a fence of tildes is not closed by backticks, nor by a shorter one", () => {
    expect(raws("~~~\n```\n~~~\nx")).toEqual(["~~~\n```\n~~~\n", "x"]);
    expect(raws("````\n```\n````\nx")).toEqual(["````\n```\n````\n", "x"]);
  });
  it("TUI: a block over 4 KB is handed out by lines, a table with its head again", () => {
    const row = `| ${"x".repeat(200)} | y |\n`;
    const list = blocks(`| a | b |\n|---|---|\n${row.repeat(50)}`);
    expect(list.length).toBeGreaterThan(2);
    expect(list[1]).toMatchObject({ cont: true });
    for (const b of list) expect(b.source.startsWith("| a | b |\n|---|---|\n")).toBe(true);
    const plain = blocks("word ".repeat(20).concat("\n").repeat(100));
    expect(plain.slice(1).every((b) => b.cont)).toBe(true);
  });
  it("UX-T-3: what is half open at the end of the tail is not shown as signs that are gone a moment later", () => {
    const tail = (text: string) => openSource(feedStream(NO_STREAM, text).stream);
    for (const text of ["`", "``", "```", "```ts", "~~"]) expect(tail(`so:\n${text}`)).toBe("so:\n");
    expect(tail("see [the page")).toBe("see the page");
    expect(tail("see [the page]")).toBe("see the page");
    expect(tail("see [the page](https://example.org/a")).toBe("see the page");
    expect(tail("see [the page](https://example.org/a)")).toBe("see [the page](https://example.org/a)");
    expect(tail("run `npm t")).toBe("run `npm t`");
    expect(tail("run `npm` now")).toBe("run `npm` now");
    expect(tail("- [x")).toBe("- ");
    expect(tail("- [x] done")).toBe("- [x] done");
    expect(tail("```ts\nconst a = [1")).toContain("const a = [1");
  });
});
