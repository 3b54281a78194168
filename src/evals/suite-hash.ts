import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { namesIn } from "./raw-names.ts";

/** SHA-256, hex, over names, kinds, executable bits and bytes of all files below a folder, in order of their names; or of one file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await take(hash, Buffer.from(path), "");
  return hash.digest("hex");
}

/** The same over several, and over words. */
export async function hashOfAll(paths: readonly string[], words: readonly string[] = []): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) await take(hash, Buffer.from(path), "");
  for (const word of words) hash.update(`${JSON.stringify(word)}\n`);
  return hash.digest("hex");
}

async function take(hash: ReturnType<typeof createHash>, at: Buffer, path: string): Promise<void> {
  const stat = lstatSync(at);
  const bytes = stat.isFile()
    ? readFileSync(at)
    : stat.isSymbolicLink()
      ? Buffer.from(readlinkSync(at))
      : Buffer.alloc(0);
  const kind = stat.isFile()
    ? (stat.mode & 0o111) === 0
      ? "file"
      : "program"
    : stat.isSymbolicLink()
      ? "link"
      : "folder";
  hash.update(`${JSON.stringify([path, kind, bytes.length])}\n`).update(bytes);
  if (!stat.isDirectory()) return;
  for (const below of namesIn(at))
    if (below.name !== ".git" || path !== "") await take(hash, below.at, join(path, below.name));
  // Others have their turn in a large folder.
  await setImmediate();
}
