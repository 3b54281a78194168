import { createHash } from "node:crypto";
import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import { parseIndex } from "./git-index.ts";

/** A path inside a git dir, relative to that git dir; undefined for any other file of a root. */
function inGit(root: Root, path: RawPath): RawPath | undefined {
  if (root.kind === "git") return path;
  return /(?:^|\/)\.git\/(.*)$/s.exec(path)?.[1];
}

/** Whether a path is the index of a repository, of a linked work tree or of a submodule. */
export function isGitIndex(root: Root, path: RawPath): boolean {
  return /^(?:worktrees\/[^/]+\/|modules\/(?:.*\/)?)?index$/s.test(inGit(root, path) ?? "");
}

/** Whether a path lies inside of a git dir. */
export function isInGit(root: Root, path: RawPath): boolean {
  return inGit(root, path) !== undefined;
}

/** Whether a path is a lock file of git's, which never lands. */
export function isGitLock(root: Root, path: RawPath): boolean {
  return inGit(root, path)?.endsWith(".lock") === true;
}

/** Loose objects and packs: an undo never removes them, since whatever ran meanwhile may refer to them. */
export function isGitObject(root: Root, path: RawPath): boolean {
  return inGit(root, path)?.split("/").includes("objects") === true;
}

/** What `git ls-files -s` would print, as a hash; an index that can't be parsed has its bytes' hash instead. */
export function indexKey(bytes: Uint8Array): string {
  const hash = createHash("sha256");
  try {
    const entries = parseIndex(Buffer.from(bytes), 20);
    for (const { mode, id, stage, path } of entries) hash.update(`${mode} ${id} ${stage} ${path}\0`);
  } catch {
    hash.update(bytes);
  }
  return hash.digest("hex");
}

/** In which order files land: what is pointed at before what points at it, so that a half-done landing leaves a sound repository. */
export function gitRank(root: Root, path: RawPath, goes: boolean): number {
  const name = inGit(root, path);
  if (name === undefined) return 2;
  if (/^(?:.*\/)?objects\//s.test(name)) return goes ? 6 : 2;
  if (isGitIndex(root, path)) return 4;
  if (/(?:^|\/)HEAD$/.test(name) && !name.includes("logs/")) return 5;
  return /(?:^|\/)(?:refs|logs|packed-refs)(?:\/|$)/.test(name) ? 3 : 2;
}
