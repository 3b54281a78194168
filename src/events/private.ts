import { chmodSync, closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { errno, inWords, LogError } from "./log-error.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Who may own what we trust. */
function foreignOwner(stat: Stats): boolean {
  return process.getuid !== undefined && stat.uid !== process.getuid();
}

/**
 * Makes a folder that only the person can enter (0700 whatever the umask), or checks that it is one. Throws when it is a link, no
 * folder, or someone else's: nothing is ever written through a planted link. Parents may be links.
 */
export function privateFolder(path: string): void {
  const stat = madeFolder(path);
  if (stat.isSymbolicLink()) {
    throw new LogError("unsafe", path, `${path} is a symbolic link; it must be a folder of its own. Remove the link.`);
  }
  if (!stat.isDirectory()) throw new LogError("unsafe", path, `${path} is no folder. Move it away.`);
  if (foreignOwner(stat)) throw new LogError("unsafe", path, `${path} belongs to another user (uid ${stat.uid}).`);
  if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** A lock's folder may go again, by whoever releases it, before it is looked at: then it is made anew. */
function madeFolder(path: string): Stats {
  for (;;) {
    try {
      mkdirAll(path);
    } catch (error) {
      if (errno(error) !== "EEXIST") throw new LogError("write", path, `Can't make ${path}: ${inWords(error)}.`, error);
    }
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined) return stat;
  }
}

/** Where nothing may be written, mkdir with its parents says that the folder above is missing: then it is asked for the folder alone. */
function mkdirAll(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errno(error) !== "ENOENT") throw error;
    mkdirSync(path, { mode: 0o700 });
  }
}

/**
 * Opens a file of the store for reading. `secret` refuses group and world reading too; otherwise only their writing is refused.
 * Returns undefined when there is none. Throws for links, special files and files of other users.
 */
export function openPrivate(path: string, secret = false): { fd: number; size: number } | undefined {
  let fd: number;
  try {
    // A planted fifo must not hang us.
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    if (errno(error) === "ELOOP") {
      throw new LogError("unsafe", path, `${path} is a symbolic link; links are not followed here. Remove it.`, error);
    }
    throw new LogError("unsafe", path, `Can't open ${path}: ${inWords(error)}.`, error);
  }
  try {
    const stat = fstatSync(fd);
    checkFile(path, stat, secret);
    return { fd, size: stat.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function checkFile(path: string, stat: Stats, secret: boolean): void {
  if (!stat.isFile()) throw new LogError("unsafe", path, `${path} is no ordinary file. Move it away.`);
  if (foreignOwner(stat)) throw new LogError("unsafe", path, `${path} belongs to another user (uid ${stat.uid}).`);
  const open = stat.mode & (secret ? 0o077 : 0o022);
  if (open === 0) return;
  const mode = (stat.mode & 0o777).toString(8).padStart(3, "0");
  const whose = secret ? "readable" : "writable";
  throw new LogError(
    "unsafe",
    path,
    `${path} is ${whose} by others (mode ${mode}). If nobody else touched it: chmod 600 ${path}`,
  );
}
