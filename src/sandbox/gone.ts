import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../util/deps.ts";

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** True when a process has ended; a zombie has. */
function ended(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat === "" || /\) [ZX] /.test(stat.slice(stat.lastIndexOf(")")));
}

/**
 * Waits until a process has ended. Of the first process of a process space that means: everything in there has, and with
 * it the last writer into the step's layers (SANDBOX H1). Throws after `patienceMs`: better an error than a scan of a living layer.
 */
export async function waitEnded(pid: number, clock: Clock, patienceMs = 10_000): Promise<void> {
  for (let waited = 0; !ended(pid); waited += 5) {
    if (waited > patienceMs) throw new Error(`process ${pid} of a finished command doesn't end`);
    await clock.sleep(5);
  }
}

/** Threads and processes below a process, itself included; counting ends at `enough`. */
export function countBelow(pid: number, enough: number): number {
  let count = 0;
  for (const { threads } of processesBelow(pid)) {
    count += threads;
    if (count >= enough) break;
  }
  return count;
}

/** Bytes of memory that a process and those below it hold: their own and what they share, without files that they only map. */
export function memoryBelow(pid: number): number {
  let kb = 0;
  for (const { pid: each } of processesBelow(pid)) {
    const status = read(`/proc/${each}/status`);
    for (const [, amount] of status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)) kb += Number(amount);
  }
  return kb * 1024;
}

function* processesBelow(pid: number): Generator<{ pid: number; threads: number }> {
  const stack = [pid];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const tasks = list(`/proc/${next}/task`);
    for (const task of tasks) {
      const children = read(`/proc/${next}/task/${task}/children`).trim();
      if (children !== "") stack.push(...children.split(" ").map(Number));
    }
    yield { pid: next, threads: tasks.length };
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/**
 * Ends every process that carries a mark in the environment it was started with: what left its group but belongs to a
 * command without walls. In rounds, since the last one ended may have started another.
 */
export function endMarked(mark: string): void {
  for (let round = 0; round < 5; round++) {
    const pids = list("/proc").filter((name) => /^\d+$/.test(name));
    const marked = pids.filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(mark)).map(Number);
    if (marked.length === 0) return;
    for (const pid of marked) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        continue;
      }
    }
  }
}
