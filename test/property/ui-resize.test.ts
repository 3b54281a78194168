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
const COMPOSER = /^› w/;
const count = (lines: readonly string[], what: RegExp) => lines.filter((l) => what.test(l)).length;

interface Seen {
  lost: readonly string[];
  /** Words that stand there twice, beyond the fullest screen that was to be seen. */
  beyondOneScreen: number;
  /** Status rows and composers on a screen that the program has painted, other than one of each. */
  wrongScreens: readonly unknown[];
  /** The same over all that was ever printed, but for those that the terminal itself had moved out of reach before the program heard of it. */
  ghosts: number;
  end: string | undefined;
  said: number;
  /** The frame was as high as the screen. */
  tooTall: boolean;
}

/** One answer that streams while the window is resized as in `list`; a step takes `stepMs` of the program's clock. */
async function resized(list: typeof sizes extends fc.Arbitrary<infer T> ? T : never, stepMs: number): Promise<Seen> {
  const run = await streaming(80, 24, 7, { stepMs });
  const { emulator } = run.terminal;
  const wrongScreens: unknown[] = [];
  let screenful = 0;
  const gone = { statuses: 0, composers: 0 };
  // Narrower and lower at once while the frame is not at the window's bottom: which rows below the cursor are left can't be known.
  let unsure = 0;
  let [width, height] = [80, 24];
  const look = () => {
    screenful = Math.max(
      screenful,
      emulator
        .screen()
        .join(" ")
        .match(/w\d{4}/g)?.length ?? 0,
    );
  };
  for (const { cols, rows, steps, late } of list) {
    for (let i = 0; i < steps; i++) await run.step();
    look();
    const before = emulator.scrollback();
    if (cols < width && rows < height && emulator.screen().at(-1) === "") unsure++;
    [width, height] = [cols, rows];
    await run.terminal.resizeSilently(cols, rows);
    const after = emulator.scrollback();
    gone.statuses += Math.max(0, count(after, STATUS) - count(before, STATUS));
    gone.composers += Math.max(0, count(after, COMPOSER) - count(before, COMPOSER));
    if (late) await run.step();
    else run.terminal.hear();
    await run.terminal.drawn();
    const screen = emulator.screen();
    const statuses = count(screen, STATUS);
    const composers = count(screen, /^› \w/);
    const asked = count(screen, /^› go on/);
    const most = 1 + unsure;
    const ok = statuses >= 1 && statuses <= most && composers - asked >= 1 && composers - asked <= most;
    if (!ok) wrongScreens.push({ cols, rows, screen });
  }
  look();
  await run.terminal.resize(100, 40);
  await run.step();
  await run.finish();
  const lines = emulator.lines();
  const { lost, twice } = counted(lines, run.words());
  const seen = {
    lost,
    beyondOneScreen: Math.max(0, twice - screenful),
    wrongScreens,
    ghosts: Math.max(
      0,
      count(lines, STATUS) - 1 - unsure - gone.statuses,
      count(lines, COMPOSER) - 1 - unsure - gone.composers,
    ),
    end: emulator
      .screen()
      .filter((l) => l !== "")
      .at(-1),
    said: count(lines, /^› go on$/),
    tooTall: run.out.counters.maxRows >= Math.max(24, ...list.map(({ rows }) => rows)),
  };
  await run.leave();
  return seen;
}

const RIGHT = { lost: [], beyondOneScreen: 0, wrongScreens: [], ghosts: 0, said: 1, tooTall: false };

describe("the whole screen, resized while an answer streams: 10–160 × 4–60", () => {
  it("TUI-B9, TUI-B8, N-9: a window that is pulled at: no word lost, at most one screenful twice in all, one status, one composer, never as high as the screen", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        expect(await resized(list, 60)).toEqual({ ...RIGHT, end: expect.stringMatching(STATUS) });
      }),
      deepRuns(8, 200),
    );
  });
  it("TUI-B9: the same with seconds between the sizes, so that each of them meets the end of the answer", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (list) => {
        expect(await resized(list, 1200)).toEqual({ ...RIGHT, end: expect.stringMatching(STATUS) });
      }),
      deepRuns(8, 200),
    );
  });
});
