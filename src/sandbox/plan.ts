/**
 * One thing that is put into the new root, in order; a later one may cover part of an earlier one. The list is the
 * policy of the walls: what is not in it is not there. `at` and `from` are absolute.
 */
export type Placed =
  | { kind: "folder"; at: string }
  | { kind: "link"; at: string; to: string }
  | { kind: "read"; at: string; from: string }
  | { kind: "write"; at: string; from: string }
  /** A fresh folder in memory, gone with the command. */
  | { kind: "empty"; at: string; sizeMb: number }
  /** An existing file shown as empty. */
  | { kind: "blank"; at: string }
  | { kind: "dev" }
  | { kind: "proc" };

/** What has a place that may lie in what was placed before. */
export type Below = Extract<Placed, { at: string }>;

/** An overlay that the launcher mounts at `<step>/<mount>` before the new root is made. Names are plain, relative to the step folder. */
export interface OverlayMount {
  mount: string;
  /** Links in the step folder, newest layer first: short names, since the option string is limited to a page. */
  lowers: readonly string[];
  upper: string;
  work: string;
}

/** Everything that a contained command is started with. */
export interface CopyPlan {
  overlays: readonly OverlayMount[];
  placed: readonly Placed[];
  network: boolean;
  /** It joins the network of the session's background shells instead of having its own. */
  joined?: boolean;
  /** Its network is entered from outside (`net-listen.ts`). */
  entered?: boolean;
}

/** Where the wrapper finds command, environment and cwd, and leaves what they became. */
export const SHELL_DIR = "/run/understudy";

/**
 * bash that closes every descriptor above `last`: what the agent itself was started with must not be handed on.
 */
export function closeAbove(last: number): string {
  return `for f in /dev/fd/*; do f=\${f##*/}; [ "$f" -gt ${last} ] && eval "exec $f>&-"; done`;
}

/** Mount options of an overlay. `root`: a real mount of uid 0, not one of a user namespace. */
export function overlayOptions(o: OverlayMount, root: boolean): string {
  // redirect_dir=off is refused beside userxattr, which implies it. volatile: without it every copy-up is synced.
  const flags = root ? "volatile,redirect_dir=off,metacopy=off,index=off" : "userxattr,volatile,metacopy=off,index=off";
  return `lowerdir=${o.lowers.join(":")},upperdir=${o.upper},workdir=${o.work},${flags}`;
}

/** The mount lines of a step, to be run with the step folder as cwd. */
export function mountLines(overlays: readonly OverlayMount[], root: boolean): string {
  return overlays.map((o) => `mount -t overlay overlay -o ${overlayOptions(o, root)} ${o.mount} &&`).join(" ");
}
