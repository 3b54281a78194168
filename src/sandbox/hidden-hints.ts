import type { Root } from "../events/event.ts";
import { namesOf } from "./hidden-lost.ts";
import type { HiddenPath } from "./hidden-walk.ts";

/** What programs say of a covered file or folder, and of one that is missing in a folder that looks empty. */
const MET =
  /Permission denied|EACCES|Errno 13|Device or resource busy|EBUSY|Read-only file system|EROFS|can only add regular files|No such file|ENOENT|Operation not permitted|not a regular file|cannot (open|read)/i;

/** A note where a command met what a deny rule keeps from it. */
export function hiddenHints(output: string, roots: readonly Root[], hidden: readonly HiddenPath[]): string[] {
  if (hidden.length === 0 || !MET.test(output)) return [];
  const met = hidden.map(({ path }) => path).filter((path) => output.includes(path.slice(path.lastIndexOf("/") + 1)));
  if (met.length === 0) return [];
  return [
    `a deny rule for Read keeps this from commands, whatever they try: ${namesOf(roots, met)}; work without it (with git, name the files: git add a.txt b.txt)`,
  ];
}

/** What is said instead of proposing a change set that would land stand-ins. */
export function lostHint(roots: readonly Root[], lost: readonly string[]): string {
  return `nothing of what it changed is kept: it moved, deleted or staged what is kept from commands (${namesOf(roots, lost)}); leave that out and run it again`;
}
