import { closeSync, fdatasync, fstatSync, fsync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import { promisify } from "node:util";

/** The file operations by which the log, its head and its content store are written: a seam for tests that make the n-th one fail. */
export interface LogFs {
  open(path: string, flags: number, mode: number): number;
  /** Bytes written, which may be fewer than asked. `position` null: at the end. */
  write(fd: number, bytes: Uint8Array, position: number | null): number;
  datasync(fd: number): Promise<void>;
  /** Makes names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  stat(fd: number): { size: number; nlink: number };
  truncate(fd: number, length: number): void;
  rename(from: string, to: string): void;
  close(fd: number): void;
}

const datasync = promisify(fdatasync);
const sync = promisify(fsync);

/** The machine's own. */
export const systemFs: LogFs = {
  open: (path, flags, mode) => openSync(path, flags, mode),
  write: (fd, bytes, position) => writeSync(fd, bytes, 0, bytes.length, position),
  datasync: (fd) => datasync(fd),
  syncFolder: async (path) => {
    const fd = openSync(path, "r");
    try {
      await sync(fd);
    } finally {
      closeSync(fd);
    }
  },
  stat: (fd) => fstatSync(fd),
  truncate: (fd, length) => ftruncateSync(fd, length),
  rename: (from, to) => renameSync(from, to),
  close: (fd) => closeSync(fd),
};

/** Writes all of it; a short write (a disk that fills up) is gone on with, so that its error comes out. */
export function writeAll(fs: LogFs, fd: number, bytes: Uint8Array, position: number | null): void {
  for (let done = 0; done < bytes.length;) {
    const n = fs.write(fd, done === 0 ? bytes : bytes.subarray(done), position === null ? null : position + done);
    if (n === 0) throw Object.assign(new Error("nothing was written"), { code: "EIO" });
    done += n;
  }
}
