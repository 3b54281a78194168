import type { RawPath } from "../util/bytes.ts";
import { breathe } from "./fingerprint.ts";
import { codeOf, type Disk } from "./land-disk.ts";

/** Copies what the door can't move: owner, mode and times as they are; hard links among what is copied stay links. */
export interface Copier {
  /** Copies a file, link or whole folder to a free name. Throws for what can't be copied (sockets, devices). */
  copy(from: RawPath, to: RawPath): Promise<void>;
}

/** `made`: makes the copies durable one by one. */
export function copier(disk: Disk, durable: boolean): Copier {
  const linked = new Map<string, RawPath>();
  let count = 0;
  return { copy };

  async function copy(from: RawPath, to: RawPath): Promise<void> {
    const stat = disk.lstat(from);
    if (stat === undefined) throw new Error(`nothing to copy at ${from}`);
    if (++count % 50 === 0) await breathe();
    const mode = Number(stat.mode) & 0o7777;
    const twin = linked.get(`${stat.dev}:${stat.ino}`);
    if (twin !== undefined) return disk.link(twin, to);
    if (stat.isSymbolicLink()) disk.symlink(disk.readlink(from), to);
    else if (stat.isFile()) copyFile(from, to, mode);
    else if (stat.isDirectory()) await copyFolder(from, to, mode);
    else if (stat.isFIFO()) disk.pipe(to);
    else throw new Error(`${from} is no file, folder, link or pipe and can't be copied to another file system`);
    if (!stat.isDirectory() && stat.nlink > 1n) linked.set(`${stat.dev}:${stat.ino}`, to);
    own(to, Number(stat.uid), Number(stat.gid));
    if (stat.isSymbolicLink()) return;
    // After the owner, whose change takes set-id bits away.
    disk.chmod(to, mode);
    disk.utimes(to, Number(stat.atimeNs) / 1e6, Number(stat.mtimeNs) / 1e6);
    if (durable && stat.isFile()) disk.sync(to);
  }

  function copyFile(from: RawPath, to: RawPath, mode: number): void {
    const hidden = (mode & 0o400) === 0;
    if (hidden) disk.chmod(from, mode | 0o400);
    try {
      disk.copy(from, to);
    } finally {
      if (hidden) disk.chmod(from, mode);
    }
  }

  async function copyFolder(from: RawPath, to: RawPath, mode: number): Promise<void> {
    const hidden = (mode & 0o500) !== 0o500;
    disk.mkdir(to, 0o700);
    if (hidden) disk.chmod(from, mode | 0o500);
    try {
      for (const name of disk.names(from)) await copy(`${from}/${name}`, `${to}/${name}`);
    } finally {
      if (hidden) disk.chmod(from, mode);
    }
  }

  /** Only root can give a file away; where we can't, it stays ours, as any editor would leave it. */
  function own(path: RawPath, uid: number, gid: number): void {
    const now = disk.lstat(path);
    if (now === undefined || (Number(now.uid) === uid && Number(now.gid) === gid)) return;
    try {
      disk.chown(path, uid, gid);
    } catch (error) {
      if (!["EPERM", "EINVAL"].includes(codeOf(error))) throw error;
    }
  }
}

/** Removes whatever lies at a path, folders without rwx bits included; nothing there is fine. Never follows a link. */
export async function removeAll(disk: Disk, path: RawPath): Promise<void> {
  const stat = disk.lstat(path);
  if (stat === undefined) return;
  if (!stat.isDirectory()) return disk.unlink(path);
  if ((stat.mode & 0o700n) !== 0o700n) disk.chmod(path, (Number(stat.mode) & 0o7777) | 0o700);
  let count = 0;
  for (const name of disk.names(path)) {
    await removeAll(disk, `${path}/${name}`);
    if (++count % 200 === 0) await breathe();
  }
  disk.rmdir(path);
}
