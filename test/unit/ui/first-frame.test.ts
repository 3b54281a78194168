import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { boot } from "../../../src/ui/boot.ts";
import { firstFrame } from "../../../src/ui/first-frame.ts";
import { fakeTerminal } from "../../support/screen.ts";
import { modesOf, RESTORED } from "../../support/terminal.ts";

const clock = { now: () => 0, sleep: () => Promise.resolve() };
const status = "ask mode";

/** A terminal with the first frame on it, and what the boot takes over. */
function painted(cols: number, rows: number) {
  const terminal = fakeTerminal(cols, rows);
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => raw.push(on) }) as never;
  const options = { stdin, stdout: terminal as never, writeSync: (data: string) => void terminal.write(data), status };
  const first = firstFrame(options);
  const ends: string[] = [];
  const goOn = () =>
    boot({ ...options, clock, first, onGone: () => ends.push("gone"), onInterrupt: () => ends.push("130") });
  const lines = async () => (await terminal.drawn(), terminal.emulator.lines());
  return { terminal, raw, first, goOn, lines };
}

describe("firstFrame", () => {
  it("TUI-B1, N-9: shows a composer, and the boot goes on from it without a byte, at every size", async () => {
    for (const [cols, rows] of [
      [80, 24],
      [40, 3],
      [20, 2],
      [5, 10],
      [2, 4],
      [2, 1],
    ] as const) {
      const { terminal, raw, goOn, lines } = painted(cols, rows);
      const shown = await lines();
      expect(shown[0]).toBe("› ".slice(0, cols).trimEnd());
      const before = terminal.written.length;
      goOn();
      expect({ cols, rows, more: terminal.written.slice(before) }).toEqual({ cols, rows, more: [] });
      expect(await lines()).toEqual(shown);
      expect(raw).toEqual([true]);
    }
  });
  it("gives the terminal back as it was", async () => {
    const { terminal, raw, first, lines } = painted(40, 10);
    first.giveBack();
    expect(await lines()).toEqual([]);
    expect(raw).toEqual([true, false]);
    expect(modesOf(terminal.written.join(""))).toEqual(RESTORED);
  });
});
