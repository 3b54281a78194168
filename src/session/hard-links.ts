import { type BigIntStats, lstatSync } from "node:fs";
import type { Rule } from "../events/effect.ts";
import { deniedNames } from "../permissions/rule-match.ts";

/**
 * Whether a path is another name of a file that a `Read(…)` deny names (P6): a hard link has no target that could be compared. Files alone
 * that have several names are looked up; undefined where no deny names one.
 */
export function deniedByLink(
  rules: readonly Rule[],
  roots: readonly string[],
): ((absolutePath: string) => boolean) | undefined {
  const named = deniedNames(rules).flatMap((name) =>
    name.startsWith("/") ? [name] : roots.map((r) => `${r}/${name}`),
  );
  if (named.length === 0) return undefined;
  let ids: ReadonlySet<string> | undefined;
  return (path) => {
    const stat = severalNames(path);
    if (stat === undefined) return false;
    ids ??= new Set(named.flatMap((name) => severalNames(name) ?? []).map(idOf));
    return ids.has(idOf(stat));
  };
}

function severalNames(path: string): BigIntStats | undefined {
  try {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stat?.isFile() === true && stat.nlink > 1n ? stat : undefined;
  } catch {
    return undefined;
  }
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
