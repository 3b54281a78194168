import type { ChangeSet } from "../workspace/change.ts";
import { showPath } from "../util/bytes.ts";
import { quoted } from "../util/quoted.ts";

const NAMED = 3;

/**
 * A note where a command gave a second name to a file that was there and stays: it lands as a file of its own. Links among new files are
 * kept. What lies in whole folders is not looked at.
 */
export function linkHints(set: ChangeSet): string[] {
  const names = new Map<string, { links: number; paths: string[] }>();
  for (const { root, path, after, tree } of set.changes) {
    if (tree !== undefined && after !== undefined) return [];
    if (after?.type !== "file" || after.nlink < 2) continue;
    const key = `${root} ${after.ino}`;
    const found = names.get(key) ?? { links: after.nlink, paths: [] };
    names.set(key, { ...found, paths: [...found.paths, path] });
  }
  const parted = [...names.values()].filter(({ links, paths }) => links > paths.length).flatMap(({ paths }) => paths);
  if (parted.length === 0) return [];
  const more = parted.length > NAMED ? ` and ${parted.length - NAMED} more` : "";
  const shown = parted
    .slice(0, NAMED)
    .map((path) => quoted(showPath(path)))
    .join(", ");
  return [`a hard link to a file that was there already lands as a file of its own: ${shown}${more}`];
}
