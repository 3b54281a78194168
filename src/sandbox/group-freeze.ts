import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../util/deps.ts";

const PATIENCE_MS = 2000;

/**
 * Stops every process below one, does the work, lets them go on. Why: a layer that is looked at while programs write into it reads
 * torn files at best. Resolves with undefined, the work not done, where they can't be stopped in time.
 */
export async function whileStopped<T>(
  first: number,
  clock: Clock,
  work: () => Promise<T>,
): Promise<{ got: T } | undefined> {
  const stopped = new Set<number>();
  try {
    if (!(await stopAll(first, stopped, clock))) return undefined;
    return { got: await work() };
  } finally {
    for (const pid of stopped) send(pid, "SIGCONT");
  }
}

async function stopAll(first: number, stopped: Set<number>, clock: Clock): Promise<boolean> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 2) {
    const pids = below(first);
    const fresh = pids.filter((pid) => !stopped.has(pid));
    for (const pid of fresh) {
      stopped.add(pid);
      send(pid, "SIGSTOP");
    }
    // One that was forked by another before that one stopped is found in the next round.
    if (fresh.length === 0 && pids.every(stands)) return true;
    if (waited > 0 || fresh.length === 0) await clock.sleep(2);
  }
  return false;
}

/** A process and all below it, over all its threads. */
function below(first: number): number[] {
  const found: number[] = [];
  const stack = [first];
  for (let pid = stack.pop(); pid !== undefined; pid = stack.pop()) {
    found.push(pid);
    for (const task of names(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${task}/children`).trim();
      if (children !== "") stack.push(...children.split(" ").map(Number));
    }
  }
  return found;
}

/** Every thread of it stands still, or it has ended. */
function stands(pid: number): boolean {
  return names(`/proc/${pid}/task`).every((task) => {
    const stat = read(`/proc/${pid}/task/${task}/stat`);
    return stat === "" || /^\) [tTZX] /.test(stat.slice(stat.lastIndexOf(")")));
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function names(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
