import type { ChildProcess } from "../util/process.ts";
import { endGroup, findProgram, runProcess, startProcess } from "../util/process.ts";
import type { Clock } from "../util/deps.ts";
import { endLeftovers } from "./leftover.ts";
import { missingProgram } from "./missing.ts";

/** Bytes of each stream that are read; a program that prints more is ended. */
const MOST_STDOUT = 1 << 20;
const MOST_STDERR = 1 << 18;
/** How long what was asked to end has before it is ended, and how long pipes that somebody holds open are waited for. */
const GRACE_MS = 500;
const CLOSING_MS = 200;

export interface CommandOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** In the environment of all that it starts; see `hookEnv`. */
  mark: string;
  /** JSON; a program that doesn't read it is no fault. */
  input: string;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
}

export interface CommandRun {
  /** null: it did not end by itself; `failed` says why. */
  exit: number | null;
  stdout: Uint8Array;
  stderr: Uint8Array;
  failed?: string;
  /** Processes that it left behind, and that were ended. */
  left: number;
}

type End = { exit: number | null; signal: string | null } | { failed: string };

const bash = findProgram("bash", "/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin");
const shell = bash ?? "/bin/sh";
/** Without its start-up files: bash takes a pipe of ours for a connection from elsewhere, and would read them. */
const QUIET = bash === undefined ? [] : ["--norc", "--noprofile"];

/**
 * Runs a hook's command line in a shell, as the person, to its end or that of its time. Nothing of it stays: its group is ended, and
 * whatever carries its mark. Never throws, never waits for longer than its time and a moment.
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandRun> {
  const none = { exit: null, stdout: new Uint8Array(), stderr: new Uint8Array(), left: 0 };
  const missing = missingProgram(command, options);
  if (missing !== undefined) return { ...none, failed: `its program ${missing} is not there` };
  const { cwd, env, input } = options;
  const child = startProcess(shell, [...QUIET, "-c", command], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const over = new AbortController();
  const out = collect(child.stdout, MOST_STDOUT, () => over.abort());
  const err = collect(child.stderr, MOST_STDERR, () => over.abort());
  // It may end, or close its input, without reading.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const end = await endOf(child, over.signal, options);
  const left = await cleanUp(child, options);
  const ran = { stdout: out(), stderr: err(), left };
  if ("failed" in end) return { ...ran, exit: null, failed: end.failed };
  if (end.exit === null) return { ...ran, exit: null, failed: `was ended by ${end.signal ?? "a signal"}` };
  const broken = await launchFailure(command, end.exit, ran.stderr, options);
  return { ...ran, exit: end.exit, ...(broken === undefined ? {} : { failed: broken }) };
}

/** A shell that could not do what it was told says 126, 127, or 2, which a hook blocks by: only the last has to be looked into. */
async function launchFailure(
  command: string,
  exit: number,
  stderr: Uint8Array,
  { env }: CommandOptions,
): Promise<string | undefined> {
  const words = (Buffer.from(stderr).toString("utf8").trim().split("\n")[0] ?? "").slice(0, 300);
  if (exit === 126 || exit === 127) return `could not be started: ${words}`;
  if (exit !== 2) return undefined;
  const read = await runProcess(shell, [...QUIET, "-n", "-c", command], { cwd: "/", env, timeoutMs: 5000 });
  return read.code === 0 || read.code === null ? undefined : `its command line is no valid shell: ${words}`;
}

/** Waits for its end, or ends it: after its time, at the person's word, or when it prints without end. */
async function endOf(child: ChildProcess, over: AbortSignal, options: CommandOptions): Promise<End> {
  const { timeoutMs, clock, signal } = options;
  const ended = new Promise<End>((resolve) => {
    child.on("error", (error) => resolve({ failed: `could not be started: ${error.message}` }));
    child.on("exit", (exit, by) => resolve({ exit, signal: by }));
  });
  const done = new AbortController();
  const stop = AbortSignal.any([signal, over, done.signal]);
  const timer = clock.sleep(timeoutMs, stop).then((): "stopped" => "stopped");
  const first = await Promise.race([ended, timer]);
  if (first !== "stopped") {
    done.abort();
    return first;
  }
  await stopGroup(child, ended, clock);
  if (signal.aborted) return { failed: "was stopped" };
  if (over.aborted) return { failed: `printed more than ${MOST_STDOUT >> 20} MiB, and was ended` };
  return { failed: `did not end within ${timeoutMs / 1000} s, and was ended` };
}

async function stopGroup(child: ChildProcess, ended: Promise<unknown>, clock: Clock): Promise<void> {
  if (child.pid === undefined) return;
  endGroup(child.pid, "SIGTERM");
  const late = new AbortController();
  await Promise.race([ended, clock.sleep(GRACE_MS, late.signal)]);
  late.abort();
  endGroup(child.pid);
}

/** Reads what is still in the pipes, ends what was left behind, lets go of the pipes. */
async function cleanUp(child: ChildProcess, { mark, clock }: CommandOptions): Promise<number> {
  const closed = new Promise<void>((resolve) => {
    const open = [child.stdout, child.stderr].filter((pipe) => pipe !== null && !pipe.closed);
    let count = open.length;
    if (count === 0) resolve();
    for (const pipe of open) pipe?.once("close", () => --count === 0 && resolve());
  });
  const wait = async (): Promise<void> => {
    const late = new AbortController();
    await Promise.race([closed, clock.sleep(CLOSING_MS, late.signal)]);
    late.abort();
  };
  await wait();
  const left = endLeftovers(mark);
  if (child.pid !== undefined) endGroup(child.pid);
  if (left > 0) await wait();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
  return left;
}

/** Keeps the first bytes of a stream; more than `most` is told once. */
function collect(stream: ChildProcess["stdout"], most: number, tooMuch: () => void): () => Uint8Array {
  const parts: Buffer[] = [];
  let size = 0;
  stream?.on("error", () => undefined);
  stream?.on("data", (part: Buffer) => {
    if (size < most) parts.push(part.subarray(0, most - size));
    size += part.length;
    if (size > most) tooMuch();
  });
  return () => Buffer.concat(parts);
}
