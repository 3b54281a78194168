import { readlinkSync } from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import type { Change, ChangeSet, Fingerprint } from "./change.ts";
import { type Node, type Tree } from "./tree.ts";

/** One entry that a change set changes: whole folders are taken apart into what lies in them. */
export interface Piece {
  root: number;
  path: RawPath;
  op: Change["op"];
  before?: Fingerprint | undefined;
  after?: Fingerprint | undefined;
  pair?: RawPath | undefined;
  late?: boolean | undefined;
  /** It comes out of a whole folder that came or went. */
  within?: RawPath | undefined;
}

/** A node's fingerprint without its hash. */
export function fingerprintOf(node: Node): Fingerprint {
  const { stat } = node;
  const real = node.places[0]?.real ?? "";
  const target = stat.isSymbolicLink() ? readlinkSync(rawBytes(real), { encoding: "buffer" }) : undefined;
  return {
    type: typeOf(node),
    mode: Number(stat.mode & 0o7777n),
    size: Number(stat.size),
    mtime: String(stat.mtimeNs),
    ctime: String(stat.ctimeNs),
    ino: String(stat.ino),
    nlink: Number(stat.nlink),
    ...(target === undefined ? {} : { target: target.toString("latin1") }),
  };
}

function typeOf(node: Node): Fingerprint["type"] {
  if (node.type !== "special") return node.type;
  if (node.stat.isFIFO()) return "fifo";
  if (node.stat.isSocket()) return "socket";
  return node.stat.isCharacterDevice() ? "char" : "block";
}

/** Everything below a folder, folders after what lies in them. */
async function* below(tree: Tree, folder: Node): AsyncGenerator<Node> {
  for (const [name] of await tree.names(folder)) {
    const node = await tree.child(folder, name);
    if (node?.type === "folder") yield* below(tree, node);
    if (node !== undefined) yield node;
  }
}

/**
 * The pieces of a change set in its own order, whole folders taken apart by looking at them in the trees before and after.
 * Nothing is left out.
 */
export async function* expand(set: ChangeSet, before: Tree, after: Tree): AsyncGenerator<Piece> {
  const told = new Set(set.changes.map((c) => `${c.root}:${c.path}`));
  for (const change of set.changes) {
    const { root, path, op, pair, late } = change;
    yield { root, path, op, before: change.before, after: change.after, pair, late };
    if (change.before?.type === "folder" && (op === "delete" || change.after?.type !== "folder")) {
      yield* childrenOf(before, change, "delete", told);
    }
    if (change.tree !== undefined && change.after?.type === "folder" && op !== "delete") {
      yield* childrenOf(after, change, "create", told);
    }
  }
}

async function* childrenOf(
  tree: Tree,
  change: Change,
  op: "create" | "delete",
  told: ReadonlySet<string>,
): AsyncGenerator<Piece> {
  const top = await tree.find(change.root, change.path);
  if (top?.type !== "folder") return;
  for await (const node of below(tree, top)) {
    if (told.has(`${node.root}:${node.path}`)) continue;
    const print = fingerprintOf(node);
    const base = { root: node.root, path: node.path, op, late: change.late, within: change.path };
    yield op === "create" ? { ...base, after: print } : { ...base, before: print };
  }
}

/** Real raw path of a piece's bytes on one side; undefined where it is not there. */
export async function bytesAt(tree: Tree, piece: { root: number; path: RawPath }): Promise<string | undefined> {
  return (await tree.find(piece.root, piece.path))?.places[0]?.real;
}
