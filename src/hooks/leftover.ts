import { readdirSync, readFileSync } from "node:fs";
import { MARK } from "./env.ts";

/**
 * Processes that still carry a run's mark in their environment: what a hook left behind, in whatever session or group it put itself. Where
 * there is no /proc nothing is found. One that emptied its environment and made itself a daemon is found by nobody.
 */
export function leftovers(mark: string): number[] {
  const wanted = Buffer.from(`${MARK}=${mark}\0`);
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/environ`).includes(wanted) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Ends them all, also those that they start meanwhile; how many there were. */
export function endLeftovers(mark: string): number {
  const ended = new Set<number>();
  for (let round = 0; round < 5; round++) {
    const found = leftovers(mark).filter((pid) => !ended.has(pid) || round > 2);
    if (found.length === 0) break;
    for (const pid of found) {
      ended.add(pid);
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself.
      }
    }
  }
  return ended.size;
}
