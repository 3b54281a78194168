import type { ChangeEntry, ChangeSummary } from "../events/effect.ts";
import type { LeftOut } from "../permissions/asker.ts";

/** What of a judged change set landed: without what the person left out; lines of a file that landed in part are not told. */
export function landedPart(summary: ChangeSummary, left: readonly LeftOut[]): ChangeSummary {
  if (left.length === 0) return summary;
  const entries = summary.entries.flatMap((entry): ChangeEntry[] => {
    const out = left.find((l) => l.root === entry.root && l.path === entry.path);
    if (out === undefined) return [entry];
    if (out.hunks === undefined) return [];
    const { added: _added, removed: _removed, ...rest } = entry;
    return [rest];
  });
  const gone = summary.entries.filter((entry) => !entries.some((e) => e.root === entry.root && e.path === entry.path));
  const files = summary.files - gone.reduce((sum, entry) => sum + (entry.files ?? 1), 0);
  return { ...summary, entries, files: Math.max(0, files) };
}
