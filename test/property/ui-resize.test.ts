import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepRuns } from "../support/deep.ts";
import { counted, streaming } from "../support/streaming.ts";

const sizes = fc.array(
  fc.record({
    cols: fc.integer({ min: 10, max: 160 }),
    rows: fc.integer({ min: 4, max: 60 }),
    steps: fc.integer({ min: 0, max: 5 }),
    /** The program writes once before it hears of the size. */
    late: fc.boolean(),
  }),
  { minLength: 2, maxLength: 8 },
);
const STATUS = /^ask mode( ·|$)/;

describe("the whole screen, resized while an answer streams", () => {
  it("TUI-B9, TUI-B8, N-9: 10–160 × 4–60: no word lost, at most what a resize met on the screen twice, one status, one composer, never as high as the screen", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        const run = await streaming(80, 24);
        const { emulator } = run.terminal;
        let most = 24;
        let shown = 0;
        let ghosts = 0;
        let [width, height] = [80, 24];
        const look = () => {
          const words =
            emulator
              .screen()
              .join(" ")
              .match(/w\d{4}/g)?.length ?? 0;
          shown += words;
        };
        for (const { cols, rows, steps, late } of list) {
          for (let i = 0; i < steps; i++) await run.step();
          look();
          await run.terminal.resizeSilently(cols, rows);
          most = Math.max(most, rows);
          if (late) await run.step();
          else run.terminal.hear();
          await run.terminal.drawn();
          // Narrower and lower at once: the emulator throws away or keeps what is below the cursor as it likes.
          ghosts += cols < width && rows < height ? 1 : 0;
          [width, height] = [cols, rows];
          const statuses = emulator.screen().filter((l) => STATUS.test(l)).length;
          expect(statuses).toBeGreaterThanOrEqual(1);
          expect(statuses).toBeLessThanOrEqual(1 + ghosts);
        }
        look();
        await run.terminal.resize(100, 40);
        await run.step();
        await run.finish();
        const lines = emulator.lines();
        const { lost, twice } = counted(lines, run.words());
        const end = emulator.screen().filter((l) => l !== "");
        expect({ lost, more: Math.max(0, twice - shown) }).toEqual({ lost: [], more: 0 });
        expect(lines.filter((l) => STATUS.test(l)).length).toBeLessThanOrEqual(1 + ghosts);
        expect(lines.filter((l) => l.startsWith("› what shall")).length).toBe(1);
        expect(lines.filter((l) => l === "› go on").length).toBe(1);
        expect(end.at(-1)).toMatch(STATUS);
        expect(run.out.counters.maxRows).toBeLessThan(most);
        await run.leave();
      }),
      deepRuns(12, 200),
    );
  });
});
