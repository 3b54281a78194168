import type { Root } from "../events/event.ts";
import { type RawPath, showPath } from "../util/bytes.ts";
import { blobIds } from "./content.ts";
import { fingerprintOf } from "./expand.ts";
import { diffOf, MAX_DIFF_BYTES, type Side, sideAt } from "./file-diff.ts";
import { openGit, type TreeEntry } from "./git.ts";
import { openSide, repoOf, type RepoPlace, type RepoSide } from "./git-repo.ts";
import { findIgnored, type Ignored } from "./ignored.ts";
import { joinRaw, type Node, openTree, type Tree } from "./tree.ts";
import type { FileDiff } from "./workspace.ts";

/** More files are counted, not shown. */
const MOST_FILES = 300;
/** Entries of a root that are looked at for new files. */
const MOST_ENTRIES = 200_000;
const DOOR_NAME = /^\.understudy-.+-\d+$/;
/** Kinds of entries, as git writes them. */
const [LINK, REPOSITORY] = [0o120000, 0o160000];

/** What the roots hold that is not in git's last commit. `commit`: its id, or undefined before the first; `left`: how many more files differ. */
export interface SinceCommit {
  commit: string | undefined;
  diffs: readonly FileDiff[];
  left: number;
}

export interface SinceCommitDeps {
  git?: string | undefined;
  /** A folder of ours to work in. */
  scratchDir: string;
}

/**
 * Compares the roots with HEAD: tracked files, and new ones that git doesn't ignore; repositories inside of a root are left out. git only
 * reads objects, in a git dir of ours, and obeys no setting of the repository's. Text: why it can't be told.
 */
export async function sinceCommit(roots: readonly Root[], deps: SinceCommitDeps): Promise<SinceCommit | string> {
  if (deps.git === undefined) return "git is not there";
  const git = await openGit(deps.git, deps.scratchDir);
  try {
    const tree = await openTree(roots, []);
    const ignored = await findIgnored(roots);
    const found: { at: At; piece: Differs }[] = [];
    let commit: string | undefined;
    let any = false;
    for (const root of roots.keys()) {
      const place = await repoOf(roots, root);
      if (place === undefined) continue;
      const side = await openSide(tree, place.folders, git);
      const head = await side.headFiles();
      if (head === undefined) return (await side.objects?.problem()) ?? "git can't read the last commit";
      commit ??= side.refs.head?.id;
      any = true;
      const at = { tree, root, place, side, head, ignored };
      for (const piece of await differing(at)) found.push({ at, piece });
    }
    if (!any) return "the folder is in no git repository";
    const diffs: FileDiff[] = [];
    for (const { at, piece } of found.slice(0, MOST_FILES)) diffs.push(await diffAt(at, piece));
    return { commit, diffs, left: found.length - diffs.length };
  } finally {
    await git.close();
  }
}

/** A root and its repository. */
interface At {
  tree: Tree;
  root: number;
  place: RepoPlace;
  side: RepoSide;
  head: ReadonlyMap<RawPath, TreeEntry>;
  ignored: Ignored;
}
/** One file that is not as HEAD has it. `path` below the root. */
interface Differs {
  path: RawPath;
  old?: TreeEntry | undefined;
  now?: Node | undefined;
}

async function differing(at: At): Promise<Differs[]> {
  const { tree, root, head, place } = at;
  const found: Differs[] = [];
  const inside = place.prefix === "" ? "" : `${place.prefix}/`;
  for (const [whole, old] of head) {
    if (!whole.startsWith(inside) || isOf(old, REPOSITORY)) continue;
    const path = whole.slice(inside.length);
    const now = await tree.find(root, path);
    const there = now === undefined || now.type === "folder" ? undefined : now;
    if (there === undefined) found.push({ path, old });
    else if (!(await isAsCommitted(at, whole, old, there))) found.push({ path, old, now: there });
  }
  return [...found, ...(await fresh(at))];
}

