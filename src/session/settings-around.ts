import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Rule } from "../events/effect.ts";
import { fromFolder } from "../permissions/rule-roots.ts";
import { isBelow } from "../workspace/roots.ts";
import { type Elsewhere, elsewhereFiles, readElsewhere } from "./settings-elsewhere.ts";
import { type ReadSettings, readSettings } from "./settings-file.ts";
import { projectSettingsFile } from "./rules-files.ts";

/**
 * The folders from the start's up to the top of its work tree, and so those of every added folder: what a repository denies holds in
 * a package of it as well. The home's own files are the person's. Real paths, each once; `folder` itself only where an added one holds
 * it, since paths are named from there then.
 */
export function foldersAround(folder: string, addDirs: readonly string[], home: string): string[] {
  const added = addDirs.flatMap(realOf).flatMap((dir) => [dir, ...foldersAbove(dir)]);
  const all = new Set([...foldersAbove(folder), ...added.filter((at) => at !== folder)]);
  if (added.some((at) => at !== folder && isBelow(at, folder))) all.add(folder);
  return [...all].filter((at) => at !== home);
}

/** Nearest first; none where there is no work tree. */
function foldersAbove(folder: string): string[] {
  const above: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) above.push(at);
    if (existsSync(join(at, ".git"))) return above;
    if (dirname(at) === at) return [];
  }
}

/** One that isn't there is told when the roots are opened. */
function realOf(dir: string): string[] {
  try {
    return [realpathSync(dir)];
  } catch {
    return [];
  }
}

/** Their project files, and those of `.claude/`, every rule with the folder whose paths it means. `tried` keeps what can't be read. */
export function readAround(
  folders: readonly string[],
  home: string,
  tried: <T>(read: () => T) => T | undefined,
): { projects: ReadSettings[]; elsewhere: Elsewhere[] } {
  const projects = folders.flatMap((folder) => {
    const read = tried(() => readSettings(projectSettingsFile(folder), "project", { home, own: false }));
    return read === undefined ? [] : [meant(read, folder)];
  });
  const elsewhere = folders.flatMap((folder) =>
    elsewhereFiles(folder, home).flatMap(({ file, source }) => {
      const read = source === "project" ? readElsewhere(file, source, { folder, home }) : undefined;
      return read === undefined ? [] : [meant(read, folder)];
    }),
  );
  return { projects, elsewhere };
}

type WithRules = Pick<ReadSettings, "rules" | "places">;

function meant<T extends WithRules>(read: T, folder: string): T {
  const placed = read.rules.map((rule) => ({ rule: fromFolder(rule, folder), place: read.places.get(rule) }));
  const places = placed.flatMap(({ rule, place }) => (place === undefined ? [] : [[rule, place] as const]));
  return { ...read, rules: placed.map(({ rule }): Rule => rule), places: new Map(places) };
}
