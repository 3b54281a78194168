import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../util/deps.ts";
import type { ClonedRoots, Clones } from "./clones.ts";
import { type NewStep, OUTPUT_CHARS } from "./copy.ts";
import { baseEnv, envFile } from "./env.ts";
import { exitOf } from "./exit.ts";
import { follow } from "./follow.ts";
import { toolsOf } from "./home.ts";
import { shownNow } from "./shown.ts";
import { endMarkedByPs } from "./mac-ended.ts";
import { Hidden } from "./hidden-cover.ts";
import { lostHint } from "./hidden-hints.ts";
import { lostCovered } from "./hidden-lost.ts";
import type { HiddenPath } from "./hidden-walk.ts";
import { MappedOutput } from "./mac-output.ts";
import { macProfile, PathMap } from "./mac-profile.ts";
import type { Pipes } from "./pipes.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { removeTree } from "./remove.ts";
import type { SandboxOptions, ShellCommand, ShellExit } from "./sandbox.ts";
import { notStarted, SandboxError } from "./sandbox-error.ts";
import { scan } from "./scan.ts";
import { readState, shellLine, stateBytes, type ShellState } from "./shell.ts";
import { homeOf } from "./home-mounts.ts";
import { watchLimits } from "./watch.ts";

export interface MacParts {
  options: SandboxOptions;
  programs: Programs;
  pipes: Pipes;
  newStep: NewStep;
  clock: Clock;
  clones: Clones;
  sandboxExec: string;
}

/** Runs one command in a clone at another path. Paths of the folder in its cwd and exports go in as the clone's, and come back as the folder's. */
export async function* runOnMac(
  parts: MacParts,
  command: ShellCommand,
  signal: AbortSignal,
): AsyncGenerator<{ text: string }, ShellExit> {
  const { options, clones, newStep, clock } = parts;
  if (command.hosts !== undefined || command.outside !== undefined)
    throw new SandboxError("single hosts and outside folders can't be granted to a command on macOS yet");
  const began = clock.now();
  const { stepFolder, since } = await newStep(command.operationId);
  const tmp = mkdtempSync(join(options.homeDir, "tmp-"));
  let cloned: ClonedRoots | undefined;
  let kept = false;
  try {
    const hidden = await new Hidden(options).find(command);
    cloned = await clones.take(command.layers, true, hidden).catch((error: unknown) => {
      throw notStarted(error);
    });
    const roots = options.roots.map((root) => root.path);
    const map = new PathMap(roots, cloned.paths);
    const file = join(options.resultsDir, `${command.operationId}.txt`);
    const output = new MappedOutput(command.outputChars ?? OUTPUT_CHARS, file, map);
    const base = baseVars(parts, tmp, command);
    const { paths, bytes } = cloned;
    const ending = yield* follow({
      line: lineFor(parts, command, { map, base, tmp, stepFolder, cloned, hidden }),
      cwd: stepFolder,
      fds: [],
      output,
      pipes: parts.pipes,
      clock,
      timeoutMs: command.limits.timeoutMs,
      signal,
      watch: (stop, first) => {
        const { layerMb } = command.limits;
        return watchLimits({ clock, uppers: paths, bytesBefore: bytes, layerMb, memoryMb: Infinity, first }, stop);
      },
      sweep: () => endMarkedByPs(`UNDERSTUDY_CALL=${command.operationId}`),
    });
    const gone = await cloned.toLayers(stepFolder);
    const state = outsideState(readState(stateBytes(join(stepFolder, "sh", "state"))), map);
    const exit = exitOf({
      command,
      ending,
      state,
      collected: output.finish(),
      base,
      fallback: command.fallback ?? roots[0] ?? "/",
      roots,
      durationMs: clock.now() - began,
      walls: true,
    });
    if (ending.reason !== "exit" || command.mode === "plan") return exit;
    const changes = await scan({ ...command, stepFolder, since, roots: options.roots, root: false, gone });
    const standIns = [...hidden.map(({ path }) => path), ...cloned.shown.map(({ at }) => at)];
    const lost = await lostCovered(options.roots, command.layers, changes, standIns);
    if (lost.length > 0) return { ...exit, hints: [...exit.hints, lostHint(options.roots, lost)] };
    kept = true;
    return { ...exit, changes };
  } finally {
    await cloned?.release();
    for (const path of [tmp, kept ? join(stepFolder, "sh") : stepFolder]) await removeTree(path);
  }
}

function baseVars({ options }: MacParts, tmp: string, command: ShellCommand): Record<string, string> {
  const home = homeOf(options);
  const roots = options.roots.map((root) => root.path);
  const vars = baseEnv(options.env, { home, visible: ["/"], roots, network: command.network, hosts: false });
  return { ...vars, TMPDIR: tmp };
}

interface LineParts {
  map: PathMap;
  base: Readonly<Record<string, string>>;
  tmp: string;
  stepFolder: string;
  cloned: ClonedRoots;
  hidden: readonly HiddenPath[];
}

function lineFor(parts: MacParts, command: ShellCommand, given: LineParts) {
  const { options, programs, sandboxExec } = parts;
  const { map, base, tmp, stepFolder, cloned, hidden } = given;
  const { bash } = programs;
  if (bash === undefined) throw new SandboxError("bash is gone");
  const shell = join(stepFolder, "sh");
  const home = homeOf(options);
  for (const dir of [shell, home]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  const exported = Object.entries(command.env).map(([name, value]) => [name, map.inside(value)]);
  const env = { ...base, ...Object.fromEntries(exported), UNDERSTUDY_CALL: command.operationId };
  const write = (name: string, text: string): void => writeFileSync(join(shell, name), text, { mode: 0o600 });
  write("command", command.command);
  write("env", envFile(env));
  write("state", "");
  const roots = options.roots.map((root) => root.path);
  const profile = macProfile({
    roots,
    copies: map.copies,
    fixed: cloned.shown.flatMap((placed) => (placed.kind === "read" ? [map.inside(placed.at)] : [])),
    closed: hidden.map(({ path }) => map.inside(path)),
    home,
    tmp,
    shell,
    results: options.resultsDir,
    personHome: options.personHome,
    tools: [...toolsOf(options.personHome), ...shownNow(options).map(({ path }) => path)],
    own: [options.stateDir, ...(options.configDir === undefined ? [] : [options.configDir])],
    plan: command.mode === "plan",
    network: command.network,
  });
  const words = shellLine({
    bash,
    dir: shell,
    cwd: map.inside(command.cwd),
    fallback: map.inside(command.fallback ?? roots[0] ?? "/"),
    fileKb: command.limits.fileSizeMb << 10,
    // It counts per user here, not per command.
    processes: 0,
    own: false,
  });
  return {
    file: sandboxExec,
    args: ["-p", profile, ...words],
    env: { PATH: LAUNCH_PATH, UNDERSTUDY_CALL: command.operationId },
  };
}

function outsideState(state: ShellState, map: PathMap): ShellState {
  const env = new Map([...state.env].map(([name, value]) => [name, map.outsideIn(value)]));
  return { ...state, env, ...(state.cwd === undefined ? {} : { cwd: map.outside(state.cwd) }) };
}
