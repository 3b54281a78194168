import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Processor time and memory of a program with all that it starts. */
export interface Tree {
  /** Words in front of a command line, which put it in. */
  enter: readonly string[];
  /** Milliseconds of processor time up to now, of the living and of the dead. */
  cpuMs(): number;
  /** Ids of what lives. */
  pids(): number[];
  /** Ends what is left, and takes the group away. */
  close(): Promise<void>;
}

const V1 = "/sys/fs/cgroup/cpuacct";
const V2 = "/sys/fs/cgroup";
let made = 0;

/**
 * A control group of the kernel's for one go; undefined where this user can't have one (then processor time is not
 * measured: walking `/proc` misses what ends between two looks).
 */
export function openTree(): Tree | undefined {
  const name = `understudy-bench-${process.pid}-${made++}`;
  for (const [base, read] of [
    [V1, (dir: string) => Number(readFileSync(`${dir}/cpuacct.usage`, "utf8")) / 1e6],
    [V2, (dir: string) => Number(/usage_usec (\d+)/.exec(readFileSync(`${dir}/cpu.stat`, "utf8"))?.[1]) / 1e3],
  ] as const) {
    const dir = `${base}/${name}`;
    try {
      mkdirSync(dir);
      read(dir);
      return treeOf(dir, () => read(dir));
    } catch {
      remove(dir);
    }
  }
  return undefined;
}

function treeOf(dir: string, cpuMs: () => number): Tree {
  const pids = () => readFileSync(`${dir}/cgroup.procs`, "utf8").split("\n").filter(Boolean).map(Number);
  return {
    enter: ["/bin/sh", "-c", `echo $$ > ${dir}/cgroup.procs && exec "$@"`, "sh"],
    cpuMs,
    pids,
    async close() {
      for (let i = 0; i < 100; i++) {
        const left = pids();
        if (left.length === 0) break;
        for (const pid of left) end(pid, i < 5 ? "SIGTERM" : "SIGKILL");
        await sleep(20);
      }
      remove(dir);
    },
  };
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone by itself.
  }
}

function remove(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // Never made, or still held by what can't be ended.
  }
}

/** MiB of these processes: memory that they share with others counts in part (PSS), so that a sum means something. */
export function pssMib(pids: readonly number[]): number {
  const kb = pids.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    } catch {
      return 0;
    }
  });
  return kb.reduce((a, b) => a + b, 0) / 1024;
}
