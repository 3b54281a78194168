import type { Root } from "../events/event.ts";
import { toRaw } from "../util/bytes.ts";
import type { Clock } from "../util/deps.ts";
import { folderHash, openJournal } from "./journal.ts";
import { journalSteps } from "./journal-steps.ts";
import { stateDisk, systemDisk } from "./land-disk.ts";
import { UNDO_KEEP } from "./prune.ts";
import type { JournalStep } from "./workspace.ts";

/**
 * The steps that touched these roots, oldest first, without opening the door: nothing is made, completed or rolled back. undefined: there
 * is no journal of the first root.
 * @throws Error naming a journal file that can't be read.
 */
export function savedSteps(foldersDir: string, roots: readonly Root[], clock: Clock): JournalStep[] | undefined {
  const home = roots[0]?.path;
  if (home === undefined) return undefined;
  const state = stateDisk(systemDisk, toRaw(foldersDir));
  const known = roots.filter((r) => state.lstat(`${toRaw(foldersDir)}/${folderHash(r.path)}/journal`) !== undefined);
  if (known.length < roots.length) return undefined;
  const journal = openJournal(state, foldersDir, home);
  return journalSteps({
    disk: systemDisk,
    state,
    roots,
    foldersDir,
    sessionId: "",
    clock,
    pid: process.pid,
    uid: 0,
    home,
    journal,
    recover: "forward",
    keep: UNDO_KEEP,
  });
}
