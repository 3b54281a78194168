import type { ChildProcess, StdioOptions } from "../util/process.ts";
import type { Readable } from "node:stream";
import type { Clock } from "../util/deps.ts";
import { endGroup, startProcess } from "../util/process.ts";
import { waitEnded } from "./gone.ts";
import type { Line } from "./launch.ts";
import type { Output } from "./output.ts";
import { handedOver, type OutPipe, type Pipes } from "./pipes.ts";
import type { NetEnd } from "./net.ts";
import { notStarted } from "./sandbox-error.ts";

/** Output waiting to be taken; more makes the command wait. */
const MAX_WAITING = 1 << 20;
/** How long a pipe may stay open behind its command. */
const PIPE_GRACE_MS = 250;
const MAX_ERRORS = 10_000;

export interface FollowOptions {
  line: Line;
  cwd: string;
  /** File descriptors from 4 on, handed down. */
  fds: readonly number[];
  pipes: Pipes;
  output: Output;
  clock: Clock;
  timeoutMs: number;
  signal: AbortSignal;
  /** Resolves with a limit that was exceeded, or undefined when its signal is aborted. */
  watch(stop: AbortSignal, first: () => number | undefined): Promise<string | undefined>;
  /** Told once, when the first process of the namespace is known: its number and that of what was started. */
  begun?: (inside: { started: number; first: number }) => void;
  /** Ends what the group's end doesn't reach; called when the command is over, whatever the way out. */
  sweep?(): void | Promise<void>;
}

export interface Ending {
  code: number | null;
  signal: string | null;
  reason: "exit" | "timeout" | "interrupted" | "limit";
  limit?: string;
  /** What the launcher itself had to say. */
  errors: string;
  /** What went through the proxy, where there was one. */
  net?: NetEnd;
}

interface Followed {
  child: ChildProcess;
  stdout: Readable;
  waiting: Uint8Array[];
  size: number;
  errors: string;
  info: string;
  done: boolean;
  failed?: unknown;
  wake(): void;
}

/**
 * Starts a line and yields its output as it comes. When it returns, or its consumer leaves, everything of the command
 * has ended. Throws when it can't be started.
 */
export async function* follow(options: FollowOptions): AsyncGenerator<{ text: string }, Ending> {
  const pipe = await options.pipes.take();
  const stdio: StdioOptions = ["ignore", pipe.write, "pipe", "pipe", ...options.fds];
  const child = started(options, stdio, pipe);
  const followed = listen(child, pipe.reader, options);
  const stop = new AbortController();
  const why: Pick<Ending, "reason" | "limit"> = { reason: "exit" };
  const end = (reason: Ending["reason"], limit?: string): void => {
    if (stop.signal.aborted || why.reason !== "exit") return;
    Object.assign(why, { reason, ...(limit === undefined ? {} : { limit }) });
    kill(child);
  };
  const onAbort = (): void => end("interrupted");
  options.signal.addEventListener("abort", onAbort);
  if (options.signal.aborted) onAbort();
  const first = (): number | undefined => firstPid(followed.info);
  void options.clock.sleep(options.timeoutMs, stop.signal).then(() => end("timeout"));
  options.watch(stop.signal, first).then(
    (limit) => (limit === undefined ? undefined : end("limit", limit)),
    () => end("limit", "its limits can't be watched"),
  );
  const over = settle(followed, options, first, () => stop.abort());
  try {
    for (;;) {
      const text = take(followed, options.output);
      if (text !== "") yield { text };
      else if (followed.done) break;
      else await new Promise<void>((resolve) => (followed.wake = resolve));
    }
  } finally {
    options.signal.removeEventListener("abort", onAbort);
    kill(child);
    // A consumer that left early takes no more: nothing may wait for it.
    if (!followed.done) followed.stdout.removeAllListeners("data").resume();
    await over;
  }
  if (followed.failed !== undefined) throw followed.failed;
  return { code: child.exitCode, signal: child.signalCode, errors: followed.errors, ...why };
}

function started({ line, cwd }: FollowOptions, stdio: StdioOptions, pipe: OutPipe): ChildProcess {
  try {
    return startProcess(line.file, line.args, { cwd, env: line.env, stdio });
  } catch (error) {
    pipe.reader.destroy();
    throw notStarted(error);
  } finally {
    handedOver(pipe);
  }
}

function kill(child: ChildProcess): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) endGroup(child.pid);
}

/** Reads the three pipes. */
function listen(child: ChildProcess, stdout: Readable, { begun }: FollowOptions): Followed {
  const followed: Followed = { child, stdout, waiting: [], size: 0, errors: "", info: "", done: false, wake: () => {} };
  stdout.on("data", (chunk: Uint8Array) => {
    followed.waiting.push(chunk);
    followed.size += chunk.length;
    if (followed.size > MAX_WAITING) stdout.pause();
    followed.wake();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    if (followed.errors.length < MAX_ERRORS) followed.errors += chunk.toString("utf8");
  });
  const info = child.stdio[3] as Readable | null;
  info?.on("data", (chunk: Buffer) => {
    const before = firstPid(followed.info);
    if (followed.info.length < MAX_ERRORS) followed.info += chunk.toString("utf8");
    const first = firstPid(followed.info);
    if (before === undefined && first !== undefined && child.pid !== undefined) begun?.({ started: child.pid, first });
  });
  return followed;
}

function take(followed: Followed, output: Output): string {
  const chunks = followed.waiting.splice(0);
  followed.size = 0;
  if (followed.stdout.isPaused()) followed.stdout.resume();
  return chunks.map((chunk) => output.add(chunk)).join("");
}

/** The first process of the namespace, as bubblewrap's JSON or the stage script's plain line names it. */
export function firstPid(info: string): number | undefined {
  const found = /"child-pid":\s*(\d+)/.exec(info) ?? /^(\d+)\n/.exec(info);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}

/** Waits for the command's end and for that of everything it left behind, then for its pipe, but not for long. */
async function settle(
  followed: Followed,
  options: FollowOptions,
  first: () => number | undefined,
  stop: () => void,
): Promise<void> {
  const { child } = followed;
  const closed = new Promise<void>((resolve) => followed.stdout.once("close", () => resolve()));
  try {
    await new Promise<void>((resolve, reject) => {
      child.once("exit", () => resolve());
      child.once("error", (error) => reject(notStarted(error)));
    });
    stop();
    if (child.pid !== undefined) endGroup(child.pid);
    await options.sweep?.();
    const init = first();
    if (init !== undefined) await waitEnded(init, options.clock);
    const late = new AbortController();
    // A slow reader of ours is no reason to cut the pipe: only silence is.
    for (let seen = -1; seen !== followed.size || followed.stdout.isPaused();) {
      seen = followed.size;
      const done = await Promise.race([
        closed.then(() => true),
        options.clock.sleep(PIPE_GRACE_MS, late.signal).then(() => false),
      ]);
      if (done) break;
    }
    late.abort();
  } catch (error) {
    followed.failed = error;
  } finally {
    stop();
    for (const pipe of [followed.stdout, child.stderr, child.stdio[3]]) pipe?.destroy();
    followed.done = true;
    followed.wake();
  }
}
