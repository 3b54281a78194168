import { describe, expect, it } from "vitest";
import { fakeScreen } from "../support/fake-screen.ts";
import type { Script } from "../support/fake-session.ts";
import { streaming } from "../support/streaming.ts";

const TURNS = 5000;
const ROWS = 100_000;
const PARTS = 10;

interface Figure {
  heapMb: number;
  handles: number;
  cpuMs: number;
}

/** `PARTS` times `each` pieces of work, and what the process holds after each part. */
async function soak(pieces: number, work: (n: number) => Promise<void>): Promise<Figure[]> {
  const figures: Figure[] = [];
  let since = process.cpuUsage();
  for (let n = 1; n <= pieces; n++) {
    await work(n);
    if (n % (pieces / PARTS) !== 0) continue;
    globalThis.gc?.();
    const used = process.cpuUsage(since);
    figures.push({
      heapMb: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
      handles: process.getActiveResourcesInfo().length,
      cpuMs: (used.user + used.system) / 1000 / (pieces / PARTS),
    });
    since = process.cpuUsage();
  }
  return figures;
}

/** From the second part on, when everything is warm: per tenth of the run. */
function grown(figures: readonly Figure[]) {
  console.log(figures.map((f) => `${f.heapMb} MB, ${f.handles} handles, ${f.cpuMs.toFixed(2)} ms each`).join("\n"));
  const [, first = { heapMb: 0, handles: 0, cpuMs: 0 }] = figures;
  const last = figures.at(-1) ?? first;
  return {
    heapMb: last.heapMb - first.heapMb,
    handles: last.handles - first.handles,
    slower: last.cpuMs / first.cpuMs,
  };
}

describe("a day at the screen in fast motion", () => {
  it(`TUI-B7: ${ROWS} rows of one answer through Ink to a terminal`, { timeout: 3_600_000 }, async () => {
    const run = await streaming(100, 40, 175, { stepMs: 5760 });
    const figures = await soak(ROWS / 20, async () => {
      await run.step();
      // What was written is on the terminal: nobody reads it again.
      run.terminal.written.length = 0;
    });
    await run.finish();
    await run.leave();
    const { heapMb, handles, slower } = grown(figures);
    expect(handles).toBeLessThanOrEqual(2);
    // The answer itself, 6 MB, is in the log and in what the person may copy.
    expect(heapMb).toBeLessThan(60);
    expect(slower).toBeLessThan(2);
  });
  it(`TUI-B7: ${TURNS} messages, each with an answer of 20 rows`, { timeout: 3_600_000 }, async () => {
    const text = Array.from({ length: 20 }, (_, n) => `row ${n} of what is said`).join("\n\n");
    const script: Script = async function* (stage) {
      yield* stage.reply(text);
      return "done";
    };
    const screen = fakeScreen({ script });
    const figures = await soak(TURNS, async (n) => {
      await screen.type(`message ${n}`);
      await screen.type("\r");
      await screen.settle(() => !screen.controller.store.get().busy);
      screen.above.length = 0;
    });
    screen.controller.leave();
    await screen.ended;
    const { heapMb, handles, slower } = grown(figures);
    expect(handles).toBeLessThanOrEqual(2);
    // What was said is kept: 3 KB a message (docs/progress.md), and the script's own log beside it.
    expect(heapMb).toBeLessThan(150);
    expect(slower).toBeLessThan(3);
  });
});
