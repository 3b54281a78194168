import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MAX_LINE } from "./line.ts";
import { readLines } from "./lines.ts";
import { FORMAT } from "./migrate.ts";
import { openPrivate } from "./private.ts";

/** Content that was put or looked for since is about to be named by a line, or may be. */
const FRESH_MS = 10 * 60_000;
const LONG = Buffer.from('"long":[[');

export interface Freed {
  files: number;
  bytes: number;
}

/**
 * Removes content that no log names any more (E2), and what a killed process left half written. Looks at every log of the folders;
 * when one can't be read, or was written by a newer program, nothing is removed and undefined comes back: it may name any. `now`: ms.
 */
export async function freeContent(
  contentDir: string,
  logDirs: readonly string[],
  now: number,
): Promise<Freed | undefined> {
  const named = new Set<string>();
  for (const dir of logDirs)
    for (const file of filesIn(dir, /\.jsonl(?:\.new)?$/)) if (!(await addNamed(file, named))) return undefined;
  const freed: Freed = { files: 0, bytes: 0 };
  for (const sub of filesIn(contentDir, /^[0-9a-f]{2}$/)) {
    for (const file of filesIn(sub, /^(?:[0-9a-f]{64}|\.new-[0-9a-f]{16})$/)) {
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (stat === undefined || !stat.isFile() || now - stat.mtimeMs < FRESH_MS) continue;
      if (named.has(file.slice(-64))) continue;
      rmSync(file, { force: true });
      freed.files++;
      freed.bytes += stat.size;
    }
  }
  return freed;
}

function filesIn(dir: string, form: RegExp): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => form.test(name))
      .map((name) => join(dir, name));
  } catch {
    return [];
  }
}

/** Adds what a log names, and rather too much than too little. False where that can't be known. */
async function addNamed(file: string, named: Set<string>): Promise<boolean> {
  try {
    const opened = openPrivate(file);
    if (opened === undefined) return true;
    let known = true;
    await readLines(opened.fd, MAX_LINE, (bytes) => {
      const version = /^\{"v":(\d+),/.exec(bytes.toString("latin1", 0, 20))?.[1];
      if (version !== undefined && Number(version) > FORMAT) known = false;
      if (!bytes.includes(LONG)) return;
      for (const [hash] of bytes.toString("latin1").matchAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g)) named.add(hash);
    });
    return known;
  } catch {
    return false;
  }
}
