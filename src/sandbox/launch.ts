import { LAUNCH_PATH, type Programs } from "./programs.ts";
import { closeAbove, type CopyPlan, mountLines, type Placed } from "./plan.ts";
import { stageScript } from "./stage.ts";
import type { SandboxKind } from "./sandbox.ts";

/** Kinds that have walls. */
export type CopyKind = Exclude<SandboxKind, "none">;

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
  const net = plan.network ? [] : ["--unshare-net"];
  const life = ["--die-with-parent", "--new-session", "--info-fd", String(INFO_FD), "--seccomp", String(FILTER_FD)];
  return [...ids, ...spaces, ...net, ...life, ...plan.placed.flatMap(bwrapPlaced), "--remount-ro", "/", "--chdir", "/"];
}

/** How a command starts on a backend; `shell` is bash with its arguments. Throws when a program that the probe saw is gone. */
export function launchLine(
  kind: CopyKind,
  programs: Programs,
  plan: CopyPlan,
  who: { uid: number; gid: number },
  shell: readonly string[],
): Line {
  const env = { PATH: LAUNCH_PATH };
  const root = kind === "overlay-root";
  const need = (name: "unshare" | "bash" | "bwrap"): string => {
    const file = programs[name];
    if (file === undefined) throw new Error(`${name} is gone`);
    return file;
  };
  const mounts = `${closeAbove(FILTER_FD)}; ${mountLines(plan.overlays, root)}`;
  if (kind === "overlay-unshare") {
    const flags = plan.network ? "-Urmpfiu" : "-Urmpfiun";
    const stage = stageScript(mounts);
    const placed = plan.placed.flatMap(stagePlaced);
    const args = [flags, "--kill-child", need("bash"), "-c", stage, "bash", String(who.uid), String(who.gid)];
    const unshared = [need("unshare"), ...args, ...placed, "--", ...shell];
    // bwrap ends with its parent by itself; here setpriv arms the same before anything else.
    const setpriv = programs.setpriv;
    if (setpriv === undefined) throw new Error("setpriv is gone");
    return { file: setpriv, args: ["--pdeathsig", "KILL", ...unshared], env };
  }
  const bwrap = [need("bwrap"), ...bwrapArgs(plan, { root, ...who }), ...shell];
  const script = `${mounts} exec "$@"`;
  return { file: need("unshare"), args: [root ? "-m" : "-Urm", need("bash"), "-c", script, "bash", ...bwrap], env };
}

/** Three words for the stage script. */
function stagePlaced(placed: Placed): string[] {
  switch (placed.kind) {
    case "folder":
    case "blank":
      return [placed.kind, "", placed.at];
    case "link":
      return ["link", placed.to, placed.at];
    case "read":
    case "write":
      return [placed.kind, placed.from, placed.at];
    case "empty":
      return ["empty", String(placed.sizeMb), placed.at];
    case "dev":
      return ["dev", "", "/dev"];
    case "proc":
      return ["proc", "", "/proc"];
  }
}