function isOf({ mode }: { mode: number }, type: number): boolean {
  return (mode & 0o170000) === type;
}

/** Believed without reading it where the index holds the same and remembers the file's stat. */
async function isAsCommitted({ side }: At, whole: RawPath, old: TreeEntry, now: Node): Promise<boolean> {
  const isLink = now.type === "link";
  if (isLink !== isOf(old, LINK) || (now.type !== "file" && !isLink)) return false;
  const { size, mtimeNs, mode } = now.stat;
  if (!isLink && (Number(mode & 0o100n) !== 0) !== ((old.mode & 0o100) !== 0)) return false;
  const entry = side.index?.get(whole)?.find((e) => e.stage === 0);
  const known = entry !== undefined && entry.mtime < side.indexTime && entry.id === old.id;
  if (known && entry.mtime === mtimeNs && BigInt(entry.size) === (size & 0xffff_ffffn)) return true;
  const real = now.places[0]?.real;
  if (real === undefined) return false;
  const ids = await blobIds(real, isLink ? "link" : "file", Number(size), old.id.length === 64 ? 32 : 20);
  return ids.includes(old.id);
}

/** Files that HEAD doesn't have. */
async function fresh({ tree, root, head, place, ignored }: At): Promise<Differs[]> {
  const found: Differs[] = [];
  let looked = 0;
  const walk = async (folder: Node): Promise<void> => {
    const names = await tree.names(folder);
    if (folder.path !== "" && names.some(([name]) => name === ".git")) return;
    for (const [name, type] of names) {
      if (name === ".git" || DOOR_NAME.test(name) || ++looked > MOST_ENTRIES) continue;
      const path = joinRaw(folder.path, name);
      if (ignored(root, type === "folder" ? `${path}/` : path)) continue;
      const isNew = type !== "folder" && !head.has(joinRaw(place.prefix, path));
      if (type !== "folder" && !isNew) continue;
      const node = await tree.child(folder, name);
      if (node?.type === "folder") await walk(node);
      else if (node !== undefined && node.type !== "special") found.push({ path, now: node });
    }
  };
  const top = await tree.root(root);
  if (top !== undefined) await walk(top);
  return found;
}

async function diffAt({ root, side }: At, { path, old, now }: Differs): Promise<FileDiff> {
  const op = old === undefined ? "create" : now === undefined ? "delete" : "modify";
  const print = now === undefined ? undefined : fingerprintOf(now);
  const before = old === undefined ? undefined : await sideOfBlob(old, side);
  const after = print === undefined ? undefined : await sideAt(print, now?.places[0]?.real);
  // git keeps no more of a mode than whether it is a program.
  const same = before !== undefined && print !== undefined && (before.print.mode & 0o100) === (print.mode & 0o100);
  const told = same ? { ...before, print: { ...before.print, mode: print.mode } } : before;
  const diff = diffOf({ root, path: showPath(path), op }, told, after);
  const modeAlone = op === "modify" && !same && diff.hidden === undefined && diff.hunks.length === 0;
  return modeAlone ? { ...diff, op: "chmod" } : diff;
}

async function sideOfBlob({ id, mode }: TreeEntry, { objects }: RepoSide): Promise<Side> {
  const bytes = await objects?.blob(id, MAX_DIFF_BYTES);
  const isLink = isOf({ mode }, LINK);
  const print = {
    type: isLink ? ("link" as const) : ("file" as const),
    mode: mode & 0o7777,
    size: bytes?.length ?? MAX_DIFF_BYTES + 1,
    mtime: "0",
    ctime: "0",
    ino: "0",
    nlink: 1,
    ...(isLink && bytes !== undefined ? { target: bytes.toString("latin1") } : {}),
  };
  if (bytes !== undefined) return sideAt(print, bytes);
  return { print, utf8: true, hash: id, hidden: `over ${MAX_DIFF_BYTES >> 20} MB, or not in this repository` };
}
