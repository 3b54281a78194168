import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { type FileHandle, lstat, open, stat as statAt } from "node:fs/promises";

/**
 * Reading of files that others made. A named pipe in a file's place would be waited for without end, a device may do anything when it is
 * opened: neither ever is, and how much is read is bounded.
 */
export interface ReadRegular {
  /** A link is read as what it leads to; without it a link is an error (ELOOP). */
  follow?: boolean;
  /** Bytes; a longer file is an error (EFBIG). Default 256 MiB. */
  most?: number;
}

/** Code of the error for what is there and no regular file. */
export const NOT_REGULAR = "ENOTREG";
const MOST = 256 << 20;
const PIECE = 64 << 10;

function refused(code: string, path: string | Buffer, words: string): Error {
  return Object.assign(new Error(`${code}: ${words}, '${path.toString()}'`), { code });
}

const notRegular = (path: string | Buffer): Error => refused(NOT_REGULAR, path, "not a regular file");
const tooLarge = (path: string | Buffer): Error => refused("EFBIG", path, "file too large");

/** It may have become a pipe since it was looked at: then the open must not wait either. */
function flagsFor(follow: boolean | undefined): number {
  return constants.O_RDONLY | constants.O_NONBLOCK | (follow === true ? 0 : constants.O_NOFOLLOW);
}

/** Opens a regular file for reading. @throws what the system says; ENOTREG for a pipe, socket, device or folder. */
export async function openRegular(path: string | Buffer, follow?: boolean): Promise<FileHandle> {
  const seen = await (follow === true ? statAt(path) : lstat(path));
  if (!seen.isFile() && !seen.isSymbolicLink()) throw notRegular(path);
  const handle = await open(path, flagsFor(follow));
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw notRegular(path);
}

/** The same at once; the caller closes it. */
export function openRegularNow(path: string | Buffer, follow?: boolean): number {
  const seen = follow === true ? statSync(path) : lstatSync(path);
  if (!seen.isFile() && !seen.isSymbolicLink()) throw notRegular(path);
  const fd = openSync(path, flagsFor(follow));
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw notRegular(path);
}

/** The bytes of a regular file. @throws as `openRegular`, and EFBIG. */
export async function readRegular(path: string | Buffer, { follow, most = MOST }: ReadRegular = {}): Promise<Buffer> {
  const handle = await openRegular(path, follow);
  try {
    const { size } = await handle.stat();
    if (size > most) throw tooLarge(path);
    const parts: Buffer[] = [];
    // One byte more than it says: the end is seen by the same read, and what grew meanwhile is read on.
    for (let at = 0, room = size + 1; ; room = PIECE) {
      const part = Buffer.allocUnsafe(room);
      const { bytesRead } = await handle.read(part, 0, room, null);
      if (bytesRead === 0) return Buffer.concat(parts, at);
      parts.push(part.subarray(0, bytesRead));
      at += bytesRead;
      if (at > most) throw tooLarge(path);
    }
  } finally {
    await handle.close();
  }
}

/** The same at once. */
export function readRegularNow(path: string | Buffer, { follow, most = MOST }: ReadRegular = {}): Buffer {
  const fd = openRegularNow(path, follow);
  try {
    const { size } = fstatSync(fd);
    if (size > most) throw tooLarge(path);
    const parts: Buffer[] = [];
    for (let at = 0, room = size + 1; ; room = PIECE) {
      const part = Buffer.allocUnsafe(room);
      const bytes = readSync(fd, part, 0, room, null);
      if (bytes === 0) return Buffer.concat(parts, at);
      parts.push(part.subarray(0, bytes));
      at += bytes;
      if (at > most) throw tooLarge(path);
    }
  } finally {
    closeSync(fd);
  }
}
