import type { Root } from "../events/event.ts";
import { showPath } from "../util/bytes.ts";
import type { ChangeSet } from "./change.ts";
import type { Piece } from "./expand.ts";
import { fileDiff } from "./file-diff.ts";
import { findIgnored, type Ignored } from "./ignored.ts";
import { takeApart } from "./pieces.ts";
import type { Rename } from "./renames.ts";
import type { FileDiff, View } from "./workspace.ts";

/** Files whose text is read for one question; the rest is told by size. */
const MAX_FILES = 500;

/**
 * Diffs of a change set's files, deletions first, without git's own files and regenerable output. Hunks are numbered as
 * `Left.hunks` counts them. `ignored`: what was ignored when the session began; without it, what is ignored now.
 */
export async function diffs(
  set: ChangeSet,
  roots: readonly Root[],
  view: View,
  ignored?: Ignored,
): Promise<readonly FileDiff[]> {
  const know = ignored ?? (await findIgnored(roots));
  const apart = await takeApart({ set, roots, layers: view.layers, ignored: know, git: undefined });
  const renames = new Map<Piece, Rename>(apart.renames.map((r) => [r.to, r]));
  const from = new Set(apart.renames.map((r) => r.from));
  const files = apart.pieces.filter(
    (p) => !from.has(p) && [p.before, p.after].some((x) => (x?.type ?? "folder") !== "folder"),
  );
  const found: FileDiff[] = [];
  for (const piece of files.toSorted((a, b) => rank(a) - rank(b))) {
    const read = found.length < MAX_FILES;
    found.push(read ? await fileDiff(piece, apart.trees, renames.get(piece)) : untold(piece, renames.get(piece)));
  }
  return found;
}

function rank(piece: Piece): number {
  return piece.op === "delete" ? 0 : 1;
}

function untold(piece: Piece, rename: Rename | undefined): FileDiff {
  const side = (of: Piece["before"]): { size: number; mode: number } | undefined =>
    of === undefined ? undefined : { size: of.size, mode: of.mode };
  const [before, after] = [side(rename?.from.before ?? piece.before), side(piece.after)];
  return {
    root: piece.root,
    path: showPath(piece.path),
    ...(rename === undefined ? {} : { from: showPath(rename.from.path) }),
    op: rename === undefined ? piece.op : "rename",
    hunks: [],
    added: 0,
    removed: 0,
    hidden: `more than ${MAX_FILES} files`,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
