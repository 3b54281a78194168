import { lstat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { readRegular } from "../util/regular-file.ts";
import { cutLine, type FileHits, type Found, type LineHit, type Query } from "./search.ts";

/** What the worker looks for in each text; offsets are letters of the text with `\n` ends. */
interface Job {
  source: string;
  flags: string;
  multiline: boolean;
  firstOnly: boolean;
}
type Hit = [start: number, end: number];

/** Larger files are left out where ripgrep is missing. */
const MOST_BYTES = 16 << 20;
const BATCH_BYTES = 4 << 20;
/** Files read at a time. */
const READS = 32;
/** The bound that a hostile pattern runs into (DEPS 2): JavaScript's own engine knows none. */
const TIME_MS = 10_000;
const TOTAL_MS = 60_000;

/**
 * The search where ripgrep is missing: JavaScript's regular expressions, in a thread that is ended when it takes too long. Its dialect differs from ripgrep's in
 * rare things (Unicode classes); results are the same otherwise.
 */
export async function searchWithScript(
  files: readonly { file: string; real: string }[],
  query: Query,
  signal: AbortSignal,
  timeMs = TIME_MS,
): Promise<Found | string> {
  const job = jobOf(query);
  if (typeof job === "string") return job;
  const worker = new Worker(`(${serve.toString()})(require("node:worker_threads"), ${search.toString()})`, {
    eval: true,
    workerData: job,
    env: {},
  });
  const stop = Promise.withResolvers<"stopped">();
  const abort = (): void => stop.resolve("stopped");
  signal.addEventListener("abort", abort);
  let over = false;
  const timer = setTimeout(() => (over = true), TOTAL_MS);
  const find = async (texts: string[]): Promise<Hit[][] | "slow" | "stopped"> => {
    const slow = Promise.withResolvers<"slow">();
    const limit = setTimeout(() => slow.resolve("slow"), timeMs);
    try {
      return await Promise.race([ask(worker, texts), slow.promise, stop.promise]);
    } finally {
      clearTimeout(limit);
    }
  };
  try {
    return await searchAll(files, query, find, () => over || signal.aborted, timeMs);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    await worker.terminate();
  }
}

async function searchAll(
  files: readonly { file: string; real: string }[],
  query: Query,
  find: (texts: string[]) => Promise<Hit[][] | "slow" | "stopped">,
  isOver: () => boolean,
  timeMs: number,
): Promise<Found | string> {
  const found: FileHits[] = [];
  const stopped = { files: found, stopped: `stopped after ${TOTAL_MS / 1000} s` };
  let batch: { file: string; text: string }[] = [];
  let size = 0;
  for (let at = 0; at < files.length; at += READS) {
    if (isOver()) return stopped;
    const some = files.slice(at, at + READS).map(async ({ file, real }) => ({ file, text: await textOf(real) }));
    for (const { file, text } of await Promise.all(some)) {
      if (text !== undefined) batch.push({ file, text });
      size += text?.length ?? 0;
    }
    if (size < BATCH_BYTES && at + READS < files.length) continue;
    const hits = await find(batch.map((one) => one.text));
    if (hits === "stopped") return stopped;
    if (hits === "slow")
      return `The pattern took longer than ${timeMs / 1000} s. Write it without nested repetition such as (a+)+.`;
    batch.forEach((one, k) => found.push(...hitsOf(one.file, one.text, hits[k] ?? [], query)));
    [batch, size] = [[], 0];
  }
  return { files: found };
}

/** A text file with its line ends as `\n`; undefined for what is binary, too large or unreadable. */
async function textOf(real: string): Promise<string | undefined> {
  try {
    const stat = await lstat(real);
    if (!stat.isFile() || stat.size > MOST_BYTES) return undefined;
    const bytes = await readRegular(real, { most: MOST_BYTES });
    const wide =
      bytes[0] === 0xff && bytes[1] === 0xfe
        ? "utf-16le"
        : bytes[0] === 0xfe && bytes[1] === 0xff
          ? "utf-16be"
          : undefined;
    if (wide === undefined && bytes.includes(0)) return undefined;
    return new TextDecoder(wide ?? "utf-8").decode(bytes).replaceAll("\r\n", "\n").replace(/\r$/, "");
  } catch {
    return undefined;
  }
}

/** Rust's spelling of what JavaScript spells otherwise. */
function jobOf(query: Query): Job | string {
  const inline = /^\(\?([ims]+)\)/.exec(query.pattern);
  const body = query.pattern.slice(inline?.[0].length ?? 0);
  const source = body.replaceAll("(?P<", "(?<").replace(/\\A/g, "^").replace(/\\z/g, "$");
  const letters = new Set([
    ...(inline?.[1] ?? "").split(""),
    "g",
    ...(query.ignoreCase ? ["i"] : []),
    ...(query.multiline ? ["m", "s"] : []),
  ]);
  const flags = [...letters].join("");
  const { multiline, firstOnly } = query;
  let problem = "";
  for (const all of [`${flags}u`, flags]) {
    try {
      return { source: new RegExp(source, all).source, flags: all, multiline, firstOnly };
    } catch (error) {
      problem ||= error instanceof Error ? error.message : String(error);
    }
  }
  const why = problem.replace("Unterminated group", "unclosed group");
  return `The pattern is no valid regular expression: ${why}. Escape ( ) [ ] { } . * + ? | ^ $ with a backslash to mean them literally.`;
}

function ask(worker: Worker, texts: string[]): Promise<Hit[][]> {
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.postMessage(texts);
  });
}

