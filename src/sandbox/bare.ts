import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../util/deps.ts";
import { OUTPUT_CHARS } from "./copy.ts";
import { baseEnv, envFile } from "./env.ts";
import { exitOf } from "./exit.ts";
import { follow } from "./follow.ts";
import { endMarked } from "./gone.ts";
import { endMarkedByPs } from "./mac-ended.ts";
import { Output } from "./output.ts";
import type { Pipes } from "./pipes.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { removeTree } from "./remove.ts";
import type { SandboxOptions, ShellCommand, ShellExit } from "./sandbox.ts";
import { readState, shellLine, stateBytes } from "./shell.ts";

export interface BareParts {
  options: SandboxOptions;
  programs: Programs;
  clock: Clock;
  pipes: Pipes;
}

/**
 * Runs one command without walls, in the person's own folder: only after a yes (P10), never in plan mode. The same care
 * for environment, output, time and processes; what it changed is not known.
 */
export async function* runBare(
  parts: BareParts,
  command: ShellCommand,
  signal: AbortSignal,
): AsyncGenerator<{ text: string }, ShellExit> {
  const { options, programs, clock } = parts;
  // The gate denies it already; a second lock costs nothing.
  if (command.mode === "plan") throw new Error("a command without a copy can't run in plan mode");
  if (programs.bash === undefined) throw new Error("bash is not installed");
  const began = clock.now();
  const mark = `UNDERSTUDY_CALL=${command.operationId}`;
  const roots = options.roots.map((root) => root.path);
  const baseVars = baseEnv(options.env, { home: options.personHome, visible: ["/"], roots, network: true });
  // Where no background shell of the copy can reach: it could write other words for this command.
  const calls = join(options.stateDir, "calls");
  mkdirSync(calls, { recursive: true, mode: 0o700 });
  const dir = mkdtempSync(join(calls, "call-"));
  const write = (name: string, text: string): void => writeFileSync(join(dir, name), text, { mode: 0o600 });
  write("command", command.command);
  write("env", envFile({ ...baseVars, ...command.env, UNDERSTUDY_CALL: command.operationId }));
  write("state", "");
  const fallback = command.fallback ?? roots[0] ?? "/";
  const fileKb = command.limits.fileSizeMb << 10;
  const [file = "", ...args] = shellLine({
    bash: programs.bash,
    dir,
    cwd: command.cwd,
    fallback,
    fileKb,
    processes: 0,
    own: false,
  });
  const output = new Output(
    command.outputChars ?? OUTPUT_CHARS,
    join(options.resultsDir, `${command.operationId}.txt`),
    options.secrets?.stream(),
  );
  try {
    const ending = yield* follow({
      line: { file, args, env: { PATH: LAUNCH_PATH, UNDERSTUDY_CALL: command.operationId } },
      cwd: dir,
      fds: [],
      output,
      pipes: parts.pipes,
      clock,
      timeoutMs: command.limits.timeoutMs,
      signal,
      watch: async (stop) => {
        await clock.sleep(2 ** 30, stop);
        return undefined;
      },
      sweep: () => (existsSync("/proc/self/environ") ? endMarked(mark) : endMarkedByPs(mark)),
    });
    const state = readState(stateBytes(join(dir, "state")));
    const durationMs = clock.now() - began;
    return exitOf({
      command,
      ending,
      state,
      collected: output.finish(),
      base: baseVars,
      fallback,
      roots,
      durationMs,
      walls: false,
    });
  } finally {
    await removeTree(dir);
  }
}
