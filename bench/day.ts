import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runDay, slopes } from "../test/support/day.ts";

/** Turns of the day. */
const TURNS = 5000;

/** What a long day of one session in one process costs: processor time of a turn early and late, what stays in memory of each. */
export async function dayFigures(): Promise<Record<string, number>> {
  const base = mkdtempSync(join(tmpdir(), "understudy-day-"));
  try {
    const { looks, end, code } = await runDay(base, TURNS);
    if (code !== 0) throw new Error(`the day ended with ${code}`);
    const { early, late, bytes } = slopes(looks);
    const mb = (value: number) => Math.round(value / 1e5) / 10;
    return {
      turns: TURNS,
      earlyTurnCpuMs: Math.round(early * 100) / 100,
      lateTurnCpuMs: Math.round(late * 100) / 100,
      bytesATurn: Math.round(bytes),
      heapMbAtFirst: mb(looks[0]?.heap ?? NaN),
      heapMbAtLast: mb(looks.at(-1)?.heap ?? NaN),
      rssMbAtLast: mb(looks.at(-1)?.rss ?? NaN),
      handlesAtLast: end.handles,
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
