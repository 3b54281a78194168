import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";

export interface TreeOptions {
  /** false leaves out every `.git`. Default true. */
  git?: boolean;
  /** Leaves out entries by their path (latin1 of the raw bytes, relative to the folder), with all below. */
  skip?: (path: string) => boolean;
  /** false leaves modes alone: what can't be read is told as closed. Default true: modes are lifted for the look, which changes ctimes. */
  lift?: boolean;
}

function typeOf(stat: Stats): string {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) return "link";
  return stat.isFIFO() ? "fifo" : stat.isSocket() ? "socket" : "device";
}

/** Runs `read`; where that is refused (an ordinary user's mode-000 entries), again with the permission bits it needs. */
function lifted<T>(at: Buffer, mode: number, need: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isRefused(error)) throw error;
  }
  chmodSync(at, mode | need);
  try {
    return read();
  } finally {
    chmodSync(at, mode);
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EACCES";
}

/**
 * Everything about a tree that counts, one line an entry in order of bytes: type, mode, path, then a hash of the content or a
 * link's target. Names are latin1 of their raw bytes. Times, inodes and owners are left out. The folder's own mode is the first line.
 */
export function treeLines(dir: string, options: TreeOptions = {}): string[] {
  const lines: string[] = [];
  visit(Buffer.from(dir), "");
  return lines;

  function look<T>(at: Buffer, mode: number, need: number, read: () => T, closed: T): T {
    if (options.lift !== false) return lifted(at, mode, need, read);
    try {
      return read();
    } catch (error) {
      if (!isRefused(error)) throw error;
      return closed;
    }
  }

  function visit(at: Buffer, path: string): void {
    const stat = lstatSync(at);
    const type = typeOf(stat);
    const mode = stat.mode & 0o7777;
    const head = `${type} ${mode.toString(8)} ${JSON.stringify(path)}`;
    if (type === "file") {
      const hash = (): string => createHash("sha256").update(readFileSync(at)).digest("hex");
      lines.push(`${head} ${look(at, mode, 0o400, hash, "closed")}`);
    } else if (type === "link") {
      lines.push(`${head} -> ${JSON.stringify(readlinkSync(at, "buffer").toString("latin1"))}`);
    } else if (type === "folder") {
      lines.push(head);
      look(at, mode, 0o500, () => inside(at, path), undefined);
    } else lines.push(head);
  }

  function inside(at: Buffer, path: string): void {
    const names = readdirSync(at, { encoding: "buffer" }).toSorted((a, b) => Buffer.compare(a, b));
    for (const name of names) {
      const below = path === "" ? name.toString("latin1") : `${path}/${name.toString("latin1")}`;
      if (options.git === false && name.toString("latin1") === ".git") continue;
      if (options.skip?.(below) === true) continue;
      visit(Buffer.concat([at, Buffer.from("/"), name]), below);
    }
  }
}

/** SHA-256 over `treeLines`: equal hashes are equal trees. Compare the lines where a test should say what differs. */
export function treeHash(dir: string, options: TreeOptions = {}): string {
  return createHash("sha256").update(treeLines(dir, options).join("\n")).digest("hex");
}
