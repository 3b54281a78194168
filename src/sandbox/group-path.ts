import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
} from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";

/** The kernel's own; Node has no name for it. The same on every machine that the walls know. */
const O_PATH = 0x20_0000;
const FOLDER = constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH;

/**
 * A folder held by a descriptor, its entries reached through it. Why: a path into a living group's folder could be changed under
 * our feet by what runs in it, and a link there would lead to the machine's own files. No link is ever followed: each part of a
 * path is opened from the one before it.
 */
export class HeldFolder {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** By a path that can be trusted, or is looked at (`path()`) afterwards. Throws where it is no folder. */
  static at(path: string | Buffer): HeldFolder {
    return new HeldFolder(openSync(path, constants.O_DIRECTORY | O_PATH));
  }

  /** Path of an entry, good as long as this folder is held. */
  entry(name: RawPath): Buffer {
    if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0"))
      throw new Error("no name of an entry");
    return Buffer.concat([Buffer.from(`/proc/self/fd/${this.#fd}/`), rawBytes(name)]);
  }

  stat(): BigIntStats {
    return fstatSync(this.#fd, { bigint: true });
  }

  lstat(name: RawPath): BigIntStats | undefined {
    return lstatSync(this.entry(name), { bigint: true, throwIfNoEntry: false });
  }

  names(): RawPath[] {
    return readdirSync(this.here(), { encoding: "buffer" }).map((name) => name.toString("latin1"));
  }

  /** A folder in it; undefined where nothing is or something else, a link above all. */
  folder(name: RawPath): HeldFolder | undefined {
    try {
      return new HeldFolder(openSync(this.entry(name), FOLDER));
    } catch (error) {
      if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR", "ELOOP"].includes(String(error.code)))
        return undefined;
      throw error;
    }
  }

  /** A path to the folder itself, good as long as it is held. */
  here(): string {
    return `/proc/self/fd/${this.#fd}/.`;
  }

  /** Where it lies now, without any link. */
  path(): RawPath {
    return readlinkSync(`/proc/self/fd/${this.#fd}`, { encoding: "buffer" }).toString("latin1");
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Walks down from a folder, and calls `work` with the last one; undefined where the way is not all folders. `from` stays open. */
export function within<T>(from: HeldFolder, parts: readonly RawPath[], work: (folder: HeldFolder) => T): T | undefined {
  const [first, ...rest] = parts;
  if (first === undefined) return work(from);
  const next = from.folder(first);
  if (next === undefined) return undefined;
  try {
    return within(next, rest, work);
  } finally {
    next.close();
  }
}

/** Parts of a relative or absolute path. */
export function partsOf(path: RawPath): RawPath[] {
  return path.split("/").filter((part) => part !== "");
}
