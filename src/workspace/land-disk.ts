import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import { readRegularNow } from "../util/regular-file.ts";
import { makeNamedPipe } from "../util/named-pipe.ts";

/**
 * The file-system calls of the door, one system call each, synchronous so that nothing of ours comes between a look and the
 * act that depends on it. Paths are absolute and raw. A test puts its own in front to fail or to kill at the n-th call.
 */
export interface Disk {
  /** undefined where nothing is. */
  lstat(path: RawPath): BigIntStats | undefined;
  /** Names in a folder, sorted by bytes. */
  names(path: RawPath): RawPath[];
  read(path: RawPath): Buffer;
  readlink(path: RawPath): RawPath;
  /** Replaces what lies at `to`: callers look first. */
  rename(from: RawPath, to: RawPath): void;
  /** Never replaces; a link itself is linked, not what it points to. */
  link(from: RawPath, to: RawPath): void;
  unlink(path: RawPath): void;
  mkdir(path: RawPath, mode: number): void;
  rmdir(path: RawPath): void;
  /** Never follows a link. */
  chmod(path: RawPath, mode: number): void;
  chown(path: RawPath, uid: number, gid: number): void;
  utimes(path: RawPath, atimeMs: number, mtimeMs: number): void;
  symlink(target: RawPath, path: RawPath): void;
  /** A named pipe; never replaces. */
  pipe(path: RawPath): void;
  /** Never replaces. Shares blocks where the file system can. */
  copy(from: RawPath, to: RawPath): void;
  /** A new file; never replaces. */
  write(path: RawPath, bytes: Uint8Array, mode: number): void;
  /** Makes a file's or folder's content durable. */
  sync(path: RawPath): void;
}

/** The code of a system error, "" for any other. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function withFile<T>(path: RawPath, flags: number, use: (fd: number) => T): T {
  const fd = openSync(rawBytes(path), flags);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

function chmodNoFollow(path: RawPath, mode: number): void {
  try {
    withFile(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK, (fd) => fchmodSync(fd, mode));
  } catch (error) {
    // Its owner may change the mode of what he can't open.
    if (!["EACCES", "ENXIO"].includes(codeOf(error)) || lstatSync(rawBytes(path)).isSymbolicLink()) throw error;
    chmodSync(rawBytes(path), mode);
  }
}

/** The machine's own file system. */
export const systemDisk: Disk = {
  lstat: (path) => {
    try {
      // No error is made where nothing is: that costs more than the look itself.
      return lstatSync(rawBytes(path), { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      // ELOOP: a parent is a link that leads to itself, so nothing lies below it.
      if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error))) return undefined;
      throw error;
    }
  },
  names: (path) => readdirSync(rawBytes(path), { encoding: "latin1" }).toSorted(),
  read: (path) => readRegularNow(rawBytes(path), { most: Infinity }),
  readlink: (path) => readlinkSync(rawBytes(path), "buffer").toString("latin1"),
  rename: (from, to) => renameSync(rawBytes(from), rawBytes(to)),
  link: (from, to) => linkSync(rawBytes(from), rawBytes(to)),
  unlink: (path) => unlinkSync(rawBytes(path)),
  mkdir: (path, mode) => mkdirSync(rawBytes(path), mode),
  rmdir: (path) => rmdirSync(rawBytes(path)),
  chmod: chmodNoFollow,
  chown: (path, uid, gid) => lchownSync(rawBytes(path), uid, gid),
  utimes: (path, atimeMs, mtimeMs) => utimesSync(rawBytes(path), atimeMs / 1000, mtimeMs / 1000),
  symlink: (target, path) => symlinkSync(rawBytes(target), rawBytes(path)),
  pipe: makeNamedPipe,
  copy: (from, to) => copyFileSync(rawBytes(from), rawBytes(to), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  write: (path, bytes, mode) => writeFileSync(rawBytes(path), bytes, { mode, flag: "wx" }),
  sync: (path) => withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, fsyncSync),
};

/** The same calls, but those that write refuse every path that is not below `folder`: for journal, steps and locks. */
export function stateDisk(disk: Disk, folder: RawPath): Disk {
  const own = (path: RawPath): RawPath => {
    if (!path.startsWith(`${folder}/`) || path.split("/").includes("..")) throw new Error(`not a state file: ${path}`);
    return path;
  };
  return {
    ...disk,
    rename: (from, to) => disk.rename(own(from), own(to)),
    link: (from, to) => disk.link(own(from), own(to)),
    unlink: (path) => disk.unlink(own(path)),
    mkdir: (path, mode) => disk.mkdir(own(path), mode),
    rmdir: (path) => disk.rmdir(own(path)),
    chmod: (path, mode) => disk.chmod(own(path), mode),
    chown: (path, uid, gid) => disk.chown(own(path), uid, gid),
    utimes: (path, atimeMs, mtimeMs) => disk.utimes(own(path), atimeMs, mtimeMs),
    symlink: (target, path) => disk.symlink(target, own(path)),
    pipe: (path) => disk.pipe(own(path)),
    copy: (from, to) => disk.copy(from, own(to)),
    write: (path, bytes, mode) => disk.write(own(path), bytes, mode),
  };
}
