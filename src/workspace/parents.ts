import type { Root } from "../events/event.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { type ChangeSet, upperOf } from "./change.ts";
import type { Draft } from "./conflict.ts";
import type { Disk } from "./land-disk.ts";

const DEFAULT_MODE = 0o755;

/** Folders on the way to a path, outermost first. */
export function parentsOf(path: RawPath): RawPath[] {
  const parts = path.split("/");
  return parts.slice(1).map((_part, n) => parts.slice(0, n + 1).join("/"));
}

/** Why a path can't be reached without following a link, or undefined. `isMade`: a folder that the set brings itself. */
export function blocked(
  disk: Disk,
  root: Root,
  path: RawPath,
  isMade: (parent: RawPath) => boolean,
): string | undefined {
  for (const parent of parentsOf(path)) {
    const stat = disk.lstat(`${toRaw(root.path)}/${parent}`);
    if (stat === undefined || isMade(parent)) return undefined;
    if (stat.isSymbolicLink()) return `its folder ${parent} is a link now`;
    if (!stat.isDirectory()) return `its folder ${parent} is no folder now`;
  }
  return undefined;
}

/** Adds a draft for every missing folder on the way to what comes, with the mode that the step's layer gives it. */
export function addParents(disk: Disk, roots: readonly Root[], set: ChangeSet, drafts: readonly Draft[]): Draft[] {
  const brought = new Set(drafts.filter((d) => d.source !== undefined).map((d) => `${d.root}/${d.path}`));
  const there = new Set<string>();
  const added: Draft[] = [];
  for (const draft of drafts) {
    if (draft.source === undefined) continue;
    for (const parent of parentsOf(draft.path)) {
      const key = `${draft.root}/${parent}`;
      if (brought.has(key) || there.has(key)) continue;
      if (disk.lstat(`${toRaw(roots[draft.root]?.path ?? "")}/${parent}`) !== undefined) {
        there.add(key);
        continue;
      }
      const layer = disk.lstat(`${toRaw(upperOf(set.stepFolder, draft.root))}/${parent}`);
      const mode = layer?.isDirectory() === true ? Number(layer.mode) & 0o7777 : DEFAULT_MODE;
      brought.add(key);
      added.push({ root: draft.root, path: parent, source: { kind: "folder", mode } });
    }
  }
  return [...added, ...drafts];
}
