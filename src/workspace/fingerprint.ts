import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import type { Disk } from "./land-disk.ts";

/** Files up to this size are hashed when they are fingerprinted, and copied rather than moved out of a layer. */
export const SMALL_FILE = 1 << 20;

/** Sets above this many are told apart by inodes and times alone: hashes of ten thousand files take seconds. */
const HASHED = 1000;

/** What `fingerprint` hashes where `count` entries are looked at. */
export function hashedIn(count: number): number {
  return count > HASHED ? -1 : SMALL_FILE;
}

function typeOf(stat: BigIntStats): Fingerprint["type"] {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) return "link";
  if (stat.isFIFO()) return "fifo";
  if (stat.isSocket()) return "socket";
  return stat.isCharacterDevice() ? "char" : "block";
}

/** A fingerprint without looking inside. */
export function fingerprintOf(stat: BigIntStats): Fingerprint {
  return {
    type: typeOf(stat),
    mode: Number(stat.mode) & 0o7777,
    size: Number(stat.size),
    mtime: String(stat.mtimeNs),
    ctime: String(stat.ctimeNs),
    ino: String(stat.ino),
    nlink: Number(stat.nlink),
  };
}

/** SHA-256 in hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What a look may meet when somebody else replaces or removes the entry in the middle of it. */
const MOVED = new Set(["ENOENT", "ENOTDIR", "EINVAL", "EISDIR", "ELOOP"]);
const LOOKS = 10;

/**
 * Fingerprint of what lies at a path, with a link's target and a small file's hash; undefined where nothing is. Stat and content are
 * of one and the same entry: one that is replaced meanwhile is looked at anew.
 */
export function fingerprint(disk: Disk, path: RawPath, maxHashed: number = SMALL_FILE): Fingerprint | undefined {
  for (let look = 1; ; look++) {
    const stat = disk.lstat(path);
    if (stat === undefined) return undefined;
    const print = fingerprintOf(stat);
    if (print.type !== "link" && (print.type !== "file" || print.size > maxHashed)) return print;
    try {
      const whole = print.type === "link" ? { ...print, target: disk.readlink(path) } : hashed(print, disk, path);
      const after = disk.lstat(path);
      if (look === LOOKS || (after !== undefined && isSameMoment(after, stat))) return whole;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (!MOVED.has(code) || look === LOOKS) throw error;
    }
  }
}

/** Nothing that `lstat` sees has changed. */
function isSameMoment(a: BigIntStats, b: BigIntStats): boolean {
  const sameFile = a.ino === b.ino && a.mode === b.mode && a.size === b.size && a.nlink === b.nlink;
  return sameFile && a.ctimeNs === b.ctimeNs && a.mtimeNs === b.mtimeNs;
}

/** The bytes of a file, undefined where somebody takes it away at this moment. */
export function readIfThere(disk: Disk, path: RawPath): Buffer | undefined {
  try {
    return disk.read(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function hashed(print: Fingerprint, disk: Disk, path: RawPath): Fingerprint {
  try {
    return { ...print, hash: hashOf(disk.read(path)) };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EACCES") return print;
    throw error;
  }
}

/** A file that several of our own moves touch keeps its times only until the first of them. */
export function sameInode(now: Fingerprint, then: Fingerprint): boolean {
  if (now.type !== then.type || now.ino !== then.ino) return false;
  if (now.type === "folder") return now.mode === then.mode || now.mode === (then.mode | 0o700);
  return now.mode === then.mode && now.size === then.size && now.mtime === then.mtime;
}

/**
 * True when nothing that a person can tell apart has changed. An equal hash outweighs inode and times (an editor that saved the
 * same bytes, a checkout forth and back); without one, any new ctime counts as a change, since it can't be set back.
 */
export function sameContent(now: Fingerprint, then: Fingerprint): boolean {
  if (now.type !== then.type) return false;
  if (now.type === "link") return now.target === then.target || (then.target === undefined && sameMoment(now, then));
  if (now.type !== "file") return now.ino === then.ino;
  if (now.size !== then.size) return false;
  if (now.hash !== undefined && then.hash !== undefined) return now.hash === then.hash;
  return sameMoment(now, then);
}

function sameMoment(now: Fingerprint, then: Fingerprint): boolean {
  return now.ino === then.ino && now.mtime === then.mtime && now.ctime === then.ctime;
}

/** Lets timers and keys in between the parts of long work. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Characters that are hashed at once. */
const LINES = 1 << 15;

export interface TreePrint {
  /** Over names, types, modes, sizes, times and inodes of all that is below; the same until somebody changes something there. */
  hash: string;
  files: number;
  bytes: number;
  /** What its files take on the disk. */
  occupied: number;
}

/** What a file takes on the disk, or its size where that is less: the holes of a sparse one take nothing. */
export function occupiedBy({ size, blocks }: BigIntStats): number {
  return Math.min(Number(size), Number(blocks) * 512);
}

/**
 * Fingerprint of all that lies below a folder. `visit` sees each entry (path relative to the folder); `as` may say that an entry counts
 * as another.
 */
export async function treePrint(
  disk: Disk,
  folder: RawPath,
  visit: (path: RawPath, stat: BigIntStats) => void = () => {},
  as?: (path: RawPath, print: Fingerprint) => Fingerprint,
): Promise<TreePrint> {
  const hash = createHash("sha256");
  let [files, bytes, occupied, seen, lines] = [0, 0, 0, 0, ""];
  await walk("");
  return { hash: hash.update(lines).digest("hex"), files, bytes, occupied };

  async function walk(below: RawPath): Promise<void> {
    for (const name of disk.names(below === "" ? folder : `${folder}/${below}`)) {
      const path = below === "" ? name : `${below}/${name}`;
      const stat = disk.lstat(`${folder}/${path}`);
      if (stat === undefined) continue;
      const dir = stat.isDirectory();
      lines += as === undefined ? statLine(path, stat) : entryLine(path, as(path, fingerprintOf(stat)));
      if (lines.length > LINES) {
        hash.update(lines);
        lines = "";
      }
      visit(path, stat);
      if (!dir) {
        files += 1;
        bytes += Number(stat.size);
        occupied += occupiedBy(stat);
      }
      if (++seen % 500 === 0) await breathe();
      if (dir) await walk(path);
    }
  }
}

const TYPE_BITS: Readonly<Record<Fingerprint["type"], number>> = {
  file: 0o100000,
  folder: 0o040000,
  link: 0o120000,
  fifo: 0o010000,
  socket: 0o140000,
  char: 0o020000,
  block: 0o060000,
};

/** What one entry adds to a folder's hash. A folder's own times change with what is in it. */
export function entryLine(path: RawPath, { type, mode, ino, size, mtime, ctime }: Fingerprint): string {
  const times = type === "folder" ? "" : `${size} ${mtime} ${ctime}`;
  return `${path}\0${TYPE_BITS[type] | mode} ${ino} ${times}\0`;
}

/** `entryLine` of what `lstat` says, straight from it. */
function statLine(path: RawPath, stat: BigIntStats): string {
  const times = stat.isDirectory() ? "" : `${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  return `${path}\0${Number(stat.mode)} ${stat.ino} ${times}\0`;
}

/** Hash of a folder with nothing in it. */
export const EMPTY_TREE: string = createHash("sha256").digest("hex");
