import { showPath } from "../util/bytes.ts";
import { hashFile } from "./content.ts";
import { bytesAt, type Piece } from "./expand.ts";
import type { Tree } from "./tree.ts";

/** Larger files, and more of them, are not read to find out that they only moved. */
const MAX_BYTES = 20 << 20;
const MAX_FILES = 1000;

/** A file that went and came back elsewhere with the same bytes. */
export interface Rename {
  from: Piece;
  to: Piece;
}

type Trees = { before: Tree; after: Tree };

async function hashOf(piece: Piece, trees: Trees): Promise<string | undefined> {
  const print = piece.before ?? piece.after;
  if (print?.hash !== undefined) return print.hash;
  const real = await bytesAt(piece.op === "delete" ? trees.before : trees.after, piece);
  return real === undefined ? undefined : hashFile(real);
}

function bySize(pieces: readonly Piece[]): Map<number, Piece[]> {
  const found = new Map<number, Piece[]>();
  for (const piece of pieces) {
    const print = piece.before ?? piece.after;
    if (print?.type !== "file" || print.size === 0 || print.size > MAX_BYTES) continue;
    found.set(print.size, [...(found.get(print.size) ?? []), piece]);
  }
  return found;
}

/** Why same names first: of two equal files the one that kept its name is the one that moved. */
function nearest(to: Piece, candidates: readonly Piece[]): Piece | undefined {
  const name = (p: Piece): string => showPath(p.path).split("/").at(-1) ?? "";
  const paired = candidates.find((c) => c.root === to.root && (c.pair === to.path || to.pair === c.path));
  return paired ?? candidates.find((c) => name(c) === name(to)) ?? candidates[0];
}

/** Pairs deleted and created files by their bytes; each deleted one goes to one created one. */
export async function findRenames(pieces: readonly Piece[], trees: Trees): Promise<Rename[]> {
  const gone = bySize(pieces.filter((p) => p.op === "delete"));
  const came = bySize(pieces.filter((p) => p.op === "create"));
  const renames: Rename[] = [];
  let read = 0;
  for (const [size, targets] of came) {
    const sources = gone.get(size) ?? [];
    read += sources.length === 0 ? 0 : sources.length + targets.length;
    if (sources.length === 0 || read > MAX_FILES) continue;
    const hashes = new Map<Piece, string | undefined>();
    for (const piece of [...sources, ...targets]) hashes.set(piece, await hashOf(piece, trees));
    for (const to of targets) {
      const hash = hashes.get(to);
      const from = nearest(
        to,
        sources.filter((s) => hash !== undefined && hashes.get(s) === hash),
      );
      if (from === undefined) continue;
      sources.splice(sources.indexOf(from), 1);
      renames.push({ from, to });
    }
  }
  return renames;
}
