import { closeSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../util/deps.ts";
import { upperOf } from "../workspace/change.ts";
import { baseEnv } from "./env.ts";
import { exitOf } from "./exit.ts";
import { type Ending, follow } from "./follow.ts";
import { type CopyKind, launchLine, type Line } from "./launch.ts";
import { outOfMemory } from "./memory.ts";
import { Output } from "./output.ts";
import type { Pipes } from "./pipes.ts";
import { SHELL_DIR } from "./plan.ts";
import type { Programs } from "./programs.ts";
import { removeTree } from "./remove.ts";
import type { ShellCommand, ShellExit } from "./sandbox.ts";
import { notStarted, SandboxError } from "./sandbox-error.ts";
import { scan } from "./scan.ts";
import { seccompArch, seccompFilter } from "./seccomp.ts";
import { readState, shellLine, stateBytes, type ShellState } from "./shell.ts";
import { type CopyBase, type ReadyStep, readyStep } from "./step.ts";
import { VISIBLE } from "./system.ts";
import { watchLimits } from "./watch.ts";

/** Characters of a result where the caller names no number. */
export const OUTPUT_CHARS = 30_000;

/** Where a step lies: made by the workspace. */
export type NewStep = (operationId: string) => Promise<{ stepFolder: string; since: string }>;

export interface CopyParts {
  kind: CopyKind;
  base: CopyBase;
  programs: Programs;
  newStep: NewStep;
  clock: Clock;
  pipes: Pipes;
  /** `process.arch`. */
  arch: string;
}

/** Runs one command in a copy of the roots. A step folder that holds nothing worth keeping is removed. */
export async function* runInCopy(
  parts: CopyParts,
  command: ShellCommand,
  signal: AbortSignal,
): AsyncGenerator<{ text: string }, ShellExit> {
  const { base, newStep, clock } = parts;
  const { options } = base;
  const began = clock.now();
  const { stepFolder, since } = await newStep(command.operationId);
  const baseVars = baseEnv(options.env, {
    home: options.personHome,
    visible: [...VISIBLE, options.personHome],
    roots: options.roots.map((root) => root.path),
    network: command.network,
  });
  let kept = false;
  let ready: ReadyStep | undefined;
  try {
    ready = await readyStep(base, command, stepFolder, { ...baseVars, ...command.env }).catch((error: unknown) => {
      throw notStarted(error);
    });
    const output = new Output(
      command.outputChars ?? OUTPUT_CHARS,
      join(options.resultsDir, `${command.operationId}.txt`),
    );
    const ending = yield* launch(parts, command, signal, { stepFolder, ready, output });
    const state: ShellState = readState(stateBytes(join(stepFolder, "sh", "state")));
    const fallback = command.fallback ?? options.roots[0]?.path ?? "/";
    const durationMs = clock.now() - began;
    const exit = exitOf({
      command,
      ending,
      state,
      collected: output.finish(),
      base: baseVars,
      fallback,
      roots: options.roots.map((root) => root.path),
      durationMs,
      walls: true,
    });
    if (ending.reason !== "exit" || command.mode === "plan") return exit;
    const { tar = "tar" } = parts.programs;
    const { roots } = options;
    const changes = await scan({ ...command, stepFolder, since, roots, tar, root: base.root }).catch(tooDeep);
    kept = true;
    return { ...exit, changes: base.uppers === "memory" ? await outOfMemory(changes, roots, parts.programs) : changes };
  } finally {
    await tidy(base, stepFolder, ready, kept);
  }
}

/** Names nested deeper than a path can say (4096 bytes) can't be looked at, so they can't be judged. */
function tooDeep(error: unknown): never {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ENAMETOOLONG") throw error;
  throw new SandboxError("it made folders nested deeper than a path can name; nothing of what it changed is kept");
}

interface Prepared {
  stepFolder: string;
  ready: ReadyStep;
  output: Output;
}

async function* launch(
  parts: CopyParts,
  command: ShellCommand,
  signal: AbortSignal,
  prepared: Prepared,
): AsyncGenerator<{ text: string }, Ending> {
  const { kind, base, clock } = parts;
  const { stepFolder, ready, output } = prepared;
  const { options } = base;
  const limits = command.limits;
  const uppers = options.roots.map((_, n) => upperOf(stepFolder, n));
  const filter = kind === "overlay-unshare" ? undefined : await filterFile(parts, command, stepFolder);
  try {
    return yield* follow({
      line: line(parts, command, ready),
      cwd: stepFolder,
      fds: filter === undefined ? [] : [filter],
      output,
      pipes: parts.pipes,
      clock,
      timeoutMs: limits.timeoutMs,
      signal,
      watch: (stop, first) =>
        watchLimits(
          {
            clock,
            uppers,
            layerMb: limits.layerMb,
            memoryMb: limits.memoryMb ?? Infinity,
            first,
            ...(base.root ? { processes: limits.processes } : {}),
          },
          stop,
        ),
    });
  } finally {
    if (filter !== undefined) closeSync(filter);
  }
}

function line(parts: CopyParts, command: ShellCommand, ready: ReadyStep): Line {
  const { options, root } = parts.base;
  const { bash } = parts.programs;
  if (bash === undefined) throw new SandboxError("bash is gone");
  const shell = shellLine({
    bash,
    dir: SHELL_DIR,
    cwd: command.cwd,
    fallback: command.fallback ?? options.roots[0]?.path ?? "/",
    fileKb: command.limits.fileSizeMb << 10,
    // The kernel counts these per user namespace; those of real root are watched instead.
    processes: root ? 0 : command.limits.processes,
  });
  return launchLine(parts.kind, parts.programs, ready.plan, options, shell);
}

/** The filter as an open file, read by bubblewrap. */
async function filterFile(parts: CopyParts, command: ShellCommand, stepFolder: string): Promise<number> {
  const arch = seccompArch(parts.arch);
  if (arch === undefined) throw new SandboxError(`no system call filter for ${parts.arch}`);
  const path = join(stepFolder, "sh", "filter");
  await writeFile(path, seccompFilter(arch, !command.network), { mode: 0o600 });
  return openSync(path, "r");
}

/** Removes what only the run needed; with `kept` false the whole step folder. */
async function tidy(base: CopyBase, stepFolder: string, ready: ReadyStep | undefined, kept: boolean): Promise<void> {
  for (const cache of ready?.caches ?? []) base.busy.delete(cache);
  const memory = ready?.inMemory ?? [];
  if (!kept) {
    for (const path of [stepFolder, ...memory]) await removeTree(path);
    return;
  }
  for (const name of ready?.own ?? []) await removeTree(join(stepFolder, name));
  for (const path of memory) await removeTree(path);
}
