import { createHash, type Hash } from "node:crypto";
import { readlink } from "node:fs/promises";
import { rawBytes } from "../util/bytes.ts";
import { openRegular, readRegular } from "../util/regular-file.ts";

/** Files up to this size are read whole where lines matter. */
const WHOLE = 16 << 20;

async function hashInto(hash: Hash, real: string): Promise<void> {
  const handle = await openRegular(rawBytes(real));
  // The stream closes it.
  for await (const chunk of handle.createReadStream()) hash.update(chunk as Buffer);
}

/** SHA-256 of a file's bytes, hex. */
export async function hashFile(real: string): Promise<string> {
  const hash = createHash("sha256");
  await hashInto(hash, real);
  return hash.digest("hex");
}

/**
 * Git's ids of a file's (or link's) bytes: as they are, and as git would store them when it turns CRLF into LF.
 * `size` is the file's.
 */
export async function blobIds(real: string, type: "file" | "link", size: number, idBytes: 20 | 32): Promise<string[]> {
  const algorithm = idBytes === 32 ? "sha256" : "sha1";
  const ofBytes = (bytes: Buffer): string =>
    createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  if (type === "link") return [ofBytes(await readlink(rawBytes(real), { encoding: "buffer" }))];
  if (size <= WHOLE) {
    const bytes = await readRegular(rawBytes(real));
    const unix = bytes.includes("\r\n")
      ? Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1")
      : bytes;
    return unix === bytes ? [ofBytes(bytes)] : [ofBytes(bytes), ofBytes(unix)];
  }
  const hash = createHash(algorithm).update(`blob ${size}\0`);
  await hashInto(hash, real);
  return [hash.digest("hex")];
}
