import { findProgram, runProcess } from "../util/process.ts";
import type { MakeWhiteout } from "../workspace/squash.ts";
import { LAUNCH_PATH } from "./programs.ts";

/** Maker of overlay's mark of a deletion, a device 0/0, which any user may make since Linux 5.8. Undefined where there is no `mknod`. */
export function whiteoutMaker(roots: readonly string[]): MakeWhiteout | undefined {
  const mknod = findProgram("mknod", LAUNCH_PATH, roots);
  if (mknod === undefined) return undefined;
  return (at) => makeWhiteout(mknod, at);
}

/** The mark itself, by a program. Throws where the file system takes none. `at`: absolute, and text, as programs' arguments are. */
export async function makeWhiteout(mknod: string, at: string): Promise<void> {
  const { code } = await runProcess(mknod, [at, "c", "0", "0"], { cwd: "/", env: {} });
  if (code !== 0) throw new Error("this file system takes no whiteouts");
}
