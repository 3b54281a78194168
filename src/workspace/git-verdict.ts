import type { GitEffect } from "../events/effect.ts";
import { showPath, type RawPath } from "../util/bytes.ts";
import type { Piece } from "./expand.ts";
import type { TreeEntry } from "./git.ts";
import { judgeFiles } from "./git-files.ts";
import type { IndexEntry } from "./git-index.ts";
import { judgeMoves } from "./git-moves.ts";
import type { GitFolder, GitFolders } from "./git-refs.ts";
import type { RepoSide } from "./git-repo.ts";

/** What a step did to one repository. */
export interface GitVerdict {
  effects: GitEffect[];
  /**
   * HEAD went to a commit that was there before (a switch or a fast-forward) and nothing high happened: files that now are
   * as that commit has them were brought by git, not thrown away (P3).
   */
  brought: boolean;
}

/** Judges the changes inside one git dir as one unit, by meaning (P3). `shown`: folders of the work tree that the copy holds. */
export async function judgeUnit(
  folders: GitFolders,
  changes: readonly Piece[],
  before: RepoSide,
  after: RepoSide,
  shown: readonly RawPath[] = [""],
): Promise<GitVerdict> {
  if (before.refs.head === undefined && after.refs.head !== undefined) {
    return { effects: [{ text: "a repository made, with config and hooks of its own", high: true }], brought: false };
  }
  if (before.refs.head !== undefined && after.refs.head === undefined && wholeGone(folders.commonDir, changes)) {
    return { effects: [{ text: "the repository deleted, with its history", high: true }], brought: false };
  }
  const files = judgeFiles(changes.map((change) => ({ name: nameIn(folders, change), change })));
  const stuck = files.moves || files.index ? await unasked(before, after) : [];
  const [objectsBefore, objectsAfter] = stuck.length > 0 ? [undefined, undefined] : [before.objects, after.objects];
  const sides = { before: before.refs, after: after.refs, objectsBefore, objectsAfter };
  const moves = files.moves ? await judgeMoves(sides) : [];
  const index = files.index || files.moves ? await judgeIndex(before, after, shown) : [];
  const effects = [...stuck, ...moves, ...index, ...files.effects].toSorted((a, b) => Number(b.high) - Number(a.high));
  return { effects, brought: !effects.some((e) => e.high) && (await wasThere(before, after)) };
}

/** Why git could not be asked what this means, where something lies in its way. */
async function unasked(before: RepoSide, after: RepoSide): Promise<GitEffect[]> {
  const problem = (await after.objects?.problem()) ?? (await before.objects?.problem());
  return problem === undefined ? [] : [{ text: `git was not asked what changed: ${problem}`, high: true }];
}

function wholeGone(folder: GitFolder, changes: readonly Piece[]): boolean {
  return changes.some((c) => c.path === folder.path && (c.op === "delete" || c.op === "type"));
}

/** A file's name inside the git dir; the work tree's own part of a linked one counts as if it lay there. */
function nameIn({ gitDir, commonDir }: GitFolders, change: Piece): RawPath {
  const own = inside(gitDir, change);
  if (own !== undefined) return own;
  const shared = inside(commonDir, change) ?? change.path;
  const linked = gitDir.path !== commonDir.path || gitDir.root !== commonDir.root;
  return linked && /^(HEAD|index|[A-Z_]+_HEAD)$/.test(shared) ? `worktrees/main/${shared}` : shared;
}

function inside(folder: GitFolder, change: Piece): RawPath | undefined {
  if (folder.root !== change.root) return undefined;
  if (folder.path === "") return change.path;
  return change.path.startsWith(`${folder.path}/`) ? change.path.slice(folder.path.length + 1) : undefined;
}

async function wasThere(before: RepoSide, after: RepoSide): Promise<boolean> {
  const id = after.refs.head?.id;
  if (id === undefined || id === before.refs.head?.id) return false;
  return (await before.objects?.existing([id]))?.has(id) === true;
}

