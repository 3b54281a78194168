import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import { blobIds } from "./content.ts";
import { bytesAt, type Piece } from "./expand.ts";
import type { RepoPlace, RepoSide } from "./git-repo.ts";
import { joinRaw, type Tree } from "./tree.ts";

/** A repository around a step, for the question what its files were and became. */
export interface History {
  place: RepoPlace;
  before: RepoSide;
  after: RepoSide;
  /** See `GitVerdict`. */
  brought: boolean;
}

/**
 * What git knows about a file of the work tree. `committed`: git brought it to the commit that HEAD went to, and its old
 * bytes are committed. `uncommitted`: its old bytes are neither HEAD's nor what was and stays staged, and are thrown away: the
 * file is deleted, or goes back to bytes that git had before the step.
 */
export async function judgeFile(
  history: History,
  piece: Piece,
  trees: { before: Tree; after: Tree },
): Promise<"committed" | "uncommitted" | undefined> {
  if (piece.before?.type === "folder" || piece.after?.type === "folder" || piece.op === "chmod") return undefined;
  const path = joinRaw(history.place.prefix, piece.path);
  // Most files are as the index remembers them and goes on to: no need to ask git about HEAD.
  const stays = idsIn(history.before, path).every((id) => idsIn(history.after, path).includes(id));
  if (!history.brought && stays && isClean(history.before, path, piece.before)) return undefined;
  const known = await knownIds(history, path);
  const isKnown = await wasKnown(history.before, path, piece, known.safe, trees.before);
  if (history.brought && (await isBrought(history, path, piece, known, isKnown, trees.after))) return "committed";
  if (isKnown || piece.op === "create" || piece.before === undefined || piece.before.size === 0) return undefined;
  if (piece.op === "delete") return known.all.size > 0 ? "uncommitted" : undefined;
  return (await goesBack(history.before, piece, known.all, trees.after)) ? "uncommitted" : undefined;
}

interface Known {
  head: string | undefined;
  all: ReadonlySet<string>;
  /** HEAD's bytes, and staged ones that are staged or committed afterwards too: what a reset takes from the index is held by nothing. */
  safe: ReadonlySet<string>;
}

function idsIn(side: RepoSide, path: RawPath): string[] {
  return side.index?.get(path)?.map((entry) => entry.id) ?? [];
}

async function knownIds({ before, after }: History, path: RawPath): Promise<Known> {
  const head = (await before.headFiles())?.get(path)?.id;
  const heads = head === undefined ? [] : [head];
  const index = idsIn(before, path);
  const later = new Set([...idsIn(after, path), (await after.headFiles())?.get(path)?.id]);
  return {
    head,
    all: new Set([...index, ...heads]),
    safe: new Set([...index.filter((id) => later.has(id)), ...heads]),
  };
}

/** Whether the old bytes are among the `known`; believed without reading them where the index remembers the file's stat. */
async function wasKnown(
  side: RepoSide,
  path: RawPath,
  piece: Piece,
  known: ReadonlySet<string>,
  tree: Tree,
): Promise<boolean> {
  if (piece.before === undefined || known.size === 0) return false;
  if (isClean(side, path, piece.before)) return idsIn(side, path).every((id) => known.has(id));
  return (await idsOf(tree, piece, piece.before, known)).some((id) => known.has(id));
}

function isClean(side: RepoSide, path: RawPath, print: Fingerprint | undefined): boolean {
  const entry = side.index?.get(path)?.find((e) => e.stage === 0);
  return entry !== undefined && print !== undefined && entry.mtime < side.indexTime && sameStat(entry, print);
}

function sameStat(entry: { mtime: bigint; size: number }, print: Fingerprint): boolean {
  const size = print.size % 2 ** 32;
  return print.type === "file" && BigInt(print.mtime) === entry.mtime && size === entry.size;
}

async function idsOf(tree: Tree, piece: Piece, print: Fingerprint, known: ReadonlySet<string>): Promise<string[]> {
  if (print.type !== "file" && print.type !== "link") return [];
  const real = await bytesAt(tree, piece);
  const [some = ""] = known;
  return real === undefined ? [] : blobIds(real, print.type, print.size, some.length === 64 ? 32 : 20);
}

/** The file now is as the new HEAD and the index have it, and what it was is committed. */
async function isBrought(
  history: History,
  path: RawPath,
  piece: Piece,
  known: Known,
  isKnown: boolean,
  tree: Tree,
): Promise<boolean> {
  const files = await history.after.headFiles();
  if (files === undefined || history.after.index === undefined) return false;
  const now = files.get(path);
  const index = history.after.index.get(path);
  const wasCommitted = piece.before === undefined || (isKnown && known.head !== undefined);
  if (!wasCommitted) return false;
  if (piece.op === "delete") return now === undefined && index === undefined;
  if (now === undefined || piece.after === undefined || index?.[0]?.id !== now.id) return false;
  return (await idsOf(tree, piece, piece.after, new Set([now.id]))).includes(now.id);
}

async function goesBack(side: RepoSide, piece: Piece, known: ReadonlySet<string>, tree: Tree): Promise<boolean> {
  if (piece.after === undefined || piece.after.size === 0) return false;
  const sample = known.size > 0 ? known : new Set(side.refs.head?.id === undefined ? [] : [side.refs.head.id]);
  const ids = await idsOf(tree, piece, piece.after, sample);
  if (ids.some((id) => known.has(id))) return true;
  return ((await side.objects?.existing(ids))?.size ?? 0) > 0;
}
