import { chmodSync, lstatSync } from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";

/** Permissions that were widened in a layer for the time of a scan, by raw absolute path. */
export class Lifted {
  readonly #modes = new Map<RawPath, number>();
  readonly #ctimes = new Map<RawPath, string>();
  readonly #needed: boolean;

  /** `needed` false: root reads everything as it is. */
  constructor(needed: boolean) {
    this.#needed = needed;
  }

  /** Gives the owner `bits` on an entry of a layer, if they are lacking. Never used on the person's own files. */
  lift(path: RawPath, mode: number, bits: number): void {
    if (!this.#needed || (mode & bits) === bits) return;
    chmodSync(rawBytes(path), (mode & 0o7777) | bits);
    if (!this.#modes.has(path)) this.#modes.set(path, mode & 0o7777);
  }

  /** Nothing was widened. */
  get none(): boolean {
    return this.#modes.size === 0;
  }

  /** The ctime (ns) of what was put back; undefined for all else. */
  ctimeOf(path: RawPath): string | undefined {
    return this.#ctimes.get(path);
  }

  /** The mode as the command left it. */
  modeOf(path: RawPath, now: number): number {
    return this.#modes.get(path) ?? now;
  }

  /** Puts everything back, deepest first. */
  restore(): void {
    for (const [path, mode] of [...this.#modes].toReversed()) {
      chmodSync(rawBytes(path), mode);
      // Now, since what it lies in is closed next.
      this.#ctimes.set(path, String(lstatSync(rawBytes(path), { bigint: true }).ctimeNs));
    }
  }
}
