import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../util/deps.ts";

const PATIENCE_MS = 2000;

/**
 * Stops every process below one, does the work, lets them go on. Why: a layer that is looked at while programs write into it reads
 * torn files at best, and a folder that becomes a link in between leads out of it. Resolves with undefined, the work not done, where
 * they can't be stopped in time. `first`: the first process of a process space, by which all others are found.
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
    if (hasEnded(first)) return true;
    const pids = below(first);
    const still = pids.map(stillness);
    // One that was forked by another before that one stopped is found in the next round, and so is one that another let go on.
    const running = pids.filter((_, n) => still[n] === undefined);
    for (const pid of running) {
      stopped.add(pid);
      send(pid, "SIGSTOP");
    }
    if (running.length === 0 && allStood(first, pids, still)) return true;
    if (waited > 0 || running.length === 0) await clock.sleep(2);
  }
  return false;
}

/**
 * Whether there was a moment at which nothing of the process space ran; from then on there is nobody who could wake another. Processes
 * that let each other go on in turn can't deceive it: no thread ran between two looks at all of them, and in between the space itself
 * lists the same processes.
 */
function allStood(first: number, pids: readonly number[], still: readonly (string | undefined)[]): boolean {
  const space = names(`/proc/${first}/root/proc`).filter((name) => /^\d+$/.test(name));
  const found = pids.map((pid) => /^NSpid:.*\t(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? "");
  const same = space.length === found.length && new Set([...space, ...found]).size === space.length;
  return same && pids.every((pid, n) => stillness(pid) === still[n]);
}

/** With the first process of a space all of it has ended. */
function hasEnded(first: number): boolean {
  const status = read(`/proc/${first}/status`);
  return status === "" || /^State:\t[ZX]/m.test(status);
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

/** How often each thread of it was run so far, where none runs: all are stopped or have ended. */
function stillness(pid: number): string | undefined {
  const tasks = names(`/proc/${pid}/task`).map((task) => {
    const status = read(`/proc/${pid}/task/${task}/status`);
    const still = status === "" || /^State:\t[tTZX]/m.test(status);
    return still ? `${task} ${status.match(/_switches:\t\d+/g)?.join(" ") ?? ""}` : undefined;
  });
  return tasks.includes(undefined) ? undefined : tasks.join(", ");
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
