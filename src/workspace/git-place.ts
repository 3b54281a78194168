import { realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readRegular } from "../util/regular-file.ts";

/**
 * A repository as it lies on the disk, found by reading its own small files: git itself is not run, since it would read
 * the repository's config. All absolute, links followed.
 */
export interface GitPlace {
  /** Folder that holds `.git`. */
  workTree: string;
  /** HEAD and index are here. */
  gitDir: string;
  /** Objects, refs and config are here; another folder than `gitDir` in a linked worktree. */
  commonDir: string;
}

const MOST_BYTES = 1 << 20;

async function textOf(file: string): Promise<string | undefined> {
  try {
    return (await readRegular(file, { follow: true, most: MOST_BYTES })).toString("utf8");
  } catch {
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** The git dir that `<folder>/.git` is or names; undefined where there is none that could be one. */
async function gitDirAt(folder: string): Promise<string | undefined> {
  const dotGit = join(folder, ".git");
  let dir = dotGit;
  if (!(await isFolder(dotGit))) {
    const named = /^gitdir: (.+?)\n*$/.exec((await textOf(dotGit)) ?? "")?.[1];
    if (named === undefined) return undefined;
    dir = resolve(folder, named);
  }
  if ((await textOf(join(dir, "HEAD"))) === undefined) return undefined;
  return realpath(dir);
}

async function commonDirOf(gitDir: string): Promise<string | undefined> {
  const named = (await textOf(join(gitDir, "commondir")))?.trim();
  if (named === undefined || named === "") return gitDir;
  const dir = resolve(gitDir, named);
  return (await isFolder(join(dir, "objects"))) ? realpath(dir) : undefined;
}

/** The branch that a folder is on; undefined without git, or with a detached HEAD. */
export async function branchOf(folder: string): Promise<{ branch?: string }> {
  const place = await findGit(folder);
  const head = place === undefined ? undefined : await textOf(join(place.gitDir, "HEAD"));
  const branch = /^ref: refs\/heads\/(.{1,200})\n?$/.exec(head ?? "")?.[1];
  return branch === undefined ? {} : { branch };
}

/** The repository that a folder lies in: its own or the nearest above. */
export async function findGit(folder: string): Promise<GitPlace | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const gitDir = await gitDirAt(at);
    const commonDir = gitDir === undefined ? undefined : await commonDirOf(gitDir);
    if (gitDir !== undefined && commonDir !== undefined) return { workTree: at, gitDir, commonDir };
    if (at === dirname(at)) return undefined;
  }
}
