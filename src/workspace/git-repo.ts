import { relative } from "node:path";
import type { Root } from "../events/event.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import type { Objects, OpenGit, TreeEntry } from "./git.ts";
import { type IndexEntry, parseIndex } from "./git-index.ts";
import { findGit } from "./git-place.ts";
import { type GitFolder, type GitFolders, idBytesOf, readIn, readRefs, type Refs } from "./git-refs.ts";
import { rootOf } from "./roots.ts";
import { joinRaw, type Tree } from "./tree.ts";

/** A repository on one side of a step. */
export interface RepoSide {
  refs: Refs;
  /** By path, conflict stages beside each other; undefined: it can't be read. */
  index: ReadonlyMap<RawPath, readonly IndexEntry[]> | undefined;
  /** When the index file was written, ns: an entry as new as that proves nothing (git's "racy" rule). */
  indexTime: bigint;
  objects: Objects | undefined;
  /** Files of HEAD's commit; undefined: not known, which is not the same as empty. */
  headFiles(): Promise<ReadonlyMap<RawPath, TreeEntry> | undefined>;
}

/** Where a folder's repository lies in the roots, and the folder's own path inside the repository. */
export interface RepoPlace {
  folders: GitFolders;
  prefix: RawPath;
}

/** The repository that a root's files belong to, where its git dir is itself inside a root (it is: `findRoots`). */
export async function repoOf(roots: readonly Root[], root: number): Promise<RepoPlace | undefined> {
  const at = roots[root];
  const git = at === undefined || at.kind === "git" ? undefined : await findGit(at.path);
  if (at === undefined || git === undefined) return undefined;
  const gitDir = locate(roots, git.gitDir);
  const commonDir = locate(roots, git.commonDir);
  if (gitDir === undefined || commonDir === undefined) return undefined;
  return { folders: { gitDir, commonDir }, prefix: toRaw(relative(git.workTree, at.path)) };
}

function locate(roots: readonly Root[], path: string): GitFolder | undefined {
  const root = rootOf(roots, path);
  const base = roots[root]?.path;
  return base === undefined ? undefined : { root, path: toRaw(relative(base, path)) };
}

/** Opens one side. `git` undefined: what its objects would tell stays unknown. */
export async function openSide(tree: Tree, folders: GitFolders, git: OpenGit | undefined): Promise<RepoSide> {
  const config = ((await readIn(tree, folders.commonDir, "config")) ?? Buffer.alloc(0)).toString("utf8");
  const idBytes = idBytesOf(config);
  const refs = await readRefs(tree, folders);
  const indexNode = await tree.find(folders.gitDir.root, joinRaw(folders.gitDir.path, "index"));
  const objects = git?.objects(await objectFolders(tree, folders.commonDir), idBytes);
  let files: Promise<ReadonlyMap<RawPath, TreeEntry> | undefined> | undefined;
  const read = async (): Promise<ReadonlyMap<RawPath, TreeEntry> | undefined> => {
    const { head } = refs;
    if (head === undefined) return undefined;
    return head.id === undefined ? new Map() : objects?.filesOf(head.id);
  };
  return {
    refs,
    index: await indexOf(tree, folders.gitDir, idBytes),
    indexTime: indexNode?.stat.mtimeNs ?? 0n,
    objects,
    headFiles: () => (files ??= read()),
  };
}

async function objectFolders(tree: Tree, commonDir: GitFolder): Promise<string[]> {
  const node = await tree.find(commonDir.root, joinRaw(commonDir.path, "objects"));
  return node?.places.map((p) => p.real) ?? [];
}

async function indexOf(tree: Tree, gitDir: GitFolder, idBytes: 20 | 32): Promise<RepoSide["index"]> {
  const bytes = await readIn(tree, gitDir, "index");
  const byPath = new Map<RawPath, IndexEntry[]>();
  try {
    for (const entry of bytes === undefined ? [] : parseIndex(bytes, idBytes)) {
      byPath.set(entry.path, [...(byPath.get(entry.path) ?? []), entry]);
    }
  } catch {
    return undefined;
  }
  return byPath;
}
