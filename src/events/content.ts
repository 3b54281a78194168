import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, readFileSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { LogError } from "./log-error.ts";
import { type LogFs, systemFs, writeAll } from "./log-fs.ts";
import { openPrivate, privateFolder } from "./private.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
/** The largest single content that is kept or read back. */
export const MAX_CONTENT = 256 * 1024 * 1024;

/** Long content by the SHA-256 of its bytes (E1): `<folder>/<first two digits>/<hash>`, 0600, shared by all sessions. */
export interface ContentStore {
  /** Durable when it resolves. Returns the hash. */
  put(bytes: Uint8Array): Promise<string>;
  /** The bytes, or undefined when they are missing or are not what the hash says. */
  get(hash: string): Buffer | undefined;
}

/** Opens the store in a folder, which is made when the first content comes. */
export function contentStore(folder: string, fs: LogFs = systemFs): ContentStore {
  const place = (hash: string): { sub: string; file: string } => {
    const sub = join(folder, hash.slice(0, 2));
    return { sub, file: join(sub, hash) };
  };
  const get = (hash: string): Buffer | undefined => {
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
    const bytes = readBounded(place(hash).file);
    return bytes !== undefined && sha256(bytes) === hash ? bytes : undefined;
  };
  return {
    get,
    put: async (bytes) => {
      if (bytes.length > MAX_CONTENT) {
        throw new LogError(
          "invalid",
          folder,
          `A content of ${bytes.length} bytes is more than is kept (${MAX_CONTENT}).`,
        );
      }
      const hash = sha256(bytes);
      const { sub, file } = place(hash);
      // Damage is mended on the way: a file that is not what its name says is replaced.
      if (get(hash) === undefined || !touched(file)) {
        privateFolder(folder);
        privateFolder(sub);
        await writeNew(fs, sub, file, bytes);
      }
      await fs.syncFolder(sub);
      return hash;
    },
  };
}

/** A line will name it from now on: whoever looks for garbage (`freeContent`) leaves what is so young. False when it went just now. */
function touched(file: string): boolean {
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return true;
  } catch {
    return false;
  }
}

async function writeNew(fs: LogFs, sub: string, file: string, bytes: Uint8Array): Promise<void> {
  const temp = join(sub, `.new-${randomBytes(8).toString("hex")}`);
  const fd = fs.open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      writeAll(fs, fd, bytes, null);
      await fs.datasync(fd);
    } finally {
      fs.close(fd);
    }
    fs.rename(temp, file);
  } catch (error) {
    try {
      unlinkSync(temp);
    } catch {
      // The first error is the one that counts.
    }
    throw error;
  }
}

function readBounded(file: string): Buffer | undefined {
  let opened: { fd: number; size: number } | undefined;
  try {
    opened = openPrivate(file);
    return opened === undefined || opened.size > MAX_CONTENT ? undefined : readFileSync(opened.fd);
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened.fd);
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
