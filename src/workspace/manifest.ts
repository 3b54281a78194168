import { createHash } from "node:crypto";
import type { Change, Fingerprint } from "./change.ts";

function print(of: Fingerprint | undefined): unknown {
  if (of === undefined) return null;
  return [of.type, of.mode, of.size, of.mtime, of.ctime, of.ino, of.nlink, of.hash ?? null, of.target ?? null];
}

/** SHA-256, hex, over the sorted changes with their fingerprints: what was shown is what lands. Order and pairs don't matter. */
export function manifestHash(changes: readonly Change[]): string {
  const lines = changes.map((c) =>
    JSON.stringify([c.root, c.path, c.op, print(c.before), print(c.after), c.tree ?? null]),
  );
  const hash = createHash("sha256");
  for (const line of lines.toSorted()) hash.update(`${line}\n`);
  return hash.digest("hex");
}
