import { findProgram } from "../util/process.ts";

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";
const NAMES = ["bash", "unshare", "mount", "bwrap", "tar", "perl", "mkfifo", "mknod", "nsenter"] as const;
type Name = (typeof NAMES)[number];

/** Absolute paths of what the backends are made of; a missing one is absent. */
export type Programs = Partial<Record<Name, string>>;

/** The search path of the launcher itself, never the person's: a planted program would run outside the walls. */
export const LAUNCH_PATH = SYSTEM_PATH;

/** Looks in the system's folders, then along the person's path but for what lies below the roots. `without`: taken as missing. */
export function findPrograms(path: string, roots: readonly string[], without: readonly string[] = []): Programs {
  const found: Programs = {};
  for (const name of NAMES.filter((each) => !without.includes(each))) {
    const file = findProgram(name, `${SYSTEM_PATH}:${path}`, roots);
    if (file !== undefined) found[name] = file;
  }
  return found;
}

/** The first of `names` that is not there. */
export function lacking(programs: Programs, names: readonly Name[]): string | undefined {
  return names.find((name) => programs[name] === undefined);
}
