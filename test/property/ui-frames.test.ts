import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepRuns } from "../support/deep.ts";
import { emulator } from "../support/emulator.ts";
import { streaming } from "../support/streaming.ts";

const STATUS = /^ask mode( ·|$)/;

/** Every write of a run, one after the other: what somebody sees who looks between two of them. */
async function frames(cols: number, rows: number, steps: number, piece: number) {
  const run = await streaming(cols, rows, piece);
  for (let i = 0; i < steps; i++) await run.step();
  await run.finish();
  const again = emulator(cols, rows);
  const wrong: unknown[] = [];
  let last = -1;
  for (const [at, data] of run.terminal.written.entries()) {
    await again.write(data);
    const screen = again.screen();
    const words = screen.join(" ").match(/w\d{4}/g) ?? [];
    const twice = words.length - new Set(words).size;
    const statuses = screen.filter((row) => STATUS.test(row)).length;
    // What was seen once stays: the newest word never goes back.
    const newest = Math.max(-1, ...words.map((word) => Number(word.slice(1))));
    if (twice > 0 || statuses !== 1 || newest < last) wrong.push({ at, twice, statuses, newest, last, screen });
    last = Math.max(last, newest);
  }
  const whole = run.terminal.written.filter((data) => !data.startsWith("\x1b[?2026h") || !data.endsWith("\x1b[?2026l"));
  const { maxRows } = run.out.counters;
  await run.leave();
  again.close();
  return { wrong, unsynchronized: whole.length, asHighAsTheScreen: maxRows >= rows };
}

describe("each frame by itself", () => {
  it(
    "TUI-B10, TUI-B8: after every single write no word stands there twice or is gone again, and there is one status row, in one synchronized step",
    { timeout: 600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 20, max: 140 }),
          fc.integer({ min: 6, max: 50 }),
          fc.integer({ min: 1, max: 25 }),
          fc.integer({ min: 1, max: 12 }),
          async (cols, rows, steps, piece) => {
            expect(await frames(cols, rows, steps, piece)).toEqual({
              wrong: [],
              unsynchronized: 0,
              asHighAsTheScreen: false,
            });
          },
        ),
        deepRuns(4, 200),
      );
    },
  );
});
