import type { Clock } from "../../../util/deps.ts";
import { fit } from "./fuzzy.ts";

/** Paths of files and folders (with `/` at the end) as they were found, to be searched while more come. */
export class FileIndex {
  readonly #paths: string[] = [];
  readonly #lower: string[] = [];
  readonly #folders = new Set<string>();
  readonly #clock: Pick<Clock, "now">;
  #recent: ReadonlyMap<string, number> = new Map();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#paths.length;
  }

  /** Files that were found, and the folders above them. */
  add(files: readonly string[]): void {
    for (const file of files) {
      for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
        const folder = file.slice(0, end + 1);
        if (this.#folders.has(folder)) break;
        this.#folders.add(folder);
        this.#put(folder);
      }
      this.#put(file);
    }
  }

  #put(path: string): void {
    this.#paths.push(path);
    this.#lower.push(path.toLowerCase());
  }

  /** What was last worked with, newest first: it comes before all else that fits as well. */
  setRecent(paths: readonly string[]): void {
    this.#recent = new Map(paths.map((path, at) => [path, Math.max(1, 12 - at)]));
  }

  /**
   * The best `most` for what was typed. It gives way after some milliseconds of work each time, so that keys are never waited for; `onSome`
   * has what is best so far. Ends early, with what it has, when it is aborted.
   */
  async search(
    typed: string,
    { most, signal, onSome }: { most: number; signal: AbortSignal; onSome?: (best: readonly string[]) => void },
  ): Promise<readonly string[]> {
    const query = typed.toLowerCase();
    const best = new Best(most);
    let until = this.#clock.now() + SLICE_MS;
    for (let at = 0; at < this.#paths.length; at++) {
      const path = this.#paths[at] ?? "";
      const score = query === "" ? this.#plain(path) : fit(path, this.#lower[at] ?? "", query);
      if (score !== undefined) best.put(path, score + 3 * (this.#recent.get(path) ?? 0));
      if (at % 256 !== 255 || this.#clock.now() < until) continue;
      onSome?.(best.list());
      await new Promise((go) => setImmediate(go));
      if (signal.aborted) break;
      until = this.#clock.now() + SLICE_MS;
    }
    return best.list();
  }

  /** Nothing is typed yet: what is at the top comes first. */
  #plain(path: string): number {
    let depth = 0;
    for (let i = path.indexOf("/"); i >= 0 && i < path.length - 1; i = path.indexOf("/", i + 1)) depth++;
    return -depth * 4;
  }
}

const SLICE_MS = 6;

/** The best of many, without sorting all of them. */
class Best {
  readonly #most: number;
  #kept: { path: string; score: number }[] = [];
  #least = -Infinity;

  constructor(most: number) {
    this.#most = most;
  }

  put(path: string, score: number): void {
    if (score < this.#least) return;
    this.#kept.push({ path, score });
    if (this.#kept.length >= 4 * this.#most) this.#sort();
  }

  #sort(): void {
    this.#kept = this.#kept.toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#least = this.#kept.at(-1)?.score ?? -Infinity;
  }

  list(): string[] {
    this.#sort();
    return this.#kept.map(({ path }) => path);
  }
}
