import type { Root } from "../events/event.ts";
import type { RawPath } from "../util/bytes.ts";
import type { Conflict } from "./change.ts";
import { isInGit } from "./git-unit.ts";

/** The git dir that a path lies in: a repository's own files land all or not at all. Undefined for any other file. */
export function gitDirOf(root: Root | undefined, path: RawPath): RawPath | undefined {
  if (root === undefined || !isInGit(root, path)) return undefined;
  if (root.kind === "git") return "";
  const names = path.split("/");
  return names.slice(0, names.indexOf(".git") + 1).join("/");
}

/** Conflicts as they are told: of a repository's own files one. */
export function toldOnce(roots: readonly Root[], conflicts: readonly Conflict[]): Conflict[] {
  const seen = new Set<string>();
  return conflicts.flatMap((conflict) => {
    const dir = gitDirOf(roots[conflict.root], conflict.path);
    if (dir === undefined) return [conflict];
    const key = `${conflict.root}/${dir}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ root: conflict.root, path: dir, why: "the repository moved on meanwhile" }];
  });
}
