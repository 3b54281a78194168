import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { closeAbove } from "./plan.ts";

/** More than that is no environment that a program could be started with. */
const MAX_STATE = 4 << 20;

/**
 * Wraps a command so that cwd and exported variables come back whatever its way out (T7): `exit 3`, `set -e`, a syntax
 * error. A killed command leaves them as they were. Arguments: the folder of `command`, `env` and `state`, the cwd, a
 * cwd to fall back to, file size in KiB, number of processes (0: no limit), `own` where /proc shows the command's processes alone. One line, so that line numbers in bash's
 * own messages are those of the command.
 */
const WRAPPER = [
  `exec 2>&1; ${closeAbove(2)}`,
  "__understudy_d=$1 __understudy_o=$6 __understudy_s=here IFS=\" \"$'\\t\\n'",
  'ulimit -c 0; [ "$4" -gt 0 ] && ulimit -f "$4"; [ "$5" -gt 0 ] && ulimit -u "$5" 2>/dev/null',
  'while IFS= builtin read -r -d "" __understudy_c; do builtin export "$__understudy_c"; done < "$1/env"',
  'builtin cd -- "$2" 2>/dev/null || { __understudy_s=lost; builtin cd -- "$3" 2>/dev/null || builtin cd /; }',
  "builtin unset OLDPWD",
  'builtin printf "%s\\0" "$__understudy_s" >| "$1/state" || exit 125',
  [
    "__understudy_end() { builtin local __understudy_n IFS=$' \\t\\n'",
    // Not by `pwd`, which would need a subshell, and says an old name of a folder that is gone.
    'if builtin cd -P . 2>/dev/null && builtin test . -ef "$PWD"; then __understudy_w=$PWD; else __understudy_w=; fi',
    '{ builtin printf "%s\\0%s\\0" "$__understudy_s" "$__understudy_w"',
    'for __understudy_n in $(builtin compgen -e); do builtin printf "%s=%s\\0" "$__understudy_n" "${!__understudy_n-}"; done',
    // What lives yet is ended with the shell; names of processes that are none any more can't be read.
    'if [ "$__understudy_o" = own ]; then builtin printf "=%s\\0" "$$"; for __understudy_n in $(builtin compgen -G "/proc/[0-9]*/stat")',
    'do builtin read -r __understudy_w < "$__understudy_n" && builtin printf "=%s\\0" "$__understudy_w"; done 2>/dev/null; fi',
    "builtin printf '.\\0'; } >| \"$__understudy_d/state\" 2>/dev/null || :; }",
  ].join("; "),
  "__understudy_e=; builtin set --",
  "builtin trap '{ builtin set +xvnu; } 2>/dev/null; [ -n \"$__understudy_e\" ] || __understudy_end' EXIT",
  // Not by way of a variable, which `set` would show.
  'builtin eval "$(<"$__understudy_d/command")"',
  "{ __understudy_n=$?; builtin set +xvue; } 2>/dev/null",
  "__understudy_end; __understudy_e=1",
  'builtin exit "$__understudy_n"',
].join("; ");

export interface ShellArgs {
  bash: string;
  /** As the command sees it. */
  dir: string;
  cwd: string;
  fallback: string;
  fileKb: number;
  processes: number;
  /** The command has a process space of its own, with nobody else in /proc. */
  own: boolean;
}

/** bash with its arguments. */
export function shellLine(args: ShellArgs): string[] {
  const { bash, dir, cwd, fallback, fileKb, processes, own } = args;
  const words = [dir, cwd, fallback, String(fileKb), String(processes), ...(own ? ["own"] : [])];
  return [bash, "--noprofile", "--norc", "-c", WRAPPER, "bash", ...words];
}

export interface ShellState {
  /** The wrapper ran: what failed after that is the command's own. */
  started: boolean;
  /** The cwd that it should have begun in was not there. */
  lost: boolean;
  /** It came to its end; else cwd and exports are as before. */
  ended: boolean;
  /** undefined: it ended in a folder that is gone. */
  cwd?: string;
  env: ReadonlyMap<string, string>;
  /** Names of processes that it left running. */
  left: readonly string[];
}

/** The state file, its first word alone when it is larger than any that the wrapper could use: a command can write it too. */
export function stateBytes(path: string): Uint8Array {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(size > MAX_STATE ? "here\0".length : size);
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Reads what the wrapper left. The command could have written the file too, so nothing in it is trusted further than a command may go. */
export function readState(bytes: Uint8Array): ShellState {
  const [first, cwd, ...rest] = Buffer.from(bytes).toString("utf8").split("\0").slice(0, -1);
  const ended = rest.at(-1) === ".";
  const records = ended ? rest.slice(0, -1) : [];
  const pairs = records.flatMap((record): [string, string][] => {
    const at = record.indexOf("=");
    if (at === 0) return [];
    return [[record.slice(0, Math.max(at, 0)), record.slice(at + 1)]];
  });
  const place = ended && cwd?.startsWith("/") === true ? cwd : undefined;
  return {
    started: bytes.length > 0,
    lost: first === "lost",
    ended,
    ...(place === undefined ? {} : { cwd: place }),
    env: new Map(pairs),
    left: leftIn(records.flatMap((record) => (record.startsWith("=") ? [record.slice(1)] : []))),
  };
}

/** Names of living processes out of the shell's own pid and lines of /proc/N/stat; not those that hold the copy up, the first one and the shell. */
function leftIn([shell, ...stats]: readonly string[]): string[] {
  return stats.flatMap((stat) => {
    const [, pid, name, state] = /^(\d+) \((.*)\) (\S) /s.exec(stat) ?? [];
    return pid === undefined || name === undefined || pid === "1" || pid === shell || state === "Z" ? [] : [name];
  });
}
