import { structuredPatch } from "diff";
import type { Root } from "../events/event.ts";
import { rawBytes, type RawPath, showPath } from "../util/bytes.ts";
import { openRegular } from "../util/regular-file.ts";
import type { ChangeSet } from "./change.ts";
import { bytesAt, type Piece } from "./expand.ts";
import { findIgnored } from "./ignored.ts";
import { takeApart } from "./pieces.ts";
import type { Tree } from "./tree.ts";
import type { FileDiff, View } from "./workspace.ts";

/** Bytes of a side that are read; of bytes that are no text fewer are worth rows. */
const MAX_BYTES = 4 << 20;
const MAX_BINARY = 64 << 10;
const MAX_ROWS = 50_000;
const CONTEXT = 3;
/** Lines that differ; comparing more takes too long. */
const MAX_EDITS = 1000;
const PER_ROW = 16;

/** What an opened file shows: `rows` raw, `what` they are, and why they are not all. */
export interface FileRows {
  what: string;
  rows: readonly string[];
  cut?: string;
}

interface Bytes {
  bytes: Buffer;
  whole: number;
}

/**
 * A file that a question tells by size and hash alone, opened (P5): a long diff whole, else the new text (the old one of a deletion), or
 * its bytes. Reads at most 4 MB a side. Throws where the change set has no such file, or it can't be read.
 */
export async function openFile(
  set: ChangeSet,
  roots: readonly Root[],
  view: View,
  { root, path, from }: Pick<FileDiff, "root" | "path" | "from">,
): Promise<FileRows> {
  const apart = await takeApart({ set, roots, layers: view.layers, ignored: await findIgnored(roots), git: undefined });
  const named = (name: string): Piece | undefined =>
    apart.pieces.find((p) => p.root === root && showPath(p.path) === name);
  const piece = named(path);
  if (piece === undefined) throw new Error(`${path} is no file of this change set`);
  const before = await sideOf(from === undefined ? piece : (named(from) ?? piece), apart.trees.before, "before");
  const after = await sideOf(piece, apart.trees.after, "after");
  return rowsOf(before, after);
}

async function sideOf(piece: Piece, tree: Tree, side: "before" | "after"): Promise<Bytes | undefined> {
  if (piece[side]?.type !== "file") return undefined;
  const real = await bytesAt(tree, piece);
  return real === undefined ? undefined : read(real);
}

async function read(real: RawPath): Promise<Bytes> {
  const file = await openRegular(rawBytes(real));
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), whole: size };
  } finally {
    await file.close();
  }
}

/** Rows of both sides. */
export function rowsOf(before: Bytes | undefined, after: Bytes | undefined): FileRows {
  const only = after ?? before;
  if (only === undefined) return { what: "no file", rows: [] };
  if (isBinary(before) || isBinary(after))
    return { what: after === undefined ? "old bytes" : "new bytes", ...hex(only) };
  if (isWhole(before) && isWhole(after)) return { what: "diff", ...capped(longDiff(textOf(before), textOf(after))) };
  const cut = only.bytes.length < only.whole ? `the first ${only.bytes.length} of ${only.whole} bytes` : undefined;
  const rows = capped(textOf(only).split("\n"));
  return { what: after === undefined ? "old text" : "new text", ...(cut === undefined ? {} : { cut }), ...rows };
}

function isBinary(side: Bytes | undefined): boolean {
  return side?.bytes.includes(0) === true;
}

function isWhole(side: Bytes | undefined): boolean {
  return side === undefined || side.bytes.length === side.whole;
}

function textOf(side: Bytes | undefined): string {
  return side?.bytes.toString("utf8") ?? "";
}

/** Line by line where little differs; else all lines that went, then all that came, so that it never takes long. */
function longDiff(before: string, after: string): string[] {
  const few = structuredPatch("a", "b", before, after, "", "", { context: CONTEXT, maxEditLength: MAX_EDITS });
  if (few !== undefined)
    return few.hunks.flatMap(({ oldStart, newStart, lines }) => [`@@ -${oldStart} +${newStart} @@`, ...lines]);
  const [old, now] = [linesOf(before), linesOf(after)];
  const least = Math.min(old.length, now.length);
  let head = 0;
  while (head < least && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < least - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return [
    `@@ -${head + 1} +${head + 1} @@`,
    ...old.slice(Math.max(0, head - CONTEXT), head).map((row) => ` ${row}`),
    ...old.slice(head, old.length - tail).map((row) => `-${row}`),
    ...now.slice(head, now.length - tail).map((row) => `+${row}`),
    ...now.slice(now.length - tail, now.length - tail + CONTEXT).map((row) => ` ${row}`),
  ];
}

/** Lines without the end of the last one. */
function linesOf(text: string): string[] {
  const rows = text.split("\n");
  return rows.at(-1) === "" ? rows.slice(0, -1) : rows;
}

function capped(rows: readonly string[]): Pick<FileRows, "rows" | "cut"> {
  return rows.length <= MAX_ROWS
    ? { rows }
    : { rows: rows.slice(0, MAX_ROWS), cut: `the first ${MAX_ROWS} of ${rows.length} rows` };
}

/** As `xxd` shows it: place, bytes, letters. */
function hex({ bytes, whole }: Bytes): Pick<FileRows, "rows" | "cut"> {
  const shown = bytes.subarray(0, MAX_BINARY);
  const rows: string[] = [];
  for (let at = 0; at < shown.length; at += PER_ROW) {
    const row = shown.subarray(at, at + PER_ROW);
    const digits = [...row].map((b) => b.toString(16).padStart(2, "0")).join(" ");
    const letters = [...row].map((b) => (b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : ".")).join("");
    rows.push(`${at.toString(16).padStart(8, "0")}  ${digits.padEnd(PER_ROW * 3 - 1)}  ${letters}`);
  }
  return shown.length < whole ? { rows, cut: `the first ${shown.length} of ${whole} bytes` } : { rows };
}
