import { realpath, stat } from "node:fs/promises";
import type { Root } from "../events/event.ts";
import { findGit } from "./git-place.ts";

/** True when `path` is `folder` or lies below it; both absolute and plain. Compared name by name: `/a-evil` is not in `/a`. */
export function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** The path of something below `folder`, from there on; the file system's root has its slash already. */
export function pathIn(folder: string, path: string): string {
  return path.slice(folder === "/" ? 1 : folder.length + 1);
}

/** Index of the root that a plain absolute path lies in, the deepest one; -1 outside. Links are not followed: `View.resolve` does. */
export function rootOf(roots: readonly Root[], path: string): number {
  let best = -1;
  roots.forEach((root, n) => {
    if (isBelow(root.path, path) && root.path.length > (roots[best]?.path.length ?? -1)) best = n;
  });
  return best;
}

/** Whether a plain absolute path lies in a root; links are not followed. */
export function isInside(roots: readonly Root[], path: string): boolean {
  return rootOf(roots, path) >= 0;
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path);
  if (!(await stat(real)).isDirectory()) throw new Error(`${path} is no folder`);
  return real;
}

/** Git dirs of a folder's repository; outside of it in a package of a monorepo, a linked worktree, a submodule. */
async function gitDirsOf(folder: string): Promise<string[]> {
  const git = await findGit(folder);
  return git === undefined ? [] : [git.commonDir, git.gitDir];
}

/**
 * The roots (W1): the folder first, then added folders, then git dirs outside of them; links followed. Roots that overlap
 * are one: the wider path takes the place and the kind of the earlier one, so the first root holds the folder but may be
 * wider than it. Throws for a folder that is not there.
 */
export async function findRoots(options: { folder: string; addDirs?: readonly string[] }): Promise<Root[]> {
  const given = [options.folder, ...(options.addDirs ?? [])];
  const folders = await Promise.all(given.map(realFolder));
  const kinds: Root[] = folders.map((path, n) => ({ path, kind: n === 0 ? "folder" : "added" }));
  const gitDirs = (await Promise.all(folders.map(gitDirsOf))).flat();
  const roots: Root[] = [];
  for (const root of [...kinds, ...gitDirs.map((path): Root => ({ path, kind: "git" }))]) addRoot(roots, root);
  return roots;
}

function addRoot(roots: Root[], root: Root): void {
  if (isInside(roots, root.path)) return;
  const covered = roots.filter((r) => isBelow(root.path, r.path));
  const first = covered[0];
  if (first === undefined) {
    roots.push(root);
    return;
  }
  roots[roots.indexOf(first)] = { path: root.path, kind: first.kind };
  for (const other of covered.slice(1)) roots.splice(roots.indexOf(other), 1);
}

/** The work tree that a folder's repository has beyond the roots, as in a package of a monorepo; undefined where the roots hold all of it. */
export async function widerWorkTree(roots: readonly Root[], folder: string): Promise<string | undefined> {
  const git = await findGit(folder);
  return git === undefined || isInside(roots, git.workTree) ? undefined : git.workTree;
}
