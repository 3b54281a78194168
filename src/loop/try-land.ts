import { existsSync } from "node:fs";
import type { ChangeSet, Landing, Left } from "../workspace/change.ts";
import type { LoopDeps } from "./deps.ts";

/** What a folder answers that can't be written, or is full: nothing of ours is wrong, and the model and the person can be told. */
const REFUSED: Readonly<Record<string, string>> = {
  EROFS: "it is read-only",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is used up",
};

/** The folder can't take the changes; the door took back all of it. */
export interface Refused {
  ok: false;
  refused: string;
}

/**
 * Lands through the door. What the folder refuses is an answer; everything else is thrown on. Reading the journal completes or takes
 * back what was begun, so a step that it doesn't know as landed has touched nothing.
 */
export async function tryLand(
  set: ChangeSet,
  left: readonly Left[],
  { workspace }: Pick<LoopDeps, "workspace">,
): Promise<Landing | Refused> {
  try {
    return await workspace.land(set, left);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const gone = code === "ENOENT" ? workspace.roots.find((root) => !existsSync(root.path)) : undefined;
    if (gone !== undefined) return { ok: false, refused: `the folder ${gone.path} is gone` };
    const why = REFUSED[code];
    if (why === undefined) throw error;
    const step = (await workspace.journal()).find((s) => s.operationId === set.operationId);
    if (step?.status === "landed") return workspace.land(set, left);
    return { ok: false, refused: `the folder can't be written: ${why} (${code})` };
  }
}
