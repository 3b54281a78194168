import { join } from "node:path";
import type { ChangeSummary } from "../events/effect.ts";
import type { Root } from "../events/event.ts";
import { isBelow } from "../workspace/roots.ts";

/**
 * Paths that a change set touches, absolute, and alike in every letter case, since some file systems make no difference. A new folder that
 * only holds what is named as well is none: two new files in it have nothing to do with each other.
 */
export function placesOf({ entries }: ChangeSummary, roots: readonly Root[]): string[] {
  return entries
    .filter((e) => e.type !== "folder" || e.op !== "create")
    .map((e) =>
      join(roots[e.root]?.path ?? "/", e.path)
        .normalize("NFC")
        .toLowerCase(),
    );
}

/** None is one of the others, lies in one of them, or holds one. */
export function isApart(places: readonly string[], others: Iterable<string>): boolean {
  return [...others].every((other) => places.every((place) => !isBelow(place, other) && !isBelow(other, place)));
}
