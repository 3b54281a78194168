import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import { breathe } from "../workspace/fingerprint.ts";
import type { Node } from "../workspace/tree.ts";
import { HeldFolder, partsOf, within } from "./group-path.ts";

const CHUNK = 1 << 20;
/** Neither a link nor a pipe of the group's may be opened; a pipe without a reader answers at once. */
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** The entry in the way is none that can be written into. */
const UNWRITABLE = ["ELOOP", "ENXIO", "EACCES", "ETXTBSY", "EISDIR", "EPERM"];

/**
 * A folder of the person's as the processes of a living group see it. What is written here goes through the group's own mount, so
 * that what runs in it is told of it as of any other change.
 */
export class GroupView {
  readonly #proc: HeldFolder;
  readonly #owner: boolean;

  /**
   * `pid`: the first process of the group. Held by a descriptor of its entry in /proc, which leads to no other process when it has
   * ended. `owner`: root gives entries their owner.
   */
  constructor(pid: number, owner: boolean) {
    this.#proc = HeldFolder.at(`/proc/${pid}`);
    this.#owner = owner;
  }

  /**
   * Calls `work` with a folder of a root; undefined where it isn't there, or the group has ended. Throws where the way leads to the
   * person's own folder: the group's mounts are not made yet.
   */
  async at<T>(root: string, folder: RawPath, work: (held: HeldFolder) => Promise<T>): Promise<T | undefined> {
    let top: HeldFolder;
    try {
      top = HeldFolder.at(this.#proc.entry("root").toString());
    } catch {
      return undefined;
    }
    try {
      return await within(top, partsOf(Buffer.from(root).toString("latin1")), (held) => {
        const [mine, real] = [held.stat(), lstatSync(root, { bigint: true })];
        if (mine.dev === real.dev) throw new Error(`${root} is not the group's own`);
        return within(held, partsOf(folder), (inner) => this.#kept(inner, work));
      });
    } finally {
      top.close();
    }
  }

  /** `within` closes what it opened when its callback returns, so the folder that is worked in is opened once more. */
  async #kept<T>(inner: HeldFolder, work: (held: HeldFolder) => Promise<T>): Promise<T> {
    const own = HeldFolder.at(inner.here());
    try {
      return await work(own);
    } finally {
      own.close();
    }
  }

  /** Makes an entry what it is in the person's folder; the children of a folder are the caller's. */
  async put(held: HeldFolder, name: RawPath, node: Node): Promise<void> {
    const there = held.lstat(name);
    switch (node.type) {
      case "file":
        return this.#file(held, name, node, there);
      case "folder":
        if (there !== undefined && !there.isDirectory()) unlinkSync(held.entry(name));
        if (there?.isDirectory() !== true) {
          mkdirSync(held.entry(name), { mode: 0o700 });
          this.#own(held, name, node.stat);
        } else if (((there.mode ^ node.stat.mode) & 0o7777n) === 0n) return;
        return chmodFolder(held, name, Number(node.stat.mode) & 0o7777);
      case "link":
        if (there !== undefined) await this.remove(held, name);
        symlinkSync(readlinkSync(rawBytes(real(node)), { encoding: "buffer" }), held.entry(name));
        return this.#own(held, name, node.stat);
      case "special":
        return;
    }
  }

  async #file(held: HeldFolder, name: RawPath, node: Node, there: BigIntStats | undefined): Promise<void> {
    if (there !== undefined && !there.isFile()) await this.remove(held, name);
    const from = openSync(rawBytes(real(node)), READ);
    try {
      const to = openFile(held, name);
      try {
        await copyBytes(from, to);
        if (this.#owner) fchownSync(to, Number(node.stat.uid), Number(node.stat.gid));
        fchmodSync(to, Number(node.stat.mode) & 0o7777);
      } finally {
        closeSync(to);
      }
    } finally {
      closeSync(from);
    }
  }

  #own(held: HeldFolder, name: RawPath, { uid, gid }: BigIntStats): void {
    if (this.#owner) lchownSync(held.entry(name), Number(uid), Number(gid));
  }

  /** Removes an entry with all below it. One that the group doesn't see any more is made and removed, so that it is told. */
  async remove(held: HeldFolder, name: RawPath): Promise<void> {
    const there = held.lstat(name);
    if (there === undefined) closeSync(openSync(held.entry(name), WRITE | constants.O_EXCL, 0o600));
    if (there?.isDirectory() !== true) return unlinkSync(held.entry(name));
    const inner = held.folder(name);
    try {
      for (const below of inner?.names() ?? []) {
        await breathe();
        if (inner !== undefined) await this.remove(inner, below);
      }
    } finally {
      inner?.close();
    }
    try {
      rmdirSync(held.entry(name));
    } catch (error) {
      // Overlay can't take away a folder that was taken from under it.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      throw new Error(
        `${Buffer.from(name, "latin1").toString("utf8")} was deleted, and what was in it may still be seen`,
      );
    }
  }

  close(): void {
    this.#proc.close();
  }
}

/** By way of the folder itself: its name may have become a link meanwhile. */
function chmodFolder(held: HeldFolder, name: RawPath, mode: number): void {
  const inner = held.folder(name);
  if (inner === undefined) return;
  try {
    chmodSync(inner.here(), mode);
  } finally {
    inner.close();
  }
}

/** A file opened to be written over; what can't be, a link or a pipe above all, is replaced. */
export function openFile(held: HeldFolder, name: RawPath): number {
  try {
    const fd = openSync(held.entry(name), WRITE, 0o600);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && UNWRITABLE.includes(String(error.code)))) throw error;
  }
  unlinkSync(held.entry(name));
  return openSync(held.entry(name), WRITE | constants.O_EXCL, 0o600);
}

/**
 * In place, never emptied first: a server that reads in between finds the old or the new bytes, and a watch on the file itself
 * goes on.
 */
async function copyBytes(from: number, to: number): Promise<void> {
  const buffer = Buffer.alloc(Math.min(CHUNK, Math.max(1, fstatSync(from).size)));
  let at = 0;
  for (let n = readSync(from, buffer, 0, buffer.length, at); n > 0; n = readSync(from, buffer, 0, buffer.length, at)) {
    for (let done = 0; done < n;) done += writeSync(to, buffer, done, n - done, at + done);
    at += n;
    if (n === CHUNK) await breathe();
  }
  ftruncateSync(to, at);
}

/** Where the person's own entry, or that of a kept layer, lies. */
function real(node: Node): RawPath {
  const place = node.places[0];
  if (place === undefined) throw new Error(`${node.path} lies nowhere`);
  return place.real;
}
