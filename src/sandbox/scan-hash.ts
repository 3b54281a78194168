import { rawBytes, type RawPath } from "../util/bytes.ts";
import { readRegularNow } from "../util/regular-file.ts";
import type { Change, Fingerprint } from "../workspace/change.ts";
import { hashOf, SMALL_FILE } from "../workspace/fingerprint.ts";
import type { Tree } from "../workspace/tree.ts";
import type { UpperLayer } from "./upper.ts";

/** Sets up to this size get hashes: a whole node_modules would take seconds. */
const MAX_FILES = 200;
const MAX_BYTES = 20 << 20;

/** Adds hashes of files, in place, if the set is small. Returns the list. */
export async function addHashes(changes: Change[], root: number, upper: UpperLayer, tree: Tree): Promise<Change[]> {
  if (changes.length > MAX_FILES) return changes;
  const prints = changes.flatMap((c) => [c.before, c.after]).filter((print) => print?.type === "file");
  const bytes = prints.reduce((sum, print) => sum + (print?.size ?? 0), 0);
  if (bytes > MAX_BYTES) return changes;
  for (const [n, change] of changes.entries()) {
    const { before, after, path } = change;
    const next = { ...change };
    if (after?.type === "file") next.after = hashed(after, upper.readable(path));
    if (before?.type === "file") {
      const real = (await tree.find(root, path))?.places[0]?.real;
      if (real !== undefined) next.before = hashed(before, real);
    }
    changes[n] = next;
  }
  return changes;
}

function hashed(print: Fingerprint, real: RawPath): Fingerprint {
  if (print.size > SMALL_FILE) return print;
  try {
    return { ...print, hash: hashOf(readRegularNow(rawBytes(real))) };
  } catch {
    return print;
  }
}

/** Marks a deletion and a creation of the same bytes as the halves of a rename, for display, in place. Empty files say nothing. */
export function pairRenames(changes: Change[]): void {
  const gone = new Map<string, Change>();
  for (const change of changes) {
    const hash = change.before?.hash;
    if (change.op === "delete" && hash !== undefined && change.before?.size !== 0) gone.set(hash, change);
  }
  for (const change of changes) {
    const from = change.op === "create" ? gone.get(change.after?.hash ?? "") : undefined;
    if (from === undefined) continue;
    gone.delete(change.after?.hash ?? "");
    change.pair = from.path;
    from.pair = change.path;
  }
}
