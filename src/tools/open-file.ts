import { constants } from "node:fs";
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { isBelow } from "../workspace/roots.ts";
import { codeOf } from "./outcome.ts";
import { isReadable, type Place } from "./paths.ts";
import type { ToolContext } from "./tool.ts";

export interface OpenFile extends AsyncDisposable {
  handle: FileHandle;
  /** As `fstat` says; 0 for files of `/proc` that have content all the same. */
  size: number;
  mode: number;
}

/** What an entry that is no regular file is called. */
function kindOf(stat: {
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isCharacterDevice(): boolean;
}): string {
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a named pipe";
  if (stat.isSocket()) return "a socket";
  return stat.isCharacterDevice() ? "a character device" : "a block device or link";
}

/**
 * Opens the file that a place stands for. Text is a problem, for the model. Pipes and devices are never opened, a link put there meanwhile
 * is not followed, and where the system tells what was opened it must be what was judged (SECURITY 9).
 */
export async function openFile(place: Place, ctx: ToolContext): Promise<OpenFile | string> {
  try {
    const seen = await lstat(place.real);
    if (!seen.isFile()) return `${place.shown} is not a regular file: it is ${kindOf(seen)}.`;
    const handle = await open(place.real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await handle.stat();
    const moved = !stat.isFile() || stat.ino !== seen.ino || !(await isWhereJudged(handle, place, ctx));
    if (moved) {
      await handle.close();
      return `${place.shown} was moved while it was opened. Try again.`;
    }
    return { handle, size: stat.size, mode: stat.mode & 0o7777, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (code === "EACCES" || code === "EPERM") return `${place.shown} can't be read: permission denied.`;
    return code === "ENOENT" ? `No ${place.shown}.` : `${place.shown} can't be read (${code}).`;
  }
}

async function isWhereJudged(handle: FileHandle, place: Place, ctx: ToolContext): Promise<boolean> {
  let opened: string;
  try {
    opened = await readlink(`/proc/self/fd/${handle.fd}`);
  } catch {
    return true;
  }
  if (opened === place.real) return true;
  if (!place.inside)
    return isReadable(ctx, place.real) && (await isBelowReal([...ctx.readable, ctx.resultsDir], opened));
  return isBelowReal([...ctx.roots.map((root) => root.path), ...ctx.view.layers], opened);
}

async function isBelowReal(folders: readonly string[], path: string): Promise<boolean> {
  for (const folder of folders) {
    const real = await realpath(folder).catch(() => folder);
    if (isBelow(real, path)) return true;
  }
  return false;
}

/** Reads up to `length` bytes from `position`; fewer only at the end of the file. */
export async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** The whole file, or undefined when it is longer than `most` bytes (also when its size was a lie). */
export async function readWhole(file: OpenFile, most: number): Promise<Buffer | undefined> {
  if (file.size > most) return undefined;
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const part = await readAt(file.handle, at, Math.max(64 << 10, Math.min(file.size - at + 1, 16 << 20)));
    if (part.length === 0) return Buffer.concat(parts, at);
    parts.push(part);
    at += part.length;
    if (at > most) return undefined;
  }
}
