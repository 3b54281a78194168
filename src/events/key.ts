import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { errno, inWords, LogError } from "./log-error.ts";
import { openPrivate } from "./private.ts";

const BYTES = 32;
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * The key of the logs' chain: 32 random bytes in a file of the person's (0600), made on first use. Throws when the file is a link,
 * someone else's, readable by others or of another length, and says what to do. Whoever loses it finds every older session foreign.
 */
export function loadKey(file: string): Uint8Array {
  return readKey(file) ?? makeKey(file);
}

function readKey(file: string): Uint8Array | undefined {
  const opened = openPrivate(file, true);
  if (opened === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(BYTES + 1);
    const n = readSync(opened.fd, bytes, 0, bytes.length, 0);
    if (n === BYTES) return new Uint8Array(bytes.subarray(0, BYTES));
    throw new LogError(
      "damaged",
      file,
      `${file} should hold ${BYTES} bytes, the key of the session logs, but doesn't. Restore it, or remove it: ` +
        "a new one is made then, and older sessions can be read but their approvals no longer count.",
    );
  } finally {
    closeSync(opened.fd);
  }
}

/** Written under another name, then linked: of two first starts at once both get the same whole key. */
function makeKey(file: string): Uint8Array {
  const temp = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fd = openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      writeSync(fd, randomBytes(BYTES));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    try {
      linkSync(temp, file);
    } catch (error) {
      if (errno(error) !== "EEXIST") throw error;
    } finally {
      unlinkSync(temp);
    }
  } catch (error) {
    throw new LogError("write", file, `Can't make ${file}, the key of the session logs: ${inWords(error)}.`, error);
  }
  const key = readKey(file);
  if (key === undefined) throw new LogError("missing", file, `${file} vanished while it was made. Start again.`);
  return key;
}
