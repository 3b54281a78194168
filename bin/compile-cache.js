// Compiled code is kept in a folder of the person's own: in a shared temporary folder somebody else could plant it.
import { existsSync, mkdirSync, statSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The screen is up by then. */
const FLUSH_MS = 3000;

/** Speeds up the next start; a folder that can't be made or belongs to somebody else is no reason to stop. */
export function useCompileCache() {
  try {
    const { XDG_CACHE_HOME: cache } = process.env;
    const base = cache !== undefined && isAbsolute(cache) ? cache : join(homedir(), ".cache");
    const dir = join(base, "understudy", "compiled");
    // One by one: with `recursive` Node never ends below /proc.
    for (const part of [base, join(base, "understudy"), dir]) {
      if (!existsSync(part)) mkdirSync(part, { mode: 0o700 });
    }
    const { uid, mode } = statSync(dir);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return;
    module.enableCompileCache?.(dir);
    // Node itself keeps it only at a clean end, which a closed terminal is not.
    setTimeout(() => module.flushCompileCache?.(), FLUSH_MS).unref();
  } catch {
    // Slower, that is all.
  }
}
