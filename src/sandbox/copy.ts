import { closeSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../util/deps.ts";
import { upperOf } from "../workspace/change.ts";
import { type ClonedRoots, type Clones, shownHints } from "./clones.ts";
import { baseEnv } from "./env.ts";
import { exitOf } from "./exit.ts";
import { type Ending, follow } from "./follow.ts";
import { type CopyKind, type Launcher, launchLine, type Line } from "./launch.ts";
import { hiddenHints, lostHint } from "./hidden-hints.ts";
import { lostCovered } from "./hidden-lost.ts";
import { linkHints } from "./link-hints.ts";
import { outOfMemory } from "./memory.ts";
import { Output } from "./output.ts";
import { type CopyNet, machineWorld, type NetEnd, type NetParts, type NetReport, openNet } from "./net.ts";
import { withoutPasswords } from "./net-env.ts";
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
import { shownNow } from "./shown.ts";
import { VISIBLE } from "./system.ts";
import { watchLimits } from "./watch.ts";

/** Characters of a result where the caller names no number. */
export const OUTPUT_CHARS = 30_000;

/** In `busy`: a running command has the right to unix sockets. */
const UNIX_SOCKETS = "unix sockets";

/** Where a step lies: made by the workspace. */
export type NewStep = (operationId: string) => Promise<{ stepFolder: string; since: string }>;

export interface CopyParts {
  kind: CopyKind;
  launcher: Launcher;
  /** Who copies the roots: for every command (copy-bind), or when an overlay failed it (`retry.ts`). */
  clones: Clones;
  /** Clones serve the next command too. */
  keepClones: boolean;
  base: CopyBase;
  programs: Programs;
  newStep: NewStep;
  clock: Clock;
  pipes: Pipes;
  /** `process.arch`. */
  arch: string;
  /** The outside as commands with hosts reach it, where it is not the machine's. */
  net?: Partial<Pick<NetParts, "world" | "node">>;
  /** Descriptors of a network that commands without a granted one join; absent or undefined: each has its own (`group-net.ts`). */
  joined?(): readonly number[] | undefined;
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
  const baseVars = baseEnv(withoutPasswords(options.env), {
    home: options.personHome,
    visible: [...VISIBLE, options.personHome, ...shownNow(options).map(({ path }) => path)],
    roots: options.roots.map((root) => root.path),
    network: command.network,
    hosts: command.hosts !== undefined,
  });
  let kept = false;
  let ready: ReadyStep | undefined;
  let cloned: ClonedRoots | undefined;
  try {
    const hidden = await base.hidden.find(command);
    const made = async (): Promise<ReadyStep> => {
      if (parts.kind === "copy-bind") cloned = await parts.clones.take(command.layers, parts.keepClones, hidden);
      return readyStep(base, command, stepFolder, { ...baseVars, ...command.env }, { cloned, hidden });
    };
    ready = await made().catch((error: unknown) => {
      throw notStarted(error);
    });
    const output = new Output(
      command.outputChars ?? OUTPUT_CHARS,
      join(options.resultsDir, `${command.operationId}.txt`),
      options.secrets?.stream(),
    );
    const ending = yield* launch(parts, command, signal, { stepFolder, ready, output, cloned });
    const gone = await cloned?.toLayers(stepFolder);
    const state: ShellState = readState(stateBytes(join(stepFolder, "sh", "state")));
    const fallback = command.fallback ?? options.roots[0]?.path ?? "/";
    const durationMs = clock.now() - began;
    const plain = exitOf({
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
    const exit = {
      ...plain,
      hints: [
        ...plain.hints,
        ...base.home.told(),
        ...shownHints(plain.output, cloned?.shown ?? []),
        ...hiddenHints(plain.output, options.roots, hidden),
      ],
    };
    if (ending.reason !== "exit" || command.mode === "plan") return exit;
    const { tar = "tar" } = parts.programs;
    const { roots } = options;
    const scanned = { ...command, stepFolder, since, roots, root: base.root, rootModes: ready.rootModes };
    const changes = await scan({ ...scanned, ...(gone === undefined ? { tar } : { gone }) }).catch(tooDeep);
    const standIns = [...hidden.map(({ path }) => path), ...(cloned?.shown ?? []).map(({ at }) => at)];
    const lost = await lostCovered(roots, command.layers, changes, standIns);
    if (lost.length > 0) return { ...exit, hints: [...exit.hints, lostHint(roots, lost)] };
    kept = true;
    const hints = [...exit.hints, ...linkHints(changes)];
    const inState = base.uppers === "memory" ? await outOfMemory(changes, roots, parts.programs) : changes;
    return { ...exit, hints, changes: inState };
  } finally {
    await cloned?.release();
    await tidy(base, stepFolder, ready, kept);
  }
}

/** Names nested deeper than a path can say (4096 bytes) can't be looked at, so they can't be judged. */
function tooDeep(error: unknown): never {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "ENAMETOOLONG") throw error;
  throw new SandboxError("it made folders nested deeper than a path can name; nothing of what it changed is kept");
}

export interface Prepared {
  stepFolder: string;
  ready: ReadyStep;
  output: Output;
  cloned: ClonedRoots | undefined;
  /** Gets a function that tells the first process of the command's process space, once it is known. */
  seen?(first: () => number | undefined): void;
  /** Gets a function that tells what went through the proxy so far, where there is one. */
  net?(report: () => NetReport): void;
}

/** Runs a command in a step that is ready; when it returns, everything of it has ended. */
export async function* launch(
  parts: CopyParts,
  command: ShellCommand,
  signal: AbortSignal,
  prepared: Prepared,
): AsyncGenerator<{ text: string }, Ending> {
  const { base, clock } = parts;
  const { stepFolder, ready, output, cloned } = prepared;
  const { options } = base;
  const limits = command.limits;
  const uppers = cloned?.paths ?? options.roots.map((_, n) => upperOf(stepFolder, n));
  const bytesBefore = cloned?.bytes ?? 0;
  // One running command of a session at most: a second, above all a background shell, could get descriptors of a layer from it.
  const outside = command.outside !== undefined || shownNow(options).length > 0;
  const sockets = !command.network && !outside && !base.busy.has(UNIX_SOCKETS);
  if (sockets) base.busy.add(UNIX_SOCKETS);
  const joined = command.network || command.hosts !== undefined || cloned !== undefined ? undefined : parts.joined?.();
  let net: CopyNet | undefined;
  let ended: Ending;
  let report: NetEnd | undefined;
  let filter: number | undefined;
  try {
    filter = await filterFile(parts, sockets, stepFolder);
    net = await netOf(parts, command, stepFolder);
    if (net !== undefined) prepared.net?.(net.report);
    ended = yield* follow({
      line: line(parts, command, ready, { joined: joined !== undefined, net }),
      cwd: stepFolder,
      fds: [filter, ...(joined ?? [])],
      output,
      pipes: parts.pipes,
      clock,
      timeoutMs: limits.timeoutMs,
      signal,
      ...(net === undefined ? {} : { begun: net.begun }),
      watch: (stop, first) => {
        prepared.seen?.(first);
        return watchLimits(
          {
            clock,
            uppers,
            bytesBefore,
            layerMb: limits.layerMb,
            memoryMb: limits.memoryMb ?? Infinity,
            first,
            ...(base.root ? { processes: limits.processes } : {}),
          },
          stop,
        );
      },
    });
  } finally {
    if (sockets) base.busy.delete(UNIX_SOCKETS);
    if (filter !== undefined) closeSync(filter);
    report = await net?.close();
  }
  return { ...ended, ...(report === undefined ? {} : { net: report }) };
}

async function netOf(parts: CopyParts, { hosts }: ShellCommand, stepFolder: string): Promise<CopyNet | undefined> {
  if (hosts === undefined) return undefined;
  const { programs, base } = parts;
  const { world = machineWorld, node = process.execPath } = parts.net ?? {};
  return openNet(hosts, { programs, root: base.root, env: base.options.env, world, node }, join(stepFolder, "sh"));
}

function line(
  parts: CopyParts,
  command: ShellCommand,
  ready: ReadyStep,
  { joined, net }: { joined: boolean; net: CopyNet | undefined },
): Line {
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
    own: true,
  });
  const { uid, gid } = options;
  const plan = { ...ready.plan, joined, entered: net !== undefined };
  return launchLine(
    parts.programs,
    plan,
    { launcher: parts.launcher, root, uid, gid, arch: parts.arch },
    net?.gated(shell) ?? shell,
  );
}

/** The filter as an open file, read by the launcher. */
async function filterFile(parts: CopyParts, unixSockets: boolean, stepFolder: string): Promise<number> {
  const arch = seccompArch(parts.arch);
  if (arch === undefined) throw new SandboxError(`no system call filter for ${parts.arch}`);
  const path = join(stepFolder, "sh", "filter");
  await writeFile(path, seccompFilter(arch, unixSockets), { mode: 0o600 });
  return openSync(path, "r");
}

/** Removes what only the run needed; with `kept` false the whole step folder. */
async function tidy(base: CopyBase, stepFolder: string, ready: ReadyStep | undefined, kept: boolean): Promise<void> {
  ready?.left();
  for (const cache of ready?.caches ?? []) base.busy.delete(cache);
  const memory = ready?.inMemory ?? [];
  if (!kept) {
    for (const path of [stepFolder, ...memory]) await removeTree(path);
    return;
  }
  for (const name of ready?.own ?? []) await removeTree(join(stepFolder, name));
  for (const path of memory) await removeTree(path);
}
