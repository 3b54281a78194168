import { constants, copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rawBytes } from "../util/bytes.ts";
import type { Node, Tree } from "../workspace/tree.ts";
import { codeOf, type LeftOut } from "./clone.ts";
import { freeBytes } from "./place.ts";

/** How much is copied for a command, at most. */
export interface CloneBound {
  /** Files, folders and links. */
  entries: number;
  bytes: number;
}

/** About three seconds of copying on a plain disk. */
export const PLAIN_BOUND: CloneBound = { entries: 20_000, bytes: 1 << 30 };
/** Where the file system lets copies share their content (reflink), only entries cost. */
const SHARED_BOUND: CloneBound = { entries: 100_000, bytes: Infinity };
/** Left free on the disk. */
const FLOOR_BYTES = 256 << 20;

const UNREAD = new Set(["EACCES", "EPERM", "ENOENT", "ENOTDIR"]);

/**
 * Looks how much a clone of the roots would be. Resolves with the bound that it is within, or with why it can't be made.
 * `scratch`: a folder on the file system of the clone.
 */
export async function boundFor(
  tree: Tree,
  roots: number,
  leftOut: readonly LeftOut[],
  scratch: string,
): Promise<CloneBound | string> {
  const sum = { entries: 0, bytes: 0 };
  let shared = true;
  for (let n = 0; n < roots; n++) {
    const root = await tree.root(n);
    if (root === undefined) return "a folder is gone";
    const file = await addTo(sum, tree, root, leftOut[n] ?? new Set(), SHARED_BOUND.entries);
    shared &&= file === undefined || sharesContent(file, scratch);
    const { entries } = shared ? SHARED_BOUND : PLAIN_BOUND;
    if (sum.entries > entries) return tooLarge(`more than ${entries.toLocaleString("en")} files`, shared);
  }
  if (shared) return SHARED_BOUND;
  if (sum.bytes > PLAIN_BOUND.bytes) return tooLarge(`more than ${PLAIN_BOUND.bytes >> 20} MB`, shared);
  return freeBytes(scratch) - sum.bytes < FLOOR_BYTES ? "the disk is too full for a copy of the folder" : PLAIN_BOUND;
}

/** One sentence, for people and the model. */
export function tooLarge(what: string, shared: boolean): string {
  const why = shared ? "" : ", on a file system where copies share nothing (no reflink)";
  return `the folder is too large to be copied for a command: ${what}${why}`;
}

/** Counts up to `enough`; resolves with a file that can be tried, if there is one. */
async function addTo(
  sum: { entries: number; bytes: number },
  tree: Tree,
  root: Node,
  leftOut: LeftOut,
  enough: number,
): Promise<string | undefined> {
  let file: string | undefined;
  const stack = [root];
  for (let folder = stack.pop(); folder !== undefined && sum.entries <= enough; folder = stack.pop()) {
    try {
      for (const [name] of await tree.names(folder)) {
        const node = await tree.child(folder, name);
        if (node === undefined || leftOut.has(node.path)) continue;
        sum.entries++;
        if (node.type === "folder") stack.push(node);
        if (node.type !== "file") continue;
        sum.bytes += Number(node.stat.size);
        if (node.stat.size > 0n) file ??= node.places[0]?.real;
      }
    } catch (error) {
      // It is shown from the original instead.
      if (!UNREAD.has(codeOf(error))) throw error;
    }
  }
  return file;
}

function sharesContent(file: string, scratch: string): boolean {
  const trial = join(scratch, `.reflink-${process.pid}`);
  try {
    copyFileSync(rawBytes(file), trial, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(trial, { force: true });
  }
}
