import type { RawPath } from "../util/bytes.ts";
import type { Root } from "../events/event.ts";
import type { Piece } from "./expand.ts";
import type { OpenGit } from "./git.ts";
import type { GitFolder, GitFolders } from "./git-refs.ts";
import { openSide, type RepoPlace, type RepoSide, repoOf } from "./git-repo.ts";
import { type GitVerdict, judgeUnit } from "./git-verdict.ts";
import type { History } from "./committed.ts";
import { joinRaw, type Tree } from "./tree.ts";

/** Changes inside one git dir. */
interface Unit {
  folder: GitFolder;
  changes: Piece[];
}

/** A repository, both sides opened once. */
interface Opened {
  folders: GitFolders;
  before: RepoSide;
  after: RepoSide;
}

export interface GitJudgement {
  verdicts: readonly { folder: GitFolder; verdict: GitVerdict }[];
  /** By root: the repository that its files belong to. */
  histories: ReadonlyMap<number, History>;
  /** What `verdicts` tell of. */
  told: ReadonlySet<Piece>;
}

const HEADS = ["HEAD", "objects", "refs"];

/** The git dir that a change lies in: a git root, or the first `.git` folder in its path and a submodule's below that. */
async function unitOf(roots: readonly Root[], change: Piece, trees: readonly Tree[]): Promise<GitFolder | undefined> {
  const { root, path } = change;
  if (roots[root]?.kind === "git") return { root, path: await submodule(root, "", path, trees) };
  const names = path.split("/");
  const at = names.indexOf(".git");
  if (at < 0) return undefined;
  const isFolder = change.before?.type === "folder" || change.after?.type === "folder";
  if (at === names.length - 1 && !isFolder) return undefined;
  return { root, path: await submodule(root, names.slice(0, at + 1).join("/"), path, trees) };
}

/** The repository of a submodule lies in `modules/<its name>`, and a name may hold slashes. */
async function submodule(root: number, gitDir: RawPath, path: RawPath, trees: readonly Tree[]): Promise<RawPath> {
  const below = joinRaw(gitDir, "modules/");
  if (!path.startsWith(below)) return gitDir;
  const names = path.slice(below.length).split("/");
  for (let n = 1; n < names.length; n++) {
    const inner = below + names.slice(0, n).join("/");
    if ((await Promise.all(trees.map((t) => looksLikeGit(t, root, inner)))).every(Boolean)) {
      return submodule(root, inner, path, trees);
    }
  }
  return gitDir;
}

async function looksLikeGit(tree: Tree, root: number, path: RawPath): Promise<boolean> {
  const found = await Promise.all(HEADS.map((name) => tree.find(root, joinRaw(path, name))));
  return found.every((node) => node !== undefined);
}

async function unitsOf(
  roots: readonly Root[],
  pieces: readonly Piece[],
  trees: readonly Tree[],
): Promise<Map<string, Unit>> {
  const units = new Map<string, Unit>();
  for (const change of pieces) {
    const folder = await unitOf(roots, change, trees);
    if (folder === undefined) continue;
    const key = `${folder.root}:${folder.path}`;
    const unit = units.get(key) ?? { folder, changes: [] };
    unit.changes.push(change);
    units.set(key, unit);
  }
  return units;
}

const same = (a: GitFolder, b: GitFolder): boolean => a.root === b.root && a.path === b.path;

/** Judges each git dir that pieces of a change set lie in, and opens the repositories that the roots' files belong to. */
export async function judgeGit(
  pieces: readonly Piece[],
  roots: readonly Root[],
  trees: { before: Tree; after: Tree },
  git: OpenGit | undefined,
): Promise<GitJudgement> {
  const units = await unitsOf(roots, pieces, [trees.before, trees.after]);
  const open = async (folders: GitFolders): Promise<Opened> => ({
    folders,
    before: await openSide(trees.before, folders, git),
    after: await openSide(trees.after, folders, git),
  });
  const repos: { root: number; place: RepoPlace; opened: Opened }[] = [];
  for (const root of roots.keys()) {
    const place = await repoOf(roots, root);
    if (place !== undefined) repos.push({ root, place, opened: await open(place.folders) });
  }
  const verdicts: { folder: GitFolder; verdict: GitVerdict }[] = [];
  for (const { folder, changes } of units.values()) {
    const own = repos.find((r) => same(r.place.folders.commonDir, folder));
    const opened = own?.opened ?? (await open({ gitDir: folder, commonDir: folder }));
    const shown = repos.filter((r) => same(r.place.folders.gitDir, opened.folders.gitDir)).map((r) => r.place.prefix);
    const verdict = await judgeUnit(
      opened.folders,
      changes,
      opened.before,
      opened.after,
      shown.length === 0 ? undefined : shown,
    );
    verdicts.push({ folder, verdict });
  }
  const histories = repos.map(({ root, place, opened }): [number, History] => {
    const verdict = verdicts.find((v) => same(v.folder, place.folders.commonDir))?.verdict;
    return [root, { place, before: opened.before, after: opened.after, brought: verdict?.brought ?? false }];
  });
  const told = new Set([...units.values()].flatMap((u) => u.changes));
  return { verdicts, histories: new Map(histories), told };
}
