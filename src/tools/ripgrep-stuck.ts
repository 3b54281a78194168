import { type Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { readRegular } from "../util/regular-file.ts";

/** A search that takes longer than that may be waiting for an ignore file that is a named pipe. */
const PATIENCE_MS = 2000;

/** Whether, after a while, an ignore file is found that ripgrep waits for without end. `ended`: nobody wants to know any more. */
export async function waitsForPipe(cwd: string, ended: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(PATIENCE_MS, undefined, { signal: ended });
  } catch {
    return false;
  }
  for (let at = cwd; ; at = dirname(at)) {
    if (await isSpecialHere(at)) return true;
    if (at === dirname(at)) break;
  }
  return isSpecialBelow(cwd, ended);
}

async function isSpecialBelow(cwd: string, ended: AbortSignal): Promise<boolean> {
  const open = [cwd];
  for (let folder = open.pop(); folder !== undefined && !ended.aborted; folder = open.pop()) {
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    if (entries.some(({ name }) => name === ".gitignore" || name === ".git") && (await isSpecialHere(folder)))
      return true;
    for (const entry of entries) if (entry.isDirectory() && entry.name !== ".git") open.push(join(folder, entry.name));
  }
  return false;
}

/** What ripgrep reads in a folder that it enters. */
async function isSpecialHere(folder: string): Promise<boolean> {
  const git = join(folder, ".git");
  const files = [join(folder, ".gitignore"), join(git, "info/exclude")];
  const named = await readRegular(git, { follow: true, most: 1 << 16 }).catch(() => undefined);
  const linked = /^gitdir: (.+?)\n*$/.exec(named?.toString("utf8") ?? "")?.[1];
  if (linked !== undefined) files.push(resolve(folder, linked, "commondir"));
  for (const file of files) {
    const found = await stat(file).catch(() => undefined);
    if (found !== undefined && !found.isFile() && !found.isDirectory()) return true;
  }
  return false;
}
