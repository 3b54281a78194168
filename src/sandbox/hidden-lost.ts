import { join } from "node:path";
import type { Root } from "../events/event.ts";
import { type RawPath, showPath } from "../util/bytes.ts";
import type { ChangeSet } from "../workspace/change.ts";
import type { IndexEntry } from "../workspace/git-index.ts";
import type { GitFolder } from "../workspace/git-refs.ts";
import { openSide, repoOf } from "../workspace/git-repo.ts";
import { isBelow, rootOf } from "../workspace/roots.ts";
import { joinRaw, openTree, splitRaw } from "../workspace/tree.ts";

/** Names that are told of at most. */
const NAMED = 5;

/**
 * Which covered paths a change set would move, delete or replace, or change in a git index: what a command saw of them is a stand-in, and
 * what was made of that must never land. Sorted, as text; `covered` are absolute.
 */
export async function lostCovered(
  roots: readonly Root[],
  layers: readonly string[],
  set: ChangeSet,
  covered: readonly string[],
): Promise<string[]> {
  if (covered.length === 0) return [];
  const moved = set.changes.flatMap((change) => {
    const at = pathOf(roots, change.root, change.path);
    const whole = change.op === "delete" || change.op === "type";
    return covered.filter((path) => isBelow(path, at) || (whole && isBelow(at, path)));
  });
  const staged = await stagedPaths(roots, layers, set);
  const inGit = staged.filter((path) => covered.some((each) => isBelow(each, path)));
  return [...new Set([...moved, ...inGit])].toSorted();
}

function pathOf(roots: readonly Root[], root: number, path: RawPath): string {
  return join(roots[root]?.path ?? "/", showPath(path));
}

/** A git index, and the folder of the work tree that its paths begin at. */
interface Staging {
  folder: GitFolder;
  /** Absolute path of one of its paths; undefined where that is in no root. */
  at: (path: RawPath) => string | undefined;
}

/** Absolute paths whose index entries differ between the folder and what would land. */
async function stagedPaths(roots: readonly Root[], layers: readonly string[], set: ChangeSet): Promise<string[]> {
  const touched = set.changes.filter(({ path }) => splitRaw(path)[1] === "index");
  if (touched.length === 0) return [];
  const [before, after] = await Promise.all([openTree(roots, layers), openTree(roots, layers, set)]);
  const found: string[] = [];
  for (const { folder, at } of await stagings(roots, touched)) {
    const folders = { gitDir: folder, commonDir: folder };
    const [old, now] = await Promise.all([openSide(before, folders, undefined), openSide(after, folders, undefined)]);
    for (const path of differing(old.index ?? new Map(), now.index ?? new Map())) {
      const place = at(path);
      if (place !== undefined) found.push(place);
    }
  }
  return found;
}

async function stagings(roots: readonly Root[], touched: ChangeSet["changes"]): Promise<Staging[]> {
  const own = await Promise.all(roots.map((_, n) => repoOf(roots, n)));
  return touched.flatMap(({ root, path }): Staging[] => {
    const folder = { root, path: splitRaw(path)[0] };
    const n = own.findIndex((repo) => repo?.folders.gitDir.root === root && repo.folders.gitDir.path === folder.path);
    const repo = own[n];
    if (repo !== undefined) {
      const start = repo.prefix === "" ? "" : `${repo.prefix}/`;
      const below = (given: RawPath) =>
        given.startsWith(start) ? pathOf(roots, n, given.slice(start.length)) : undefined;
      return [{ folder, at: below }];
    }
    const [workTree, name] = splitRaw(folder.path);
    return name === ".git" ? [{ folder, at: (given) => pathOf(roots, root, joinRaw(workTree, given)) }] : [];
  });
}

type Index = ReadonlyMap<RawPath, readonly IndexEntry[]>;

function differing(old: Index, now: Index): RawPath[] {
  const paths = new Set([...old.keys(), ...now.keys()]);
  return [...paths].filter((path) => said(old.get(path)) !== said(now.get(path)));
}

function said(entries: readonly IndexEntry[] = []): string {
  return entries.map(({ id, mode, stage }) => `${id} ${mode} ${stage}`).join(", ");
}

/** Paths as the model knows them: those of the first root relative to it. */
export function namesOf(roots: readonly Root[], paths: readonly string[]): string {
  const first = roots[0]?.path ?? "/";
  const names = paths.map((path) => (rootOf(roots, path) === 0 ? path.slice(first.length + 1) : path));
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${names.slice(0, NAMED).join(", ")}${more}`;
}
