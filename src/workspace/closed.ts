import type { RawPath } from "../util/bytes.ts";
import type { ChangeSet } from "./change.ts";
import { codeOf } from "./land-disk.ts";
import { parentsOf } from "./parents.ts";

/** Why a folder that its own user may not look into stands in the way; it is never opened unasked. */
const CLOSED = "you may not look into its folder, or into it: `chmod u+rwx` comes first";

/** That reason, where an error says it; undefined for every other error. */
export function closedBy(error: unknown): string | undefined {
  return codeOf(error) === "EACCES" ? CLOSED : undefined;
}

/** Finds for a path of a set the folder above it that the set itself closes to this user. Root may look everywhere. */
export function closing(set: ChangeSet, uid: number | undefined): (root: number, path: RawPath) => RawPath | undefined {
  const closed = set.changes.filter(
    ({ after }) => uid !== undefined && uid !== 0 && after?.type === "folder" && (after.mode & 0o500) !== 0o500,
  );
  const keys = new Set(closed.map((change) => `${change.root}/${change.path}`));
  return (root, path) =>
    keys.size === 0 ? undefined : ["", ...parentsOf(path)].find((p) => p !== path && keys.has(`${root}/${p}`));
}
