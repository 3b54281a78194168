import { existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type RawPath, showPath, toRaw } from "../util/bytes.ts";
import { upperOf } from "../workspace/change.ts";
import { isBelow, pathIn } from "../workspace/roots.ts";
import { openTree } from "../workspace/tree.ts";
import { Clone, codeOf, type LeftOut } from "./clone.ts";
import { boundFor, type CloneBound, tooLarge } from "./clone-bound.ts";
import { moveToLayer } from "./clone-layer.ts";
import { EntryCopier } from "./entry.ts";
import type { HiddenPath } from "./hidden-walk.ts";
import { secretsOf } from "./home.ts";
import { mountPoints } from "./place.ts";
import type { Below, Placed } from "./plan.ts";
import type { Programs } from "./programs.ts";
import { removeTree } from "./remove.ts";
import { SandboxError } from "./sandbox-error.ts";
import type { SandboxOptions } from "./sandbox.ts";

/** More entries that must be shown from the original than this are no exception any more. */
const MAX_SHOWN = 200;

/** The roots copied for one command. */
export interface ClonedRoots {
  /** Absolute, by root. */
  paths: readonly string[];
  /** What is shown from the person's own folders, read-only: other file systems in them, and what can't be read. */
  shown: readonly Below[];
  /** What they take on the disk, as far as it is known. */
  bytes: number;
  /** Moves what the command changed into the layers of a step; by root, the deletions that no mark could be made for. */
  toLayers(stepFolder: string): Promise<readonly (readonly RawPath[])[]>;
  /** Must be called, whatever happened. */
  release(): Promise<void>;
}

interface CloneSet {
  dir: string;
  clones: readonly Clone[];
  copier: EntryCopier;
  copied: { entries: number; bytes: number };
  busy: boolean;
}

export class Clones {
  readonly #options: SandboxOptions;
  readonly #programs: Programs;
  readonly #parent: string;
  #session: CloneSet | undefined;

  constructor(options: SandboxOptions, programs: Programs) {
    this.#options = options;
    this.#programs = programs;
    this.#parent = join(options.homeDir, "clones");
  }

