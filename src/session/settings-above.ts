import { existsSync } from "node:fs";
import { dirname, relative } from "node:path";
import { elsewhereFiles } from "./settings-elsewhere.ts";
import { projectSettingsFile } from "./rules-files.ts";

/**
 * Settings files between a folder and the top of the repository that it is a part of. Only those of the folder itself are read, so a
 * package of a monorepo doesn't have what its top denies: whoever starts there is told. Both paths real; `home`'s own are the person's.
 */
export function settingsAbove(folder: string, top: string, home: string): string[] {
  const files: string[] = [];
  if (relative(top, folder).startsWith("..")) return files;
  for (let at = folder; at !== top && dirname(at) !== at;) {
    at = dirname(at);
    const project = elsewhereFiles(at, home).filter((e) => e.source === "project");
    if (at !== home) files.push(projectSettingsFile(at), ...project.map((e) => e.file));
  }
  return files.filter((file) => existsSync(file));
}

/** What is said of them; undefined: there are none. */
export function aboveWords(files: readonly string[]): string | undefined {
  if (files.length === 0) return undefined;
  return `Not read, since they belong to a folder above this one: ${files.join(", ")}. What they deny is not denied here; start there, or put it into this folder's .agent/settings.json.`;
}
