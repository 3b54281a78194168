import { spawn, spawnSync, type ChildProcess, type StdioOptions } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

export type { ChildProcess, StdioOptions };

/** Why: `path` may hold `.` or the project's own folders, from which nothing is ever started (SECURITY 15). */
export function findProgram(name: string, path: string, notBelow: readonly string[] = []): string | undefined {
  for (const dir of path.split(":")) {
    if (!isAbsolute(dir) || notBelow.some((root) => dir === root || dir.startsWith(root + "/"))) continue;
    const file = join(dir, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

export interface RunOptions {
  cwd: string;
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  input?: string | Uint8Array;
  timeoutMs?: number;
  /** Bytes of stdout that are kept; the program is ended when it writes more. Default 64 MiB. */
  maxBytes?: number;
  signal?: AbortSignal;
  /** It ends with this program even when that is killed, where the system can see to that. */
  bound?: boolean;
}

export interface RunResult {
  /** null: it did not end by itself (a signal, the time limit, an abort), or could not be started. */
  code: number | null;
  stdout: Uint8Array;
  stderr: Uint8Array;
  timedOut: boolean;
  /** It wrote more than `maxBytes`. */
  truncated: boolean;
  /** Why it could not be started. */
  failed?: string;
}

/** Runs a program to its end, its descendants with it. Never throws; `file` is an absolute path, arguments are never a shell's. */
export async function runProcess(file: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { execa } = await import("execa");
  const binder = options.bound === true ? await findBinder() : undefined;
  const line = binder === undefined ? [file, ...args] : [binder, "--pdeathsig", "KILL", "--", file, ...args];
  const result = await execa(line[0] ?? file, line.slice(1), {
    cwd: options.cwd,
    env: { ...options.env },
    extendEnv: false,
    encoding: "buffer",
    reject: false,
    stripFinalNewline: false,
    input: options.input ?? "",
    maxBuffer: options.maxBytes ?? 64 << 20,
    killDescendants: true,
    forceKillAfterDelay: 500,
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  const stderr = result.stderr ?? new Uint8Array();
  const unbound = binder !== undefined && result.exitCode === 127 ? Buffer.from(stderr).toString("utf8").trim() : "";
  const started = result.exitCode !== undefined || result.signal !== undefined || result.isCanceled || result.timedOut;
  return {
    code: result.exitCode ?? null,
    stdout: result.stdout ?? new Uint8Array(),
    stderr,
    timedOut: result.timedOut,
    truncated: result.isMaxBuffer,
    ...(unbound.startsWith("setpriv: ") ? { failed: unbound } : {}),
    ...(started ? {} : { failed: result.shortMessage ?? "could not be started" }),
  };
}

let binding: Promise<string | undefined> | undefined;

/** Linux's setpriv, where it can have a program killed with its parent. */
function findBinder(): Promise<string | undefined> {
  return (binding ??= tryBinder());
}

async function tryBinder(): Promise<string | undefined> {
  const setpriv = process.platform === "linux" ? findProgram("setpriv", "/usr/bin:/bin") : undefined;
  if (setpriv === undefined) return undefined;
  const tried = await runProcess(setpriv, ["--pdeathsig", "KILL", "--", "/bin/sh", "-c", ":"], { cwd: "/", env: {} });
  return tried.code === 0 ? setpriv : undefined;
}

/** Runs a short program while everything else waits; its stderr where it did not end well. `file` is an absolute path. */
export function runNow(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): string | undefined {
  const ran = spawnSync(file, args, { cwd: "/", env, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  return ran.status === 0 ? undefined : ran.stderr || String(ran.error ?? ran.signal);
}

/** What a short program writes while everything else waits; undefined where it did not end well. `file` is an absolute path. */
export function readNow(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
): string | undefined {
  const stdio = ["ignore", "pipe", "ignore"] as const;
  const ran = spawnSync(file, args, { cwd: "/", env, stdio: [...stdio], encoding: "utf8", timeout: timeoutMs });
  return ran.status === 0 ? ran.stdout : undefined;
}

/** Starts a program in its own process group (end it by `endGroup`); the caller reads its pipes and awaits `exit`. */
export function startProcess(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>>; stdio: StdioOptions },
): ChildProcess {
  return spawn(file, args, { cwd: options.cwd, env: { ...options.env }, stdio: options.stdio, detached: true });
}

/** Sends a signal to a process group that `startProcess` made; a group that is gone is no error. */
export function endGroup(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Runs a program of the person's with the terminal itself; resolves with its exit code, null when a signal ended it. */
export function runWithTerminal(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: options.cwd, env: { ...options.env }, stdio: "inherit" });
    // Whoever ends this program ends what it lent the terminal to.
    const end = () => void child.kill("SIGHUP");
    process.once("exit", end);
    child.on("error", reject);
    child.on("exit", (code) => {
      process.off("exit", end);
      resolve(code);
    });
  });
}
