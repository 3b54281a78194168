import { fork, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { isMeasured, nameOf, type Line } from "./case.ts";
import { newGround, remove } from "./ground.ts";
import type { CaseResult } from "./score.ts";

export interface PoolOptions {
  /** Side by side. */
  width?: number;
  /** A case that takes longer has hung the program. */
  hungMs?: number;
  /** The program of a child. */
  child?: string;
}
type Pool = Required<PoolOptions> & { base: string };

const DEFAULTS = { width: 2, hungMs: 150_000, child: join(import.meta.dirname, "child.ts") };
/** Nothing of the machine's own; a key that no command may find. */
const ENV = { LANG: "C.UTF-8", ANTHROPIC_API_KEY: "CANARY-KEY" };

interface Job {
  line: Line;
  at: number;
}

/**
 * Runs cases in processes of their own, so that one that hangs or dies is a miss and not the end: `width` side by side, those that
 * are measured by time or memory by themselves behind the others. Results in the order of the lines.
 */
export async function runCorpus(lines: readonly Line[], options: PoolOptions = {}): Promise<CaseResult[]> {
  const ground = newGround();
  const pool = { ...DEFAULTS, ...options, base: ground.base };
  const results: CaseResult[] = [];
  const jobs = lines.map((line, at) => ({ line, at }));
  const work = async (queue: Job[]): Promise<void> => {
    let child: ChildProcess | undefined;
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      child ??= await started(pool);
      const result = await runIn(child, job.line, pool);
      results[job.at] = result;
      if (child.exitCode !== null || child.signalCode !== null) child = undefined;
    }
    await ended(child);
  };
  const stopped = (): void => {
    remove(ground.base);
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stopped);
  try {
    const together = jobs.filter((j) => !isMeasured(j.line));
    await Promise.all(Array.from({ length: Math.min(pool.width, together.length) }, () => work(together)));
    await work(jobs.filter((j) => isMeasured(j.line)));
    return results;
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.removeListener(signal, stopped);
    remove(ground.base);
  }
}

/** A child that is ready. Throws where the program can't even be loaded: that is no case's fault. */
function started({ base, child: file }: Pool): Promise<ChildProcess> {
  const child = fork(file, [base], { env: { ...ENV, PATH: process.env["PATH"] }, execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once("message", () => {
      child.removeAllListeners();
      resolve(child);
    });
    child.once("exit", () => reject(new Error("the program can't be loaded")));
    child.once("error", reject);
  });
}

/** One case in a child; where that hangs or dies, the case is a miss. */
function runIn(child: ChildProcess, line: Line, { hungMs }: Pool): Promise<CaseResult> {
  const since = performance.now();
  return new Promise((resolve) => {
    const finish = (result: CaseResult): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(result);
    };
    const lost = (why: string): void =>
      finish({ ...nameOf(line), verdict: "miss", why, ms: performance.now() - since });
    const timer = setTimeout(() => {
      child.removeAllListeners();
      child.once("exit", () => lost(`the program hung for ${hungMs / 1000} s`));
      child.kill("SIGKILL");
    }, hungMs);
    child.once("message", (message) => finish(message as CaseResult));
    child.once("exit", (code, signal) => lost(`the program ended by itself (${signal ?? code})`));
    child.once("error", (error) => lost(`no process for it: ${error.message}`));
    child.send(line);
  });
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.disconnect();
  await gone;
}
