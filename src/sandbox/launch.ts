import { joinArgs } from "./join.ts";
import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { closeAbove, type CopyPlan, mountLines, type Placed } from "./plan.ts";
import type { SandboxKind } from "./sandbox.ts";
import { seccompArch } from "./seccomp.ts";
import { stageArgs, stageText } from "./stage.ts";

/** Kinds whose walls are Linux namespaces. */
export type CopyKind = Exclude<SandboxKind, "copy" | "none">;

/** What puts the walls up: bubblewrap, or where it is missing a perl script (`stage.ts`). */
export type Launcher = "bwrap" | "stage";

/** Who starts a command, and by what. */
export interface Starter {
  launcher: Launcher;
  /** Real mounts of uid 0, no user namespace. */
  root: boolean;
  uid: number;
  gid: number;
  /** `process.arch`. */
  arch: string;
}

/** fd on which the launcher names the first process of the namespace (as the machine numbers it). */
export const INFO_FD = 3;
/** fd of the seccomp filter. */
export const FILTER_FD = 4;

/** A program with its arguments, to be started with the step folder as cwd. */
export interface Line {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

const ROOT_CAPS = ["CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER", "CAP_FSETID"];

/** Arguments of `bwrap` for one thing placed. */
function bwrapPlaced(placed: Placed): string[] {
  switch (placed.kind) {
    case "folder":
      return ["--dir", placed.at];
    case "link":
      return ["--symlink", placed.to, placed.at];
    case "read":
      return ["--ro-bind", placed.from, placed.at];
    case "write":
      return ["--bind", placed.from, placed.at];
    case "empty":
      return ["--size", String(placed.sizeMb * 2 ** 20), "--tmpfs", placed.at];
    case "blank":
      return ["--ro-bind", "/dev/null", placed.at];
    case "dev":
      return ["--dev", "/dev"];
    case "proc":
      return ["--proc", "/proc"];
  }
}

/** All arguments of `bwrap` up to the command: this list is the walls' policy, held by a golden file. */
export function bwrapArgs(plan: CopyPlan, who: { root: boolean; uid: number; gid: number }): string[] {
  const ids = who.root
    ? ["--cap-drop", "ALL", ...ROOT_CAPS.flatMap((cap) => ["--cap-add", cap])]
    : ["--unshare-user", "--disable-userns", "--uid", String(who.uid), "--gid", String(who.gid)];
  const spaces = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"];
  const net = plan.network || plan.joined === true ? [] : ["--unshare-net"];
  const life = ["--die-with-parent", "--new-session", "--info-fd", String(INFO_FD), "--seccomp", String(FILTER_FD)];
  return [...ids, ...spaces, ...net, ...life, ...plan.placed.flatMap(bwrapPlaced), "--remount-ro", "/", "--chdir", "/"];
}

/** How a command starts; `shell` is bash with its arguments. Throws when a program that the probe saw is gone. */
export function launchLine(programs: Programs, plan: CopyPlan, who: Starter, shell: readonly string[]): Line {
  const env = { PATH: LAUNCH_PATH };
  const need = (name: "unshare" | "bash" | "bwrap" | "perl" | "nsenter"): string => {
    const file = programs[name];
    if (file === undefined) throw new Error(`${name} is gone`);
    return file;
  };
  if (who.launcher === "stage") {
    const arch = seccompArch(who.arch);
    if (arch === undefined) throw new Error(`no system call filter for ${who.arch}`);
    return { file: need("perl"), args: ["-e", stageText(arch), "--", ...stageArgs(plan, who), ...shell], env };
  }
  const bwrap = [need("bwrap"), ...bwrapArgs(plan, who), ...shell];
  const script = `${closeAbove(FILTER_FD)}; ${mountLines(plan.overlays, who.root)} exec "$@"`;
  const line = [need("bash"), "-c", script, "bash", ...bwrap];
  if (plan.joined === true) {
    return { file: need("nsenter"), args: [...joinArgs(who.root), need("unshare"), "-m", ...line], env };
  }
  // Without an overlay there is nothing to mount ahead of bubblewrap; a network is entered by way of a user namespace around it.
  const bare = plan.overlays.length === 0 && (who.root || plan.entered !== true);
  const [file = "", ...args] = bare ? line : [need("unshare"), who.root ? "-m" : "-Urm", ...line];
  return { file, args, env };
}
