import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { INPUT_WAIT, readInput, type InputWait } from "../../../src/cli/read-input.ts";

const QUICK: InputWait = { firstMs: 150, sayMs: 50, silenceMs: 300, mostMs: 60_000, bytes: 1 << 20 };

function open(wait: Partial<InputWait> = {}) {
  const stdin = new PassThrough();
  const said: string[] = [];
  const read = readInput(
    stdin as unknown as NodeJS.ReadStream,
    { ...QUICK, ...wait },
    (words) => void said.push(words),
  );
  return { stdin, said, read };
}

describe("U2: standard input", () => {
  it("is read to its end; nothing, or blanks, are none", async () => {
    const whole = open();
    whole.stdin.write("one ");
    whole.stdin.end("two");
    expect(await whole.read).toBe("one two");
    const blank = open();
    blank.stdin.end(" \n");
    expect(await blank.read).toBeUndefined();
    expect([...whole.said, ...blank.said]).toEqual([]);
  });

  it("that never begins is not waited for long", async () => {
    expect(await open().read).toBeUndefined();
    expect(INPUT_WAIT.firstMs).toBeLessThan(15_000);
  });

  it("that begins and never ends is waited for within a stated time, then what came is all", async () => {
    const { stdin, said, read } = open();
    stdin.write("half");
    expect(await read).toBe("half");
    expect(said).toEqual([
      "waits for the end of standard input, at most 1 s of silence",
      "standard input did not end within 1 s; this goes on with what came",
    ]);
  });

  it("that never stops is bounded in time and in size", async () => {
    const drip = open({ mostMs: 400, silenceMs: 60_000, sayMs: 60_000 });
    const timer = setInterval(() => drip.stdin.write("x"), 20);
    expect(await drip.read).toMatch(/^x+$/);
    clearInterval(timer);
    expect(drip.said).toHaveLength(1);
    const flood = open({ bytes: 1 << 20 });
    flood.stdin.write("y\n".repeat(1 << 20));
    await expect(flood.read).rejects.toThrow("standard input has more than 1 MB: save it to a file, and name the file");
  });
});