/** Runs in the thread, from its source text: nothing outside of it exists there. */
function serve(
  threads: {
    parentPort: { on(name: "message", take: (texts: string[]) => void): void; postMessage(hits: Hit[][]): void };
    workerData: Job;
  },
  find: (text: string, job: Job) => Hit[],
): void {
  threads.parentPort.on("message", (texts) => {
    threads.parentPort.postMessage(texts.map((text) => find(text, threads.workerData)));
  });
}

/** Runs in the thread too. Line by line unless the pattern may span lines; one hit a line. */
function search(text: string, job: Job): Hit[] {
  const regex = new RegExp(job.source, job.flags);
  const hits: Hit[] = [];
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from);
    const to = job.multiline || end < 0 ? text.length : end;
    regex.lastIndex = 0;
    const line = job.multiline ? text : text.slice(from, to);
    for (let match = regex.exec(line); match !== null; match = regex.exec(line)) {
      hits.push([from + match.index, from + match.index + match[0].length]);
      if (job.firstOnly) return hits;
      if (!job.multiline) break;
      if (match[0] === "") regex.lastIndex++;
    }
    from = to + 1;
  }
  return hits;
}

function hitsOf(file: string, text: string, hits: readonly Hit[], query: Query): FileHits[] {
  if (hits.length === 0) return [];
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  const starts: number[] = [];
  for (let n = 0, at = 0; n < lines.length; at += (lines[n++] ?? "").length + 1) starts.push(at);
  const shown = new Map<number, LineHit>();
  for (const [start, end] of hits) {
    const first = lineAt(starts, start);
    const last = Math.max(first, lineAt(starts, Math.max(start, end - 1)));
    for (let n = first - query.before; n <= last + query.after; n++) {
      const line = lines[n];
      const isMatch = n >= first && n <= last;
      if (line === undefined || shown.get(n)?.isMatch === true || (shown.has(n) && !isMatch)) continue;
      const at = n === first ? start - (starts[n] ?? 0) : 0;
      shown.set(n, { n: n + 1, isMatch, text: cutLine(line, at, isMatch ? end - start : 0, query.mask) });
    }
  }
  return [{ file, binary: false, lines: [...shown.values()].toSorted((a, b) => a.n - b.n) }];
}

/** Index of the line that holds an offset. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
