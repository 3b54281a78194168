import type { Root } from "../events/event.ts";
import { showPath, toRaw, type RawPath } from "../util/bytes.ts";
import type { Piece } from "./expand.ts";
import { rootOf } from "./roots.ts";
import type { Tree } from "./tree.ts";
import { resolveIn } from "./view.ts";

/** Files that hooks and servers name: absolute path → what runs it. */
export type RunsOutside = ReadonlyMap<string, string>;

/** What runs a changed file outside of the copy: "hook PostToolUse"; undefined: nothing that is known. */
export type RunBy = (piece: Pick<Piece, "root" | "path" | "op" | "before" | "after">) => string | undefined;

/** So many names are followed where they are links. */
const MOST_FOLLOWED = 500;

/**
 * Says of a change whether it changes what hooks and servers run (P3): a file that they name, what it links to in the tree before, and a link in
 * the place of a folder above it. Names are compared without regard to case. A folder's own coming and going says nothing: what lies in it is told.
 */
export async function findRuns(roots: readonly Root[], before: Tree, outside: RunsOutside | undefined): Promise<RunBy> {
  const known = new Map<string, string>();
  const above = new Map<string, string>();
  const add = (path: string, why: string): void => {
    const root = rootOf(roots, path);
    const base = roots[root]?.path;
    if (base === undefined || base === path) return;
    const below = keyOf(root, toRaw(path.slice(base === "/" ? 1 : base.length + 1)));
    known.set(below, why);
    for (let cut = below.lastIndexOf("/"); cut > 0; cut = below.lastIndexOf("/", cut - 1))
      above.set(below.slice(0, cut), why);
  };
  for (const [path, why] of [...(outside ?? [])].slice(0, MOST_FOLLOWED)) {
    const end = await resolveIn(roots, before, toRaw(path)).catch(() => undefined);
    if (end?.inside === true) add(end.path, why);
  }
  for (const [path, why] of outside ?? []) add(path, why);
  return ({ root, path, op, before: was, after }) => {
    if ((after ?? was)?.type === "folder" && op !== "type") return undefined;
    const key = keyOf(root, path);
    return known.get(key) ?? (after?.type === "link" ? above.get(key) : undefined);
  };
}

/** Whether hooks or servers name a file, links not followed. */
export function isRunOutside(base: string, path: RawPath, outside: RunsOutside): boolean {
  const full = `${base}/${showPath(path)}`.toLowerCase();
  return [...outside.keys()].some((named) => named.toLowerCase() === full);
}

function keyOf(root: number, path: RawPath): string {
  return `${root}:${showPath(path).toLowerCase()}`;
}
