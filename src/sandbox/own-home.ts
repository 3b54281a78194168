import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { CopyParts } from "./copy.ts";
import { HomeMounts } from "./home-mounts.ts";
import { removeTree } from "./remove.ts";
import { runRetried } from "./retry.ts";
import type { ShellCommand, ShellExit } from "./sandbox.ts";

/** An empty folder in the place of the session's `homeDir`, for the time of `run`: HOME and the layers of caches lie below it. */
export async function* withOwnHome<T>(
  homeDir: string,
  run: (own: string) => AsyncGenerator<T, ShellExit>,
): AsyncGenerator<T, ShellExit> {
  const own = mkdtempSync(join(homeDir, "own-"));
  try {
    return yield* run(own);
  } finally {
    await removeTree(own);
  }
}

/** Runs a command that nothing reaches which the session's commands left: no HOME, no cache, no clone, no network of theirs (`ownHome`). */
export function runApart(
  parts: Omit<CopyParts, "joined">,
  command: ShellCommand,
  signal: AbortSignal,
): AsyncGenerator<{ text: string }, ShellExit> {
  const { base } = parts;
  return withOwnHome(base.options.homeDir, (homeDir) => {
    const options = { ...base.options, homeDir };
    const own = { ...parts, keepClones: false, base: { ...base, options, home: new HomeMounts(options) } };
    return runRetried(own, command, signal);
  });
}
