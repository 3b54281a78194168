import {
  type BigIntStats,
  chmodSync,
  closeSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import { openRegularNow } from "../util/regular-file.ts";
import { breathe } from "../workspace/fingerprint.ts";
import type { Node } from "../workspace/tree.ts";
import type { Lifted } from "./lift.ts";

const CHUNK = 1 << 16;

/** A step's upper layer, read raw: whiteouts and all. Synchronous where it is one call per entry, which is many times faster. */
export class UpperLayer {
  readonly #base: RawPath;
  readonly #lifted: Lifted;

  constructor(base: RawPath, lifted: Lifted) {
    this.#base = base;
    this.#lifted = lifted;
  }

  /** Raw absolute path of an entry. */
  at(path: RawPath): RawPath {
    return path === "" ? this.#base : `${this.#base}/${path}`;
  }

  /** Mode of the layer's own folder. */
  ownMode(): number {
    return statSync(rawBytes(this.#base)).mode & 0o7777;
  }

  /** Lets us into the layer, whatever a command made of its folder. */
  open(): void {
    const mode = this.ownMode();
    if ((mode & 0o700) !== 0o700) chmodSync(rawBytes(this.#base), mode | 0o700);
  }

  /** Names in order of their bytes. */
  names(path: RawPath): RawPath[] {
    return readdirSync(rawBytes(this.at(path)), { encoding: "latin1" }).sort();
  }

  /**
   * Names with what `lstat` says, in order of their bytes. Folders among them are made readable. One at a time: of tens of
   * thousands, what `lstat` says weighs more than all that is kept of them.
   */
  *entries(path: RawPath): Generator<readonly [RawPath, BigIntStats]> {
    for (const name of this.names(path)) {
      const stat = this.#stat(path, name);
      if (stat.isDirectory()) this.#lifted.lift(this.#in(path, name), Number(stat.mode), 0o700);
      yield [name, stat];
    }
  }

  /** The folders among the names, made readable. What is no folder is not looked at. */
  folders(path: RawPath): RawPath[] {
    const all = readdirSync(rawBytes(this.at(path)), { encoding: "buffer", withFileTypes: true });
    const names = all.flatMap((entry) => (entry.isDirectory() ? [entry.name.toString("latin1")] : []));
    for (const name of names) this.#lifted.lift(this.#in(path, name), Number(this.#stat(path, name).mode), 0o700);
    return names.sort();
  }

  #in(path: RawPath, name: RawPath): RawPath {
    return `${this.at(path)}/${name}`;
  }

  #stat(path: RawPath, name: RawPath): BigIntStats {
    return lstatSync(rawBytes(this.#in(path, name)), { bigint: true });
  }

  /** Files and bytes below a folder. */
  async sizeBelow(path: RawPath): Promise<{ files: number; bytes: number }> {
    const sum = { files: 0, bytes: 0 };
    const stack = [path];
    for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
      await breathe();
      for (const [name, stat] of this.entries(folder)) {
        if (stat.isDirectory()) stack.push(`${folder}/${name}`);
        else if (!stat.isSocket()) {
          sum.files += 1;
          sum.bytes += Number(stat.size);
        }
      }
    }
    return sum;
  }

  /** Equal bytes, or an equal target; of other special files the type is all there is. A lower file that can't be read counts as different. */
  async sameContent(path: RawPath, stat: BigIntStats, old: Node): Promise<boolean> {
    const [mine, theirs] = [this.at(path), old.places[0]?.real];
    if (theirs === undefined) return false;
    if (stat.isSymbolicLink()) return sameLink(mine, theirs);
    if (!stat.isFile()) return stat.rdev === old.stat.rdev;
    if (stat.size !== old.stat.size) return false;
    this.#lifted.lift(mine, Number(stat.mode), 0o400);
    return sameBytes(mine, theirs);
  }

  /** Makes a file readable for the time of the scan; its raw absolute path. */
  readable(path: RawPath): RawPath {
    const at = this.at(path);
    this.#lifted.lift(at, Number(lstatSync(rawBytes(at)).mode), 0o400);
    return at;
  }
}

function sameLink(a: RawPath, b: RawPath): boolean {
  const target = (path: RawPath): string => readlinkSync(rawBytes(path), { encoding: "latin1" });
  return target(a) === target(b);
}

async function sameBytes(a: RawPath, b: RawPath): Promise<boolean> {
  const fds: number[] = [];
  try {
    for (const path of [a, b]) fds.push(openRegularNow(rawBytes(path)));
    const [fdA = -1, fdB = -1] = fds;
    const [bufA, bufB] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
    for (let at = 0; ; at += CHUNK) {
      const n = readSync(fdA, bufA, 0, CHUNK, at);
      if (n !== readSync(fdB, bufB, 0, CHUNK, at) || bufA.compare(bufB, 0, n, 0, n) !== 0) return false;
      if (n < CHUNK) return true;
      if (at % (CHUNK * 64) === 0) await breathe();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EACCES") return false;
    throw error;
  } finally {
    fds.forEach((fd) => closeSync(fd));
  }
}
