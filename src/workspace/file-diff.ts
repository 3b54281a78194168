import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { structuredPatch } from "diff";
import type { ChangeOp } from "../events/effect.ts";
import { rawBytes, type RawPath, showPath } from "../util/bytes.ts";
import { openRegular, readRegular } from "../util/regular-file.ts";
import type { Fingerprint } from "./change.ts";
import { hashFile } from "./content.ts";
import { bytesAt, type Piece } from "./expand.ts";
import { HUNK_CONTEXT } from "./hunk.ts";
import type { Rename } from "./renames.ts";
import type { Tree } from "./tree.ts";
import type { FileDiff, Hunk } from "./workspace.ts";

/** P5: what is longer is shown by size, type and hash. */
export const MAX_DIFF_LINES = 2000;
export const MAX_DIFF_BYTES = 1 << 20;
const BEGINNING = 4096;
/** A safety net only: `maxEditLength` ends a diff long before, and the same way everywhere. */
const TIMEOUT_MS = 10_000;

const MAGIC: readonly (readonly [string, string])[] = [
  ...([
    ["\x89PNG", "PNG image"],
    ["\xff\xd8\xff", "JPEG image"],
    ["GIF8", "GIF image"],
    ["%PDF", "PDF"],
  ] as const),
  ...([
    ["PK\x03\x04", "ZIP archive"],
    ["\x1f\x8b", "gzip archive"],
    ["\x7fELF", "ELF program"],
  ] as const),
  ...([
    ["SQLite format 3", "SQLite database"],
    ["\0asm", "WebAssembly"],
    ["wOF2", "font"],
  ] as const),
];

/** One side of a file's diff: its text, or why it is not shown. */
export interface Side {
  print: Fingerprint;
  /** Bytes of a text file as latin1; a link's target. */
  text?: string;
  utf8: boolean;
  hidden?: string;
  hash?: string | undefined;
}

type Trees = { before: Tree; after: Tree };

async function sideOf(print: Fingerprint | undefined, tree: Tree, piece: Piece): Promise<Side | undefined> {
  if (print === undefined) return undefined;
  const base = { print, hash: print.hash, utf8: true };
  if (print.type === "folder") return { ...base, text: "" };
  return sideAt(print, await bytesAt(tree, piece));
}

/** One side of a file's diff; `source`: where its bytes lie, or the bytes. */
export async function sideAt(print: Fingerprint, source: RawPath | Uint8Array | undefined): Promise<Side> {
  const base = { print, hash: print.hash, utf8: true };
  if (print.type === "link") return { ...base, text: print.target ?? "" };
  if (print.type !== "file") return { ...base, hidden: print.type };
  if (source === undefined) return { ...base, hidden: "its bytes are gone" };
  if (print.size > MAX_DIFF_BYTES) {
    const hash = typeof source === "string" ? await hashFile(source) : undefined;
    const kind = typeof source === "string" ? kindOf(await beginningOf(source)) : kindOf(Buffer.from(source));
    return { ...base, hash, hidden: `over ${MAX_DIFF_BYTES >> 20} MB${kind === undefined ? "" : `, ${kind}`}` };
  }
  const bytes = typeof source === "string" ? await readRegular(rawBytes(source)) : Buffer.from(source);
  if (!bytes.includes(0)) return { ...base, text: bytes.toString("latin1"), utf8: isUtf8(bytes) };
  const hidden = kindOf(bytes) ?? "binary";
  return { ...base, hash: print.hash ?? createHash("sha256").update(bytes).digest("hex"), hidden };
}

/** What bytes are by how they begin; undefined: text, as far as that tells. */
function kindOf(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 16);
  return MAGIC.find(([sign]) => start.startsWith(sign))?.[1] ?? (bytes.includes(0) ? "binary" : undefined);
}

