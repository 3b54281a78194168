import type { NetReport } from "./net.ts";
import { networkHints, refusedHints } from "./net-hints.ts";
import type { ShellCommand } from "./sandbox.ts";

interface Rule {
  seen: RegExp;
  text: string;
  when(command: Pick<ShellCommand, "mode" | "network">, contained: boolean): boolean;
}

const contained = (_: unknown, walls: boolean): boolean => walls;

/** What programs say when they meet a wall, and what to do about it. */
const RULES: readonly Rule[] = [
  {
    seen: /Read-only file system|EROFS|\[Errno 30\]/,
    text: "plan mode: say in the plan what you would change; the folder is read-only now, build output and /tmp are thrown away",
    when: (command, walls) => walls && command.mode === "plan",
  },
  {
    seen: /Read-only file system|EROFS|\[Errno 30\]/,
    text: "only the folder, HOME and /tmp can be written in this copy; HOME and /tmp are the copy's own, the person never sees them",
    when: (command, walls) => walls && command.mode !== "plan",
  },
  {
    seen: /(?:\/var)?\/tmp\/[^\s'"]+['"]?: No such file|No such file or directory:? ['"]?(?:\/var)?\/tmp\/|cannot (?:open|stat|access) ['"]?(?:\/var)?\/tmp\/|ENOENT[^\n]*'(?:\/var)?\/tmp\//,
    text: "each command has a /tmp of its own: what an earlier one wrote there is gone; keep it in HOME, or in the folder",
    when: contained,
  },
  {
    seen: /Device or resource busy|EBUSY/,
    text: "plan mode: build folders such as dist can be emptied and filled here, but not removed or renamed",
    when: (command, walls) => walls && command.mode === "plan",
  },
  {
    seen: /cross-device|EXDEV/,
    text: "a folder can't be renamed in place by rename(2) in this copy; use `mv`, which copies it (and `git add -A` instead of `git mv` of a folder)",
    when: contained,
  },
  {
    seen: /Value too large for defined data type|EOVERFLOW/,
    text: "a file here belongs to another user or group, which the copy can't change or move",
    when: contained,
  },
  {
    seen: /(sudo|doas|su): (command )?not found|sudo: .*(no new privileges|setuid)|must be setuid root|(sudo|doas): .*not permitted/,
    text: "there is no sudo in this copy: nothing outside the folder can be changed; ask the person to do it",
    when: contained,
  },
  {
    seen: /ENEEDAUTH|npm error need auth|Unable to locate credentials|Permission denied \(publickey|could not read (Username|Password)|fatal: Authentication failed|connection to your authentication agent|gpg failed to sign|No secret key|gh auth login/,
    text: "the person's logins, keys and agents are not in this copy; ask the person to run this command (in the prompt: !! and the command)",
    when: contained,
  },
  {
    seen: /dpkg frontend|\/var\/lib\/(dpkg|apt|rpm|pacman)|Unable to lock the administration|are you root\?|brew.*not writable/,
    text: "system packages can't be installed from this copy; install into the folder (a virtual environment, npm without -g), or ask the person",
    when: contained,
  },
  {
    seen: /booted with systemd|connect to (the )?(bus|system bus)|Failed to connect to bus/,
    text: "services of the machine can't be reached from this copy; ask the person",
    when: contained,
  },
  {
    seen: /(In|Out)put is not (from|to) a terminal|problem with the editor|not a tty|not a terminal|requires a (tty|terminal)|failed tty get|Inappropriate ioctl/i,
    text: "commands have no terminal and nobody types: change files with Edit or Write, give texts by option (git commit -m), answers by option or pipe (--yes)",
    when: () => true,
  },
  {
    seen: /LeakSanitizer has encountered a fatal error|ptrace[^\n:]*: Operation not permitted/i,
    text: "no process can trace another in this copy: gdb and strace don't run, LeakSanitizer neither (ASAN_OPTIONS=detect_leaks=0 keeps the rest of it); ask the person to run what needs that",
    when: contained,
  },
  {
    seen: /docker(\.sock)?.*(daemon|not found|Cannot connect)|Cannot connect to the Docker daemon|podman.*(not found|cannot)/,
    text: "containers can't be reached from this copy; ask the person to run it",
    when: contained,
  },
];

/** The exit code is of another program than the one that failed. */
const SWALLOWED = /\|\s*(tail|head|grep|tee|cat|sed|awk)\b|\|\|\s*(true|:|echo)\b/;

/** Notes for the model about walls that the output of a failed command tells of. */
export function hintsFor(
  output: string,
  code: number | null,
  command: Pick<ShellCommand, "mode" | "network" | "hosts" | "command">,
  walls: boolean,
  net?: NetReport,
): string[] {
  const refused = refusedHints(command.hosts ?? [], net?.refusals ?? []);
  const worked = code === 0 && command.mode !== "plan" && !SWALLOWED.test(command.command);
  if (worked) return refused;
  const network = walls && refused.length === 0 ? networkHints(output, command) : refused;
  const others = RULES.filter((rule) => rule.when(command, walls) && rule.seen.test(output)).map((rule) => rule.text);
  return [...network, ...others];
}
