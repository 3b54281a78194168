import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { showPath } from "../util/bytes.ts";
import { readRegular } from "../util/regular-file.ts";
import { parseIndex } from "../workspace/git-index.ts";
import { branchOf, findGit } from "../workspace/git-place.ts";

/** More files than these are not looked at only to draw a star. */
const MOST_FILES = 3000;
const MOST_BYTES = 8 << 20;
const AT_ONCE = 64;

/**
 * The branch that a folder is on, with a star where a tracked file is not as git last saw it, by size and time. Read from git's own small
 * files: git itself is not run, since it would obey the repository's config. Undefined without a branch.
 */
export async function branchNow(folder: string): Promise<string | undefined> {
  const [{ branch }, place] = await Promise.all([branchOf(folder), findGit(folder)]);
  if (branch === undefined || place === undefined) return undefined;
  return (await isChanged(place.workTree, join(place.gitDir, "index"))) ? `${branch}*` : branch;
}

async function isChanged(workTree: string, index: string): Promise<boolean> {
  let entries: ReturnType<typeof parseIndex>;
  try {
    entries = parseIndex(await readRegular(index, { most: MOST_BYTES }), 20);
  } catch {
    return false;
  }
  const files = entries.filter(({ mode }) => (mode & 0o170000) === 0o100000);
  if (files.length > MOST_FILES) return false;
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = await Promise.all(files.slice(at, at + AT_ONCE).map((entry) => differs(workTree, entry)));
    if (some.includes(true)) return true;
  }
  return false;
}

async function differs(
  workTree: string,
  { path, size, mtime, stage }: ReturnType<typeof parseIndex>[number],
): Promise<boolean> {
  if (stage > 0) return true;
  try {
    const stat = await lstat(join(workTree, showPath(path)), { bigint: true });
    // Some systems' indexes hold seconds alone.
    const sameTime =
      stat.mtimeNs === mtime ||
      (mtime % 1_000_000_000n === 0n && stat.mtimeNs / 1_000_000_000n === mtime / 1_000_000_000n);
    return Number(stat.size & 0xffffffffn) !== size || !sameTime;
  } catch {
    return true;
  }
}
