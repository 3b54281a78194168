import { findProgram, runProcess } from "../util/process.ts";
import { LAUNCH_PATH } from "./programs.ts";

/**
 * Makes the whole file system of a folder durable at once: for many files a thousand times faster than one by one. Undefined where
 * there is no `sync`. The result throws when even a sync of all file systems fails.
 */
export function fileSystemSync(roots: readonly string[]): ((folder: string) => Promise<void>) | undefined {
  const sync = findProgram("sync", LAUNCH_PATH, roots);
  if (sync === undefined) return undefined;
  return async (folder) => {
    for (const args of [["-f", folder], []]) {
      const { code } = await runProcess(sync, args, { cwd: "/", env: {} });
      if (code === 0) return;
    }
    throw new Error(`${sync} failed: the disk under ${folder} can't be made durable`);
  };
}