type Index = ReadonlyMap<RawPath, readonly IndexEntry[]>;

/** One line of `git ls-files -s` without its path, all stages. */
function line(index: Index, path: RawPath): string {
  return (index.get(path) ?? []).map((e) => `${e.mode} ${e.id} ${e.stage}`).join(",");
}

function headLine(files: ReadonlyMap<RawPath, TreeEntry>, path: RawPath): string {
  const found = files.get(path);
  return found === undefined ? "" : `${found.mode} ${found.id} 0`;
}

async function judgeIndex(before: RepoSide, after: RepoSide, shown: readonly RawPath[]): Promise<GitEffect[]> {
  const [old, now] = [before.index, after.index];
  if (old === undefined || now === undefined)
    return [{ text: "the index changed, in a form that can't be read", high: true }];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((path) => line(old, path) !== line(now, path));
  const moved = before.refs.head?.id !== after.refs.head?.id;
  if (changed.length === 0 && !moved) return [];
  const unseen = judgeUnseen(changed, now, shown);
  const [oldHead, newHead] = [await before.headFiles(), await after.headFiles()];
  if (oldHead === undefined || newHead === undefined) {
    const told = changed.length === 0 ? [] : [{ text: `index: ${count(changed.length)} changed`, high: false }];
    return [...unseen, ...told];
  }
  const isStaged = (path: RawPath): boolean => line(now, path) !== headLine(newHead, path);
  const conflicts = changed.filter((path) => (now.get(path) ?? []).some((e) => e.stage > 0));
  const staged = changed.filter((path) => isStaged(path) && !conflicts.includes(path));
  const unstaged = changed.filter((path) => !isStaged(path) && line(old, path) !== headLine(oldHead, path));
  const effects: GitEffect[] = [];
  if (staged.length > 0) effects.push({ text: `staged ${count(staged.length)}`, high: false });
  if (unstaged.length > 0 && !moved) effects.push({ text: `unstaged ${count(unstaged.length)}`, high: false });
  if (conflicts.length > 0) effects.push({ text: `${count(conflicts.length)} in conflict`, high: false });
  return [...unseen, ...effects, ...(moved ? staleIndex(oldHead, newHead, now) : [])];
}

/**
 * Files of the work tree that lie outside the roots (the rest of a monorepo) are not in the copy, so git takes them for deleted, and what it
 * writes there is lost: a commit of everything would delete them all, a switch would leave them behind.
 */
function judgeUnseen(changed: readonly RawPath[], now: Index, shown: readonly RawPath[]): GitEffect[] {
  const unseen = changed.filter((path) => !shown.some((f) => f === "" || path === f || path.startsWith(`${f}/`)));
  if (unseen.length === 0) return [];
  const deleted = unseen.filter((path) => !now.has(path)).length;
  const how = deleted === 0 ? "" : deleted === unseen.length ? " as deleted" : ` (${deleted} as deleted)`;
  const names = unseen.slice(0, 3).map(showPath).join(", ");
  const more = unseen.length > 3 ? ` and ${unseen.length - 3} more` : "";
  return [{ text: `git takes ${count(unseen.length)} outside the folder${how}: ${names}${more}`, high: true }];
}

function count(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

/** Why: HEAD set elsewhere without its files looks like a switch, and the next commit would take them all back. */
function staleIndex(
  oldHead: ReadonlyMap<RawPath, TreeEntry>,
  newHead: ReadonlyMap<RawPath, TreeEntry>,
  now: Index,
): GitEffect[] {
  const differ = [...new Set([...oldHead.keys(), ...newHead.keys()])].filter(
    (path) => headLine(oldHead, path) !== headLine(newHead, path),
  );
  const stale = differ.filter((path) => line(now, path) !== headLine(newHead, path));
  if (stale.length === 0) return [];
  return [{ text: `HEAD moved, but the index does not match it in ${count(stale.length)}`, high: true }];
}
