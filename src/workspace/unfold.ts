import type { Change, ChangeSet } from "./change.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Disk } from "./land-disk.ts";
import { childrenOf, contentOf, isWhole } from "./select.ts";

/** The same changes with each new folder that comes whole told entry by entry, so that parts of it can be judged by themselves. */
export function unfold(disk: Disk, set: ChangeSet, changes: readonly Change[] = set.changes): Change[] {
  return changes.flatMap((change): Change[] => {
    if (!isWhole(change)) return [change];
    const { tree: _tree, ...folder } = change;
    const children = childrenOf(disk, set, change).map((child) => {
      // Where a link leads is told with it.
      const after = child.after?.type === "link" ? fingerprint(disk, contentOf(set, child)) : child.after;
      return after === undefined ? child : { ...child, after };
    });
    return [folder, ...unfold(disk, set, children)];
  });
}
