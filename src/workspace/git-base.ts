import { createHash } from "node:crypto";
import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import { openGit } from "./git.ts";
import { openSide, repoOf } from "./git-repo.ts";
import { joinRaw, openTree } from "./tree.ts";

/** Larger files are not merged by lines. */
const MAX_BYTES = 16 << 20;

/**
 * What git knows of a file's bytes as `before` saw them, for a three-way merge: the index's or HEAD's, and only where its
 * hash proves them to be the same, or the index remembers this very stat. undefined rather than a guess. `scratchDir`: a
 * folder of ours to work in.
 */
export async function baseText(
  roots: readonly Root[],
  file: { root: number; path: RawPath; before: Fingerprint },
  deps: { git?: string | undefined; scratchDir: string },
): Promise<Buffer | undefined> {
  const place = await repoOf(roots, file.root);
  if (place === undefined || deps.git === undefined || file.before.type !== "file") return undefined;
  const git = await openGit(deps.git, deps.scratchDir);
  try {
    const side = await openSide(await openTree(roots, []), place.folders, git);
    const path = joinRaw(place.prefix, file.path);
    const entry = side.index?.get(path)?.find((e) => e.stage === 0);
    const head = (await side.headFiles())?.get(path)?.id;
    const { hash, mtime, size } = file.before;
    const clean = entry?.mtime === BigInt(mtime) && entry.size === size && entry.mtime < side.indexTime;
    for (const id of new Set([entry?.id, head])) {
      const bytes = id === undefined ? undefined : await side.objects?.blob(id, MAX_BYTES);
      if (bytes === undefined) continue;
      const proved = hash === undefined ? clean && id === entry?.id && bytes.length === size : sha256(bytes) === hash;
      if (proved) return bytes;
    }
    return undefined;
  } finally {
    await git.close();
  }
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
