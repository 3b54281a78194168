import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { fakeScreen } from "../support/fake-screen.ts";
import type { Script } from "../support/fake-session.ts";
import { streaming } from "../support/streaming.ts";

/** `SOAK=0.1`: a tenth of it, for figures ahead of a whole run. */
const SHARE = Number(process.env["SOAK"] ?? 1);
const TURNS = 5000 * SHARE;
const ROWS = 100_000 * SHARE;
const PARTS = 10;

interface Figure {
  rssMb: number;
  heapMb: number;
  handles: number;
  cpuMs: number;
}

// Without it the heap is what was not collected yet, which swings by 50 MB.
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** `PARTS` times `each` pieces of work, and what the process holds after each part. */
async function soak(pieces: number, work: (n: number) => Promise<void>): Promise<Figure[]> {
  const figures: Figure[] = [];
  let since = process.cpuUsage();
  for (let n = 1; n <= pieces; n++) {
    await work(n);
    if (n % (pieces / PARTS) !== 0) continue;
    const used = process.cpuUsage(since);
    // What is under way ends: what is left then stays.
    await rest(300);
    collect();
    const { rss, heapUsed } = process.memoryUsage();
    figures.push({
      rssMb: Math.round(rss / 2 ** 20),
      heapMb: Math.round(heapUsed / 2 ** 20),
      handles: process.getActiveResourcesInfo().length,
      cpuMs: (used.user + used.system) / 1000 / (pieces / PARTS),
    });
    since = process.cpuUsage();
  }
  return figures;
}

/** Processor time of so many seconds in which nothing happens, milliseconds. */
async function idle(seconds = 5): Promise<number> {
  const since = process.cpuUsage();
  await rest(seconds * 1000);
  const { user, system } = process.cpuUsage(since);
  return Math.round((user + system) / 1000);
}

/** From the second part on, when everything is warm. */
function grown(figures: readonly Figure[], resting: readonly [number, number]) {
  const rows = figures.map(
    (f) => `${f.rssMb} MB, heap ${f.heapMb} MB, ${f.handles} handles, ${f.cpuMs.toFixed(2)} ms each`,
  );
  console.log([...rows, `idle for 5 s: ${resting[0]} ms before, ${resting[1]} ms after`].join("\n"));
  const [, first = NOTHING] = figures;
  const last = figures.at(-1) ?? first;
  return {
    rssMb: last.rssMb - first.rssMb,
    heapMb: last.heapMb - first.heapMb,
    handles: last.handles - first.handles,
    slower: last.cpuMs / first.cpuMs,
    idleMs: resting[1] - resting[0],
  };
}
const NOTHING: Figure = { rssMb: 0, heapMb: 0, handles: 0, cpuMs: 0 };

describe("a day at the screen in fast motion", () => {
  it(`TUI-B7: ${ROWS} rows of one answer through Ink to a terminal`, { timeout: 3_600_000 }, async () => {
    const before = await idle();
    // A paragraph ends now and then, and goes on for many rows.
    const run = await streaming(100, 40, 168, { stepMs: 5760 });
    const figures = await soak(ROWS / 20, async () => {
      await run.step();
      // What was written is on the terminal: nobody reads it again.
      run.terminal.written.length = 0;
    });
    await run.finish();
    const { rssMb, heapMb, handles, slower, idleMs } = grown(figures, [before, await idle()]);
    await run.leave();
    expect(idleMs).toBeLessThan(100);
    expect(handles).toBeLessThanOrEqual(1);
    // The answer itself, 6 MB, is in the log and in what the person may copy. Measured: 21 and 14 MB, 1.05 times.
    expect(rssMb).toBeLessThan(50);
    expect(heapMb).toBeLessThan(30);
    expect(slower).toBeLessThan(2);
  });
  it(`TUI-B7: ${TURNS} messages, each with an answer of 20 rows`, { timeout: 3_600_000 }, async () => {
    const text = Array.from({ length: 20 }, (_, n) => `row ${n} of what is said`).join("\n\n");
    const script: Script = async function* (stage) {
      yield* stage.reply(text);
      return "done";
    };
    const before = await idle();
    const screen = fakeScreen({ script });
    const figures = await soak(TURNS, async (n) => {
      await screen.type(`message ${n}`);
      await screen.type("\r");
      await screen.settle(() => !screen.controller.store.get().busy);
      screen.above.length = 0;
    });
    const { rssMb, heapMb, handles, slower, idleMs } = grown(figures, [before, await idle()]);
    screen.controller.leave();
    await screen.ended;
    expect(idleMs).toBeLessThan(100);
    expect(handles).toBeLessThanOrEqual(1);
    // What was said is kept, a KB a message of these. Measured: 0 and 4 MB, 0.75 times.
    expect(rssMb).toBeLessThan(30);
    expect(heapMb).toBeLessThan(15);
    expect(slower).toBeLessThan(2);
  });
});
