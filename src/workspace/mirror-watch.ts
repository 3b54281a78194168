import { type FSWatcher, lstatSync, readdirSync, watch } from "node:fs";
import type { Root } from "../events/event.ts";
import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import type { Clock } from "../util/deps.ts";
import { breathe } from "./fingerprint.ts";
import type { Changed } from "./mirror.ts";
import { listedFolder } from "./regenerable.ts";
import { joinRaw, splitRaw } from "./tree.ts";

/** Folders that are watched one by one; more are looked at in rounds. */
const MOST_FOLDERS = 8000;
/** Changes that belong together come together. */
const GATHER_MS = 30;
const ROUND_MS = 1000;
/** The door's own names for what is not yet there. */
const STAGED = ".understudy-";

export interface WatchOptions {
  roots: readonly Root[];
  clock: Clock;
  /** Paths that may have changed; called again only when it is done. */
  changed(paths: readonly Changed[]): Promise<void>;
  /** For tests: rounds instead of watches. */
  rounds?: boolean;
}

export interface Watch {
  /** Everything is watched. */
  readonly ready: Promise<void>;
  close(): void;
}

/**
 * Tells what somebody changes in the roots, outside of git's own folder and of regenerable output. By the system's watches; where
 * those run out, by looking at all of it in rounds.
 */
export function watchRoots(options: WatchOptions): Watch {
  const gathered = new Gathered(options);
  const watches = options.roots.flatMap((root, n) =>
    root.kind === "git" ? [] : [new RootWatch(root, n, gathered, options)],
  );
  return {
    ready: Promise.all(watches.map((one) => one.start())).then(() => undefined),
    close: () => {
      gathered.close();
      for (const one of watches) one.close();
    },
  };
}

/** Paths that wait to be told, each once. */
class Gathered {
  readonly #options: WatchOptions;
  readonly #waiting = new Map<string, Changed>();
  readonly #stop = new AbortController();
  #telling = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  add(root: number, path: RawPath, deep: boolean): void {
    const key = `${root}/${path}`;
    this.#waiting.set(key, {
      root,
      path,
      maybe: true,
      ...(deep || this.#waiting.get(key)?.deep ? { deep: true } : {}),
    });
    void this.#tell();
  }

  async #tell(): Promise<void> {
    if (this.#telling) return;
    this.#telling = true;
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      await this.#options.clock.sleep(GATHER_MS, this.#stop.signal);
      const paths = [...this.#waiting.values()];
      this.#waiting.clear();
      if (!this.#stop.signal.aborted) await this.#options.changed(paths);
    }
    this.#telling = false;
  }

  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  close(): void {
    this.#stop.abort();
  }
}

/** One root. */
class RootWatch {
  readonly #base: RawPath;
  readonly #root: number;
  readonly #gathered: Gathered;
  readonly #options: WatchOptions;
  readonly #watchers = new Map<RawPath, FSWatcher>();
  #inRounds = false;

  constructor(root: Root, index: number, gathered: Gathered, options: WatchOptions) {
    this.#base = toRaw(root.path);
    this.#root = index;
    this.#gathered = gathered;
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#options.rounds === true) this.#toRounds();
    else await this.#watchBelow("");
  }

  #at(path: RawPath): Buffer {
    return rawBytes(path === "" ? this.#base : `${this.#base}/${path}`);
  }

  async #watchBelow(top: RawPath): Promise<void> {
    const stack = [top];
    for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
      await breathe();
      if (this.#gathered.stop.aborted || this.#inRounds) return;
      if (!this.#watch(path)) return this.#toRounds();
      for (const [name, folder] of namesIn(this.#at(path)))
        if (folder && !isLeftOut(joinRaw(path, name))) stack.push(joinRaw(path, name));
    }
  }

  /** False where the system has no watch left. */
  #watch(path: RawPath): boolean {
    if (this.#watchers.has(path)) return true;
    if (this.#watchers.size >= MOST_FOLDERS) return false;
    try {
      const watcher = watch(this.#at(path), { persistent: false, encoding: "buffer" }, (_, name) => {
        if (name !== null) this.#saw(joinRaw(path, name.toString("latin1")));
      });
      watcher.on("error", () => this.#forget(path));
      this.#watchers.set(path, watcher);
      return true;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "";
      // It went away again, or can't be looked into.
      return code !== "ENOSPC" && code !== "EMFILE" && code !== "ENFILE";
    }
  }

  #saw(path: RawPath): void {
    const [, name] = splitRaw(path);
    if (name.startsWith(STAGED) || isLeftOut(path)) return;
    const folder = lstatSync(this.#at(path), { throwIfNoEntry: false })?.isDirectory() === true;
    const fresh = folder && !this.#watchers.has(path);
    if (!folder) this.#forget(path);
    this.#gathered.add(this.#root, path, fresh);
    // What came into it before it was watched is told by `deep`.
    if (fresh) void this.#watchBelow(path).then(() => this.#gathered.add(this.#root, path, true));
  }

  #forget(top: RawPath): void {
    if (!this.#watchers.has(top)) return;
    for (const [path, watcher] of this.#watchers) {
      if (path !== top && !path.startsWith(`${top}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  #toRounds(): void {
    if (this.#inRounds) return;
    this.#inRounds = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    void this.#rounds();
  }

  async #rounds(): Promise<void> {
    const { clock } = this.#options;
    const { stop } = this.#gathered;
    let before = await this.#look();
    while (!stop.aborted) {
      const began = clock.now();
      const now = await this.#look();
      for (const [path, stamp] of now) if (before.get(path) !== stamp) this.#gathered.add(this.#root, path, false);
      for (const path of before.keys()) if (!now.has(path)) this.#gathered.add(this.#root, path, false);
      before = now;
      // Large folders take a while to look at: never more than a small part of the time.
      await clock.sleep(Math.max(ROUND_MS, (clock.now() - began) * 10), stop);
    }
  }

  /** Every entry with its change time; of folders their being there. */
  async #look(): Promise<Map<RawPath, string>> {
    const seen = new Map<RawPath, string>();
    const stack: RawPath[] = [""];
    for (let path = stack.pop(); path !== undefined; path = stack.pop()) {
      await breathe();
      for (const [name, folder] of namesIn(this.#at(path))) {
        const below = joinRaw(path, name);
        if (isLeftOut(below) || name.startsWith(STAGED)) continue;
        if (folder) stack.push(below);
        const stat = lstatSync(this.#at(below), { bigint: true, throwIfNoEntry: false });
        if (stat !== undefined) seen.set(below, folder ? String(stat.ino) : `${stat.ctimeNs} ${stat.ino}`);
      }
    }
    return seen;
  }

  close(): void {
    this.#forget("");
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}

/** Git's own folder and regenerable output: the door brings what lands of them; of what others change in them nothing is told. */
function isLeftOut(path: RawPath): boolean {
  return path.split("/").includes(".git") || listedFolder(path, true) !== undefined;
}

function namesIn(folder: Buffer): (readonly [RawPath, boolean])[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" }).map(
      (entry) => [entry.name.toString("latin1"), entry.isDirectory()] as const,
    );
  } catch {
    return [];
  }
}
