import { merge } from "node-diff3";

/** Beyond this a merge would take seconds. */
const MAX_MERGED = 4 << 20;

/** Bytes as lines with their ends on, so that joining them gives the same bytes; undefined where they are no text. */
export function linesOf(bytes: Uint8Array): string[] | undefined {
  if (bytes.length > MAX_MERGED || bytes.includes(0)) return undefined;
  return (
    Buffer.from(bytes)
      .toString("latin1")
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  );
}

/** Three-way merge by lines; undefined where both sides changed the same lines, or one of them is no text. */
export function mergeText(mine: Uint8Array, base: Uint8Array, theirs: Uint8Array): Buffer | undefined {
  const [a, o, b] = [linesOf(mine), linesOf(base), linesOf(theirs)];
  if (a === undefined || o === undefined || b === undefined) return undefined;
  const merged: { conflict: boolean; result: string[] } = merge(a, o, b, { excludeFalseConflicts: true });
  return merged.conflict ? undefined : Buffer.from(merged.result.join(""), "latin1");
}
