import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** SHA-256, hex, over names, kinds, executable bits and bytes of all files below a folder, in order of their names; or of one file. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await take(hash, path, "");
  return hash.digest("hex");
}

/** The same over several, and over words. */
export async function hashOfAll(paths: readonly string[], words: readonly string[] = []): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) await take(hash, path, "");
  for (const word of words) hash.update(`${JSON.stringify(word)}\n`);
  return hash.digest("hex");
}

async function take(hash: ReturnType<typeof createHash>, dir: string, path: string): Promise<void> {
  const at = join(dir, path);
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
  for (const name of (await readdir(at)).toSorted())
    if (name !== ".git" || path !== "") await take(hash, dir, join(path, name));
}