  /** Removes what a dead process left. */
  async sweep(): Promise<void> {
    for (const name of existsSync(this.#parent) ? readdirSync(this.#parent) : [])
      if (!lives(Number(name.split("-")[0]))) await removeTree(join(this.#parent, name));
  }

  /** Why the roots with these layers can't be cloned, or the bound that they are within. */
  async bound(layers: readonly string[]): Promise<CloneBound | string> {
    const { roots } = this.#options;
    const tree = await openTree(roots, layers);
    mkdirSync(this.#parent, { recursive: true, mode: 0o700 });
    return boundFor(tree, roots.length, this.#leftOut(), this.#parent);
  }

  /**
   * Clones of the roots with the kept layers over them. `keep`: they serve the session's next command too, which then
   * costs a walk instead of a copy; a second command at the same time gets its own. Throws `SandboxError` where they are too large.
   */
  async take(layers: readonly string[], keep: boolean, hidden: readonly HiddenPath[] = []): Promise<ClonedRoots> {
    const own = keep && this.#session === undefined;
    const free = keep && this.#session?.busy === false ? this.#session : undefined;
    const set = free ?? (await this.#fresh(layers));
    if (own) this.#session = set;
    set.busy = true;
    try {
      await this.#sync(set, layers, hidden);
      return this.#cloned(set);
    } catch (error) {
      await this.#discard(set);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#session !== undefined) await this.#discard(this.#session);
  }

  async #fresh(layers: readonly string[]): Promise<CloneSet> {
    const bound = await this.bound(layers);
    if (typeof bound === "string") throw new SandboxError(bound);
    const dir = mkdtempSync(join(this.#parent, `${process.pid}-`));
    const copier = new EntryCopier(this.#programs, dir);
    const copied = { entries: 0, bytes: 0 };
    const count = (bytes: number): void => {
      copied.entries++;
      copied.bytes += bytes;
      // The folder can have grown since it was looked at.
      if (copied.entries > 2 * bound.entries || copied.bytes > 2 * bound.bytes)
        throw new SandboxError(tooLarge("it grew", bound.bytes === Infinity));
    };
    const clones = this.#options.roots.map((_, n) => new Clone(toRaw(join(dir, String(n))), { copier, count }));
    return { dir, clones, copier, copied, busy: true };
  }

  async #sync(set: CloneSet, layers: readonly string[], hidden: readonly HiddenPath[]): Promise<void> {
    const { roots } = this.#options;
    const tree = await openTree(roots, layers);
    const leftOut = this.#leftOut(hidden);
    Object.assign(set.copied, { entries: 0, bytes: 0 });
    for (const [n, clone] of set.clones.entries()) {
      const root = await tree.root(n);
      if (root === undefined) throw new SandboxError(`${roots[n]?.path} is gone`);
      await clone.sync(tree, root, leftOut[n] ?? new Set());
    }
  }

  #cloned(set: CloneSet): ClonedRoots {
    let moved = false;
    return {
      paths: set.clones.map((_, n) => join(set.dir, String(n))),
      bytes: set.clones.reduce((sum, clone) => sum + clone.bytes, 0),
      shown: [...this.#mounted(), ...this.#unreadable(set)],
      toLayers: async (stepFolder) => {
        const gone: (readonly RawPath[])[] = [];
        for (const [n, clone] of set.clones.entries())
          gone.push(await moveToLayer(clone, toRaw(upperOf(stepFolder, n)), set.copier));
        moved = true;
        return gone;
      },
      release: async () => {
        // One whose changes are still in it is of no use any more.
        if (moved && set === this.#session) set.busy = false;
        else await this.#discard(set);
      },
    };
  }

  async #discard(set: CloneSet): Promise<void> {
    if (this.#session === set) this.#session = undefined;
    await removeTree(set.dir);
  }

  /** By root, what is not copied: other file systems in it, the program's own folders, a home's secrets, what rules hide. */
  #leftOut(hidden: readonly HiddenPath[] = []): LeftOut[] {
    const { personHome, stateDir, configDir } = this.#options;
    const own = [stateDir, configDir ?? stateDir, ...secretsOf(personHome)];
    return this.#options.roots.map(
      ({ path }) =>
        new Set(
          [...mountPoints(), ...own, ...hidden.map((each) => each.path)]
            .filter((at) => at !== path && isBelow(path, at))
            .map((at) => toRaw(pathIn(path, at))),
        ),
    );
  }

  #mounted(): Below[] {
    const { roots, stateDir } = this.#options;
    const inside = mountPoints().filter((at) => roots.some((r) => at !== r.path && isBelow(r.path, at)));
    const own = (at: string): boolean => isBelow(stateDir, at);
    const tops = inside.filter((at) => !own(at) && !inside.some((other) => other !== at && isBelow(other, at)));
    return [...new Set(tops)].map((at): Below => ({ kind: "read", at, from: at }));
  }

  #unreadable(set: CloneSet): Below[] {
    return set.clones.flatMap((clone, n) => {
      const root = this.#options.roots[n]?.path ?? "/";
      if (clone.unreadable.size > MAX_SHOWN || clone.unreadable.has(""))
        throw new SandboxError(`too much in ${root} can't be read, so it can't be copied for a command`);
      return [...clone.unreadable].map((path): Below => {
        const at = join(root, showPath(path));
        if (toRaw(showPath(path)) !== path) throw new SandboxError(`${at} can't be read, so it can't be copied`);
        return { kind: "read", at, from: at };
      });
    });
  }
}

/** What to say to a command that met a part of the folder which is no copy. */
export function shownHints(output: string, shown: readonly Placed[]): string[] {
  const paths = shown.flatMap((placed) => (placed.kind === "read" ? [placed.at] : []));
  if (paths.length === 0 || !/Read-only file system|EROFS|resource busy|EBUSY/.test(output)) return [];
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : "";
  return [
    `read-only in this copy, as another file system or without permission to read it: ${paths.slice(0, 5).join(", ")}${more}`,
  ];
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
