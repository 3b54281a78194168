import { rawBytes, type RawPath } from "../util/bytes.ts";
import { readRegular } from "../util/regular-file.ts";
import { joinRaw, type Tree } from "./tree.ts";

/** A folder of git's own below a root: raw path relative to it, "" for a root that is a git dir. */
export interface GitFolder {
  root: number;
  path: RawPath;
}

/** Where a repository's parts lie in the roots; `gitDir` and `commonDir` differ in a linked worktree. */
export interface GitFolders {
  gitDir: GitFolder;
  commonDir: GitFolder;
}

export interface Head {
  /** The branch's full name; absent when detached. */
  ref?: string;
  /** What it stands on; absent before the first commit. */
  id?: string;
}

export interface Refs {
  head: Head | undefined;
  /** Full name → object id, or `ref: name`. */
  all: ReadonlyMap<string, string>;
}

const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Bytes of an object id, as a repository's config says. */
export function idBytesOf(config: string): 20 | 32 {
  return /^\s*objectformat\s*=\s*"?sha256/im.test(config) ? 32 : 20;
}

/** Bytes of a small file of git's, as a tree shows it. */
export async function readIn(tree: Tree, folder: GitFolder, path: RawPath): Promise<Buffer | undefined> {
  const node = await tree.find(folder.root, joinRaw(folder.path, path));
  const real = node?.type === "file" ? node.places[0]?.real : undefined;
  return real === undefined ? undefined : readRegular(rawBytes(real));
}

async function textIn(tree: Tree, folder: GitFolder, path: RawPath): Promise<string | undefined> {
  return (await readIn(tree, folder, path))?.toString("latin1").trim();
}

/** HEAD and every ref, loose over packed. A file that holds neither an id nor a link is left out. */
export async function readRefs(tree: Tree, git: GitFolders): Promise<Refs> {
  const all = new Map<string, string>();
  for (const line of ((await textIn(tree, git.commonDir, "packed-refs")) ?? "").split("\n")) {
    const [id = "", name] = line.split(" ");
    if (name !== undefined && ID.test(id)) all.set(name, id);
  }
  await addLoose(tree, git.commonDir, "refs", all);
  const text = await textIn(tree, git.gitDir, "HEAD");
  return { head: text === undefined ? undefined : headOf(text, all), all };
}

async function addLoose(tree: Tree, folder: GitFolder, path: RawPath, all: Map<string, string>): Promise<void> {
  const node = await tree.find(folder.root, joinRaw(folder.path, path));
  if (node?.type !== "folder") return;
  for (const [name, type] of await tree.names(node)) {
    const at = `${path}/${name}`;
    if (type === "folder") await addLoose(tree, folder, at, all);
    if (type !== "file" || name.endsWith(".lock")) continue;
    const text = (await textIn(tree, folder, at)) ?? "";
    if (ID.test(text) || text.startsWith("ref: ")) all.set(at, text);
  }
}

function headOf(text: string, all: ReadonlyMap<string, string>): Head | undefined {
  if (ID.test(text)) return { id: text };
  const ref = /^ref: (refs\/.+)$/.exec(text)?.[1];
  if (ref === undefined) return undefined;
  const id = all.get(ref);
  return id !== undefined && ID.test(id) ? { ref, id } : { ref };
}
