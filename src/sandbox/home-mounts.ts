import { chmodSync, lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBelow, pathIn } from "../workspace/roots.ts";
import { kindOf, type Kind, toolsOf } from "./home.ts";
import type { Placed } from "./plan.ts";
import type { OutsidePath, SandboxOptions } from "./sandbox.ts";
import { SandboxError } from "./sandbox-error.ts";

/** The home that commands see, below the session's own folder. */
export function homeOf(options: Pick<SandboxOptions, "homeDir">): string {
  return join(options.homeDir, "home");
}

/**
 * The session's HOME with all that is mounted below it. Commands write there, and what puts the walls up follows links: a link of
 * theirs on the way to a mount point would lead it to the machine's own folders. So the mount points are made here, link by no link,
 * while no command lives; and from then on each command has every folder on the way mounted onto itself, since what is a mount can
 * be neither renamed nor removed nor replaced from inside.
 */
export class HomeMounts {
  readonly #options: SandboxOptions;
  /** Mount points, and the folders on the way to them; relative to the home. They only become more. */
  readonly #points = new Map<string, Kind>();
  #users = 0;
  #moved: string[] = [];

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /**
   * Makes HOME ready for a command, which calls `leave` when nothing of it lives. `caches` will be mounted by the caller; so will be
   * what is `outside`. Tools and caches that appeared since are shown when no command lives: `caches` of the answer are those that
   * can be mounted, and so is `shown` of what settings show. Throws `SandboxError` for an outside path that can't be shown now.
   */
  enter(
    caches: readonly string[],
    outside: readonly OutsidePath[],
    shown: readonly OutsidePath[],
  ): { placed: Placed[]; caches: string[]; shown: OutsidePath[] } {
    const { personHome: home, roots, resultsDir } = this.#options;
    const own = homeOf(this.#options);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    chmodSync(own, 0o700);
    const tools = toolsOf(home);
    const fixed = [...roots.map((root) => root.path), resultsDir, ...tools, ...caches].filter((at) => inHome(home, at));
    const isHeld = ({ path }: OutsidePath): boolean => this.#points.get(pathIn(home, path)) === kindOf(path);
    const there = this.#users === 0 ? shown : shown.filter((each) => !inHome(home, each.path) || isHeld(each));
    const paths = [...outside, ...there].map((each) => each.path);
    // What lies in another mount has its place there.
    const wanted = fixed.filter((at) => !isWithin(fixed, at));
    const granted = paths.filter(
      (at) => inHome(home, at) && !fixed.includes(at) && !isWithin([...fixed, ...paths], at),
    );
    if (this.#users === 0) {
      for (const at of wanted) this.#add(pathIn(home, at), kindOf(at) ?? "folder");
      for (const at of granted) this.#add(pathIn(home, at), kindOf(at) ?? "file");
    }
    for (const [path, kind] of this.#points) this.#make(path, kind);
    for (const at of granted) this.#addLate(pathIn(home, at), kindOf(at) ?? "file");
    const known = (at: string): boolean => !isWithin(fixed, at) && this.#points.get(pathIn(home, at)) === kindOf(at);
    const mounted = new Set([...wanted.filter((at) => !tools.includes(at)), ...granted]);
    const selves = [...this.#points.keys()].toSorted().flatMap((path): Placed[] => {
      const at = join(home, path);
      if (mounted.has(at) || (tools.includes(at) && known(at)) || isWithin(fixed, at)) return [];
      return [{ kind: "write", from: join(own, path), at }];
    });
    this.#users++;
    return {
      placed: [
        { kind: "write", from: own, at: home },
        ...selves,
        ...tools.filter(known).map((at): Placed => ({ kind: "read", from: at, at })),
      ],
      caches: caches.filter(known),
      shown: [...there],
    };
  }

  leave(): void {
    this.#users--;
  }

  /** What lay in the way of a mount point and got another name, in a sentence each; every one is told once. */
  told(): string[] {
    return this.#moved.splice(0);
  }

  #add(path: string, kind: Kind): void {
    const parent = dirname(path);
    if (parent !== ".") this.#add(parent, "folder");
    this.#points.set(path, kind);
  }

  /** Makes one part of a path what it has to be; the folder that it lies in is. */
  #make(path: string, kind: Kind): void {
    const at = join(homeOf(this.#options), path);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat !== undefined && (kind === "folder" ? stat.isDirectory() : stat.isFile())) {
      if (kind === "folder" && (stat.mode & 0o700) !== 0o700) chmodSync(at, (stat.mode & 0o7777) | 0o700);
      return;
    }
    if (stat !== undefined) this.#moveAside(path);
    if (kind === "folder") mkdirSync(at, { mode: 0o700 });
    else writeFileSync(at, "", { flag: "wx", mode: 0o600 });
  }

  #moveAside(path: string): void {
    const own = homeOf(this.#options);
    let free = `${path}.aside`;
    for (let n = 2; lstatSync(join(own, free), { throwIfNoEntry: false }) !== undefined; n++)
      free = `${path}.aside-${n}`;
    renameSync(join(own, path), join(own, free));
    this.#moved.push(`~/${path} was in the way of a folder or file that is shown there; it is now ~/${free}`);
  }

  /**
   * An outside path that comes while another command lives, which can replace what is no mount in its own view at any time: then only
   * a folder right below a mount can be shown, since nothing is made behind a link that comes in its place.
   */
  #addLate(path: string, kind: Kind): void {
    if (this.#points.has(path)) return;
    const parent = dirname(path);
    if (kind === "folder" && (parent === "." || this.#points.get(parent) === "folder")) return this.#make(path, kind);
    throw new SandboxError(
      `~/${path} can't be shown below HOME while background shells or other commands run; end them first, then try again`,
    );
  }
}

function inHome(home: string, at: string): boolean {
  return at !== home && isBelow(home, at);
}

/** Whether a path lies below one of others. */
function isWithin(mounts: readonly string[], at: string): boolean {
  return mounts.some((other) => other !== at && isBelow(other, at));
}
