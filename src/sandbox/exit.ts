import type { Ending } from "./follow.ts";
import { hintsFor } from "./hints.ts";
import { visible } from "../util/visible.ts";
import { type KeptEnv, keptEnv } from "./env.ts";
import type { Collected } from "./output.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { ShellCommand, ShellExit } from "./sandbox.ts";
import type { ShellState } from "./shell.ts";

export interface ExitParts {
  command: ShellCommand;
  ending: Ending;
  state: ShellState;
  collected: Collected;
  /** The environment before the session's exports. */
  base: Readonly<Record<string, string>>;
  fallback: string;
  /** Folders that outlast a command, wherever they lie. */
  roots: readonly string[];
  durationMs: number;
  walls: boolean;
}

/** Folders that are new for each command. */
const GONE = ["/tmp", "/var/tmp", "/run", "/dev/shm"];

/** What a command that ran came to. Throws `SandboxError` when the wrapper never began although nobody stopped it. */
export function exitOf(parts: ExitParts): ShellExit {
  const { command, ending, state, collected, walls } = parts;
  if (!state.started && ending.reason === "exit") {
    const said = (ending.errors.trim() || collected.text.trim()).slice(0, 500);
    throw new SandboxError(`the command could not be started: ${said || `code ${ending.code ?? ending.signal}`}`);
  }
  const [cwd, cwdHint] = nextCwd(parts);
  const hints = [
    ...hintsFor(collected.text, ending.code, command, walls, ending.net),
    ...(cwdHint === undefined ? [] : [cwdHint]),
  ];
  if (ending.reason === "exit" && state.left.length > 0) hints.push(leftHint(state.left));
  if (state.lost) hints.push(`the folder ${command.cwd} is not there: this command ran in ${parts.fallback}`);
  if (walls && ending.reason !== "exit")
    hints.push("it was ended before it was done: nothing of what it changed is kept");
  const kept: KeptEnv = state.ended
    ? keptEnv(state.env, { ...parts.base, ...ending.net?.env })
    : { env: { ...command.env }, tooLarge: [] };
  if (kept.tooLarge.length > 0)
    hints.push(`too large to carry over to the next command: ${kept.tooLarge.slice(0, 5).join(", ")}`);
  return {
    code: ending.reason === "exit" ? ending.code : null,
    signal: ending.signal,
    reason: ending.reason,
    ...(ending.limit === undefined ? {} : { limit: ending.limit }),
    output: collected.text,
    outputBytes: collected.bytes,
    ...(collected.file === undefined ? {} : { outputFile: collected.file }),
    cwd,
    env: kept.env,
    durationMs: parts.durationMs,
    ...(ending.net === undefined ? {} : { reached: ending.net.uses }),
    hints,
  };
}

/** Most names that are told. */
const NAMED = 5;

function leftHint(left: readonly string[]): string {
  const names = [...new Set(left.map((name) => visible(name, "")))];
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : "";
  const words =
    left.length === 1 ? "1 process was left running and was" : `${left.length} processes were left running and were`;
  return `${words} ended with the command: ${names.slice(0, NAMED).join(", ")}${more}; what has to go on needs run_in_background`;
}

/** The cwd for the next command, and why it is another one than the command went to. */
function nextCwd({ command, state, fallback, roots, walls }: ExitParts): [string, string?] {
  if (!state.ended) return [state.lost ? fallback : command.cwd];
  if (state.cwd === undefined) return [fallback, `the command's folder is gone: the next one starts in ${fallback}`];
  const cwd = state.cwd;
  const inside = [fallback, ...roots].some((dir) => cwd === dir || cwd.startsWith(`${dir}/`));
  if (walls && !inside && GONE.some((dir) => cwd === dir || cwd.startsWith(`${dir}/`))) {
    return [fallback, `${cwd} is thrown away after each command: the next one starts in ${fallback}`];
  }
  return [cwd];
}
