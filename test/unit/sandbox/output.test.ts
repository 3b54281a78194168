import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Output } from "../../../src/sandbox/output.ts";
import { scratch } from "../../support/scratch.ts";

describe("Output", () => {
  it("T7: short output is whole, and makes no file", () => {
    const file = join(scratch("out"), "f");
    const output = new Output(100, file);
    expect(output.add(Buffer.from("héllo\n"))).toBe("héllo\n");
    expect(output.finish()).toEqual({ text: "héllo\n", bytes: 7 });
    expect(existsSync(file)).toBe(false);
  });
  it("T7: characters cut between chunks come whole, bad bytes as U+FFFD", () => {
    const output = new Output(100, "/nonexistent");
    const bytes = Buffer.from("a€😀b");
    const live = [...bytes].map((byte) => output.add(Buffer.from([byte]))).join("");
    output.add(Buffer.from([0xff, 0x41, 0xe2]));
    expect(live).toBe("a€😀b");
    expect(output.finish().text).toBe("a€😀b\uFFFDA\uFFFD");
  });
  it("L9: exactly the limit is whole, one more is cut", () => {
    const file = join(scratch("out"), "f");
    const fits = new Output(10, file);
    fits.add(Buffer.from("12345\n789\n"));
    expect(fits.finish()).toEqual({ text: "12345\n789\n", bytes: 10 });
    const over = new Output(10, file);
    over.add(Buffer.from("12345\n789\n1"));
    expect(over.finish().file).toBe(file);
  });
  it("L9: the lines left out are named right, head and tail end at line ends", () => {
    const file = join(scratch("out"), "f");
    const output = new Output(100, file);
    for (let n = 1; n <= 1000; n++) output.add(Buffer.from(`line ${n}\n`));
    const { text } = output.finish();
    const [, first, last, total] =
      /\[Lines (\d+) to (\d+) of (\d+) left out here\. Whole output: (.*)\]/.exec(text) ?? [];
    expect(total).toBe("1000");
    expect(text).toContain(`line ${Number(first) - 1}\n[`);
    expect(text).toContain(`]\nline ${Number(last) + 1}\n`);
    expect(text.startsWith("line 1\n") && text.endsWith("line 1000\n")).toBe(true);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(1001);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
  it("L9: one endless line is cut too, never inside a character pair", () => {
    const output = new Output(101, join(scratch("out"), "f"));
    output.add(Buffer.from("😀".repeat(1000)));
    const { text } = output.finish();
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(300);
    expect(text).toContain("The middle of a long line left out here");
  });
  it("T7: a line that is written over shows its last state, wherever the chunks are cut; escapes and CRLF are gone", () => {
    const sent = "start\r\n0%\r50%\r100%\r\n\x1b[31mred\x1b[0m \x1b]0;title\x07x\nN\bNA\bA\nlast\r";
    for (let cut = 0; cut <= sent.length; cut++) {
      const output = new Output(1000, "/nonexistent");
      const live = output.add(Buffer.from(sent.slice(0, cut))) + output.add(Buffer.from(sent.slice(cut)));
      expect(live).toBe(sent);
      expect(output.finish().text).toBe("start\n100%\nred x\nNA\nlast");
    }
  });
  it("T7: an endless progress line is one line, in little memory", () => {
    const output = new Output(1000, join(scratch("out"), "f"));
    for (let n = 0; n <= 20_000; n++) output.add(Buffer.from(`\rdone ${n} of 20000`));
    expect(output.finish()).toMatchObject({ text: "done 20000 of 20000" });
  });
  it("L9: many equal lines are told once, with their number; few stay as they are", () => {
    const output = new Output(10_000, join(scratch("out"), "f"));
    output.add(Buffer.from(`a\n${"same\n".repeat(25)}b\n${"few\n".repeat(19)}`));
    expect(output.finish().text).toBe(`a\nsame\n[this line 25 times]\nb\n${"few\n".repeat(19)}`);
    const endless = new Output(1000, join(scratch("out"), "f"));
    for (let n = 0; n < 1000; n++) endless.add(Buffer.from("y\n".repeat(100)));
    expect(endless.finish().text.length).toBeLessThan(400);
  });
  it("T7: binary output is told, not shown", () => {
    const bytes = Uint8Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256);
    const output = new Output(1000, join(scratch("out"), "f"));
    output.add(bytes);
    expect(output.finish().text).toMatch(/^\[Binary output, 5,000 bytes, not shown/);
    const text = new Output(1000, "/nonexistent");
    text.add(Buffer.from("naïve \xff text of bytes\n".repeat(20), "latin1"));
    expect(text.finish().text).toContain("na\uFFFDve");
  });
  it("SEC-G10: the file ends at 50 MB and says so; memory holds only head and tail", () => {
    const file = join(scratch("out"), "f");
    const output = new Output(1000, file);
    const chunk = Buffer.from("x".repeat(1_000_000));
    for (let n = 0; n < 60; n++) output.add(chunk);
    const kept = output.finish();
    expect(kept.bytes).toBe(60_000_000);
    expect(kept.text).toContain("Its first 50 MB: ");
    expect(statSync(file).size).toBeLessThan((50 << 20) + 200);
    expect(readFileSync(file, "utf8").endsWith("the rest was not kept]\n")).toBe(true);
  });
});
