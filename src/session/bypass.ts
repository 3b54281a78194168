import { existsSync, readFileSync, realpathSync } from "node:fs";
import { userInfo } from "node:os";
import { holdsHome } from "./trust-place.ts";

/** `--bypass` may not be here; its message says why and what to do. */
export class BypassError extends Error {
  override name = "BypassError";
}

/** What decides whether questions may be left out (P8). */
export interface BypassPlace {
  /** Real paths of all folders that the session may change. */
  roots: readonly string[];
  homes: readonly string[];
  uid: number;
  /** The machine is a container: what goes wrong in it stays in it. */
  contained: boolean;
  /** `file:line` of settings that forbid it. */
  forbidden?: string | undefined;
}

/** Why `--bypass` may not be here, one line with what to do; undefined where it may. Pure. */
export function bypassRefusal({ roots, homes, uid, contained, forbidden }: BypassPlace): string | undefined {
  if (forbidden !== undefined) return `--bypass is forbidden by ${forbidden} (permissions.disableBypass)`;
  if (uid === 0 && !contained)
    return "--bypass is refused for root outside a container, where nothing stands between a mistake and the machine: run it as an ordinary user, or in a container";
  const home = roots.find((root) => holdsHome(root, homes));
  if (home === undefined) return undefined;
  return `--bypass is refused in ${home}, which ${home === "/" ? "is the whole machine" : "holds your home folder"}: start it in a project's folder`;
}

/**
 * A check for sessions of these options; it looks at once, and again at the roots that a session really has.
 * @throws BypassError.
 */
export function bypassGuard(
  { folder, addDirs }: { folder: string; addDirs: readonly string[] },
  home: string,
  forbidden: string | undefined,
): (roots: readonly string[]) => void {
  const guard = (roots: readonly string[]) => {
    const homes = [home, userInfo().homedir];
    const why = bypassRefusal({ roots, homes, uid: process.getuid?.() ?? 0, contained: inContainer(), forbidden });
    if (why !== undefined) throw new BypassError(why);
  };
  guard([folder, ...addDirs.map((dir) => realpathSync(dir))]);
  return guard;
}

/** Files that container programs leave in their containers, and no one else makes. */
const MARKS = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"];
/** What they call the control group of the first process. */
const GROUPS =
  /\/(?:(?:docker|lxc|kubepods|buildkit)(?:\/|\.slice)|(?:docker|libpod|crio|cri-containerd)-[0-9a-f]+\.scope|lxc\.payload)/;

/** Whether this machine is a container, as far as it can be told: where it can't, it is none. */
export function inContainer(
  exists: (path: string) => boolean = existsSync,
  read: (path: string) => string = (path) => readFileSync(path, "utf8"),
): boolean {
  if (MARKS.some(exists)) return true;
  try {
    return GROUPS.test(read("/proc/1/cgroup"));
  } catch {
    return false;
  }
}
