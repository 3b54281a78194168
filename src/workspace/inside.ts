import { createHash } from "node:crypto";
import { closeSync, fstatSync, lstatSync, opendirSync, readSync, realpathSync } from "node:fs";
import { rawBytes, type RawPath, showPath, toRaw } from "../util/bytes.ts";
import { NOT_REGULAR, openRegularNow } from "../util/regular-file.ts";
import { isBelow } from "./roots.ts";

/** How much of a folder that nobody trusts yet is looked at: files and folders, and bytes of them. */
export interface Bounds {
  entries: number;
  bytes: number;
}
const BOUNDS: Bounds = { entries: 5000, bytes: 64 << 20 };
/** Of a longer file only the hash is taken. */
const TEXT_BYTES = 1 << 20;

/** What lies at a path. `hash`: SHA-256, hex. `text`: where it is UTF-8 of at most 1 MiB. `unused`: it can't be read, and why. */
export type Seen =
  | { kind: "file"; hash: string; text?: string; executable: boolean }
  | { kind: "folder"; names: readonly RawPath[] }
  | { kind: "unused"; why: string };

/**
 * Reads in a folder before it is trusted. Nothing is run, no link is followed that leads out of the folder, nothing but regular files is
 * opened, and so much is read as the bounds allow: `whole` is false from the first thing that was not looked at.
 */
export class Inside {
  readonly #folder: RawPath;
  #entries: number;
  #bytes: number;
  whole = true;

  /** @param folder real path. */
  constructor(folder: string, { entries, bytes }: Bounds = BOUNDS) {
    this.#folder = toRaw(folder);
    this.#entries = entries;
    this.#bytes = bytes;
  }

  /** @param path below the folder. undefined: there is nothing. */
  look(path: RawPath): Seen | undefined {
    try {
      const real = this.#real(path);
      if (real === undefined) return undefined;
      if (!isBelow(this.#folder, real))
        return { kind: "unused", why: `a link out of the folder, to ${showPath(real)}` };
      if (this.#entries <= 0) return this.#over();
      this.#entries--;
      const stat = lstatSync(rawBytes(real));
      if (stat.isDirectory()) return { kind: "folder", names: this.#names(real) };
      return this.#file(real, (stat.mode & 0o111) !== 0);
    } catch (error) {
      return { kind: "unused", why: whyNot(error) };
    }
  }

  /** Where a path leads, links followed. */
  #real(path: RawPath): RawPath | undefined {
    const at = rawBytes(`${this.#folder === "/" ? "" : this.#folder}/${path}`);
    try {
      // Its own form takes names for text.
      return realpathSync.native(at, { encoding: "buffer" }).toString("latin1");
    } catch (error) {
      if (!["ENOENT", "ENOTDIR"].includes(codeOf(error))) throw error;
      // A link to nothing is there all the same.
      if (codeOf(error) === "ENOENT" && lstatSync(at, { throwIfNoEntry: false }) !== undefined) return this.#dangling();
      return undefined;
    }
  }

  #dangling(): never {
    throw Object.assign(new Error("a link to nothing"), { code: "EDANGLING" });
  }

  #over(): Seen {
    this.whole = false;
    return { kind: "unused", why: "not looked at: there is too much" };
  }

  #names(real: RawPath): RawPath[] {
    const names: RawPath[] = [];
    const dir = opendirSync(rawBytes(real), { encoding: "latin1" });
    try {
      for (let entry = dir.readSync(); entry !== null; entry = dir.readSync()) {
        if (names.length >= this.#entries) {
          this.whole = false;
          break;
        }
        names.push(entry.name);
      }
    } finally {
      dir.closeSync();
    }
    return names.sort();
  }

  #file(real: RawPath, executable: boolean): Seen {
    const fd = openRegularNow(rawBytes(real));
    try {
      const { size } = fstatSync(fd);
      if (size > this.#bytes) return this.#over();
      const hash = createHash("sha256");
      const kept: Buffer[] = [];
      const piece = Buffer.allocUnsafe(Math.min(Math.max(size, 1) + 1, 1 << 20));
      let read = 0;
      for (let n = readSync(fd, piece); n > 0; n = readSync(fd, piece)) {
        const part = piece.subarray(0, n);
        hash.update(part);
        if (read <= TEXT_BYTES) kept.push(Buffer.from(part));
        read += n;
        this.#bytes -= n;
        // It grows while it is read.
        if (this.#bytes < 0) return this.#over();
      }
      const text = read <= TEXT_BYTES ? textOf(Buffer.concat(kept)) : undefined;
      return { kind: "file", hash: hash.digest("hex"), executable, ...(text === undefined ? {} : { text }) };
    } finally {
      closeSync(fd);
    }
  }
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function whyNot(error: unknown): string {
  switch (codeOf(error)) {
    case NOT_REGULAR:
      return "no ordinary file";
    case "EDANGLING":
      return "a link to nothing";
    case "ELOOP":
      return "a link that leads to itself";
    case "EACCES":
    case "EPERM":
      return "it may not be read";
    default:
      return codeOf(error) === "" ? String(error) : `it can't be read (${codeOf(error)})`;
  }
}
