import type { Clock } from "../../src/util/deps.ts";
import { systemClock } from "../../src/util/system.ts";

/** The machine's clock, which can be put forward: so hours pass in a test without a wait, and none depends on how fast it is. */
export function jumpyClock(): { clock: Clock; jump(this: void, ms: number): void } {
  let ahead = 0;
  return {
    clock: { now: () => systemClock.now() + ahead, sleep: (ms, signal) => systemClock.sleep(ms, signal) },
    jump: (ms) => void (ahead += ms),
  };
}
