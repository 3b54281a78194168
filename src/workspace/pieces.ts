import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import type { ChangeSet } from "./change.ts";
import { expand, type Piece } from "./expand.ts";
import type { OpenGit } from "./git.ts";
import { type GitJudgement, judgeGit } from "./git-units.ts";
import type { Ignored } from "./ignored.ts";
import { regenerableFolder } from "./regenerable.ts";
import { findRenames, type Rename } from "./renames.ts";
import { openTree, type Tree } from "./tree.ts";

export interface RegenerableGroup {
  root: number;
  path: RawPath;
  files: number;
  bytes: number;
}

/** A change set taken apart: files one by one, regenerable folders as sums, git's own part by meaning. */
export interface Pieces {
  trees: { before: Tree; after: Tree };
  git: GitJudgement;
  /** Neither git's nor regenerable; both halves of a rename are still in it. */
  pieces: readonly Piece[];
  renames: readonly Rename[];
  regenerable: readonly RegenerableGroup[];
}

export interface TakeApart {
  set: ChangeSet;
  roots: readonly Root[];
  layers: readonly string[];
  ignored: Ignored;
  git: OpenGit | undefined;
}

/** Takes a change set apart. Reads the step's folder and the roots, writes nothing. */
export async function takeApart({ set, roots, layers, ignored, git }: TakeApart): Promise<Pieces> {
  const trees = { before: await openTree(roots, layers), after: await openTree(roots, layers, set) };
  const groups = new Map<string, RegenerableGroup>();
  const rest: Piece[] = [];
  // Whole folders land or stay whole, so what lies in them is judged as they are: else more would land than is told.
  const whole = new Map<string, RawPath | undefined>();
  for await (const piece of expand(set, trees.before, trees.after)) {
    const own = piece.within === undefined && roots[piece.root]?.kind !== "git";
    const folder = own ? regenerableOf(piece, ignored) : whole.get(`${piece.root}:${piece.within}`);
    if (own) whole.set(`${piece.root}:${piece.path}`, folder);
    if (folder === undefined) rest.push(piece);
    else addTo(groups, folder, piece);
  }
  const judged = await judgeGit(rest, roots, trees, git);
  const pieces = rest.filter((piece) => !judged.told.has(piece));
  return { trees, git: judged, pieces, renames: await findRenames(pieces, trees), regenerable: [...groups.values()] };
}

/**
 * The folder by which a change is regenerable output, which stays in the copy; undefined: it is judged and lands. Why not by the new
 * type alone: a person's folder that becomes a file, or a file that becomes a folder, is judged as what it was.
 */
export function regenerableOf(
  piece: Pick<Piece, "root" | "path" | "before" | "after">,
  ignored: Ignored,
): RawPath | undefined {
  const types = [piece.before?.type, piece.after?.type].filter((t) => t !== undefined);
  return regenerableFolder(
    piece.root,
    piece.path,
    types.every((t) => t === "folder"),
    ignored,
  );
}

function addTo(groups: Map<string, RegenerableGroup>, path: RawPath, piece: Piece): void {
  const key = `${piece.root}:${path}`;
  const group = groups.get(key) ?? { root: piece.root, path, files: 0, bytes: 0 };
  groups.set(key, group);
  if ((piece.after ?? piece.before)?.type === "folder") return;
  group.files += 1;
  group.bytes += piece.after?.size ?? 0;
}
