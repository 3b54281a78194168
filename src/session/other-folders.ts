import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { errno } from "../events/log-error.ts";
import type { Root } from "../events/event.ts";
import { MEMORY_FILES } from "../memory/names.ts";
import { readTrust } from "./trust-store.ts";

export interface OtherFolders {
  /** Folders whose instructions count beside the project's. */
  folders: readonly { folder: string; scope: "parent" | "added" }[];
  /** Folders that work along and bring instructions which are not read, one line each. */
  problems: readonly string[];
}

/**
 * Whose instructions are read beside those of the project and its repository (C2): folders above the repository, below the home, and folders
 * that were added, each where the person trusts it by itself. All paths are real.
 */
export function otherFolders(at: { config: string; home: string; top: string; roots: readonly Root[] }): OtherFolders {
  const above: OtherFolders["folders"][number][] = [];
  for (let folder = dirname(at.top); folder !== at.home && folder !== dirname(folder); folder = dirname(folder))
    if (isTrusted(at.config, folder)) above.unshift({ folder, scope: "parent" });
  const added = at.roots.filter((root) => root.kind === "added").map(({ path }) => path);
  const used = added.filter((folder) => isTrusted(at.config, folder));
  const left = added.filter((folder) => !used.includes(folder) && brings(folder));
  return {
    folders: [...above, ...used.map((folder) => ({ folder, scope: "added" as const }))],
    problems: left.map(
      (folder) => `${folder}: its instructions are not read, since that folder is not trusted by itself`,
    ),
  };
}

/** What was said while another user owned it counts no more. */
function isTrusted(config: string, folder: string): boolean {
  const kept = readTrust(config, folder);
  return kept?.trusted === true && kept.owner === lstatSync(folder, { throwIfNoEntry: false })?.uid;
}

function brings(folder: string): boolean {
  return MEMORY_FILES.some((name) => {
    try {
      return lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      if (errno(error) === undefined) throw error;
      return false;
    }
  });
}
