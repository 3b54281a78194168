import { spawn } from "node:child_process";

/** Something to be timed, and the least that any program would need for it, in the same run. */
export interface Row {
  name: string;
  /** What the floor is, for the table. */
  floorName: string;
  /** Milliseconds of one go. */
  run(): Promise<number>;
  floor(): Promise<number>;
  /** Goes that count. Default 7. */
  n?: number;
}

export interface Figure {
  name: string;
  floorName: string;
  /** Medians of `n` goes. */
  ms: number;
  floorMs: number;
  ratio: number;
  /** The quickest go of each: what a busy machine leaves of a bar. */
  leastMs: number;
  leastFloorMs: number;
  n: number;
}

/** Rows that share a place and must be cleaned up together. */
export interface Group {
  rows: readonly Row[];
  close(): Promise<void> | void;
}

/** One go of each that does not count, then both in turn, so that a busy moment of the machine meets both. */
export async function measure(row: Row): Promise<Figure> {
  const { name, floorName, n = 7 } = row;
  const ms: number[] = [];
  const floorMs: number[] = [];
  for (let i = 0; i <= n; i++) {
    const [one, least] = [await row.run(), await row.floor()];
    if (i === 0) continue;
    ms.push(one);
    floorMs.push(least);
  }
  const [a, b] = [median(ms), median(floorMs)];
  const least = { leastMs: rounded(Math.min(...ms)), leastFloorMs: rounded(Math.min(...floorMs)) };
  return { name, floorName, ms: rounded(a), floorMs: rounded(b), ratio: Math.round((a / b) * 100) / 100, ...least, n };
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Runs a program to its end without input; milliseconds. Throws when it fails, so that no error is measured as speed. */
export function timedProgram(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; file?: string } = {},
): Promise<number> {
  const { file = process.execPath, cwd, env } = options;
  const began = performance.now();
  const child = spawn(file, args, { cwd, env: env ?? process.env, stdio: ["ignore", "ignore", "pipe"] });
  let err = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(performance.now() - began);
      else reject(new Error(`${file} ${args.join(" ")} ended with ${code}: ${err}`));
    });
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