/** Enough of a file to tell its kind. */
async function beginningOf(real: RawPath): Promise<Buffer> {
  const file = await openRegular(rawBytes(real));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function shown(side: Side | undefined): { size: number; mode: number; hash?: string } | undefined {
  if (side === undefined) return undefined;
  const { size, mode } = side.print;
  return side.hash === undefined ? { size, mode } : { size, mode, hash: side.hash };
}

function opOf(piece: Piece, rename: Rename | undefined): ChangeOp {
  if (rename !== undefined) return "rename";
  return piece.after?.type === "link" && piece.op !== "type" ? "link" : piece.op;
}

/** Why latin1 first: the hunks are then numbered as the door numbers them, which works on bytes. */
function hunksBetween(old: Side | undefined, now: Side | undefined): Hunk[] | undefined {
  const patch = structuredPatch("a", "b", old?.text ?? "", now?.text ?? "", "", "", {
    context: HUNK_CONTEXT,
    maxEditLength: MAX_DIFF_LINES,
    timeout: TIMEOUT_MS,
  });
  const utf8 = (old?.utf8 ?? true) && (now?.utf8 ?? true);
  return patch?.hunks.map(({ oldStart, newStart, lines }) => ({
    oldStart,
    newStart,
    lines: utf8 ? lines.map(showPath) : lines,
  }));
}

function count(hunks: readonly Hunk[], sign: string): number {
  return hunks.reduce((sum, h) => sum + h.lines.filter((line) => line.startsWith(sign)).length, 0);
}

/** The diff of one file within P5's limits. For a rename `piece` is the new name. */
export async function fileDiff(piece: Piece, trees: Trees, rename?: Rename): Promise<FileDiff> {
  const from = rename?.from ?? piece;
  const old = await sideOf(from.before, trees.before, from);
  const now = await sideOf(piece.after, trees.after, piece);
  const at = { root: piece.root, path: showPath(piece.path), op: opOf(piece, rename) };
  const diff = diffOf(at, old, now);
  const { before, after, hidden } = diff;
  return {
    ...diff,
    ...(rename === undefined ? {} : { from: showPath(rename.from.path) }),
    ...(before === undefined ? {} : { before: await hashed(before, hidden, trees.before, from) }),
    ...(after === undefined ? {} : { after: await hashed(after, hidden, trees.after, piece) }),
  };
}

/** A file that is not shown is told by its hash, on both sides. */
async function hashed<S extends { hash?: string }>(
  side: S,
  hidden: string | undefined,
  tree: Tree,
  piece: Piece,
): Promise<S> {
  if (hidden === undefined || side.hash !== undefined) return side;
  const node = await tree.find(piece.root, piece.path);
  const real = node?.type === "file" ? node.places[0]?.real : undefined;
  return real === undefined ? side : { ...side, hash: await hashFile(real) };
}

/** The diff between two sides that were read already. */
export function diffOf(
  at: Pick<FileDiff, "root" | "path" | "op">,
  old: Side | undefined,
  now: Side | undefined,
): FileDiff {
  const hunks = old?.hidden === undefined && now?.hidden === undefined ? hunksBetween(old, now) : undefined;
  const lines = (hunks ?? []).reduce((sum, h) => sum + h.lines.length, 0);
  const tooLong = hunks === undefined || lines > MAX_DIFF_LINES ? `over ${MAX_DIFF_LINES} lines` : undefined;
  const hidden = old?.hidden ?? now?.hidden ?? tooLong;
  const [before, after] = [shown(old), shown(now)];
  return {
    ...at,
    hunks: hidden === undefined ? (hunks ?? []) : [],
    added: count(hunks ?? [], "+"),
    removed: count(hunks ?? [], "-"),
    ...(hidden === undefined ? {} : { hidden }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

/** What an entry says of its diff: lines added and removed, or that it is binary. */
export async function countLines(
  piece: Piece,
  trees: Trees,
  rename?: Rename,
): Promise<{ added?: number; removed?: number; binary?: true }> {
  if (rename !== undefined || (piece.after ?? piece.before)?.type !== "file" || piece.op === "chmod") return {};
  const { hidden, added, removed } = await fileDiff(piece, trees);
  if (hidden === undefined) return { added, removed };
  return hidden.startsWith("over ") ? {} : { binary: true };
}
