import { realpathSync } from "node:fs";
import { isBelow } from "../workspace/roots.ts";
import { secretsCovered } from "./home.ts";
import type { Placed } from "./plan.ts";
import type { OutsidePath, SandboxOptions } from "./sandbox.ts";
import { SandboxError } from "./sandbox-error.ts";

/**
 * Files and folders of the machine that a command was granted, at their own paths, the wider before the deeper. What is of the program's
 * own and the person's secrets are covered in them, but for what was named itself. Throws `SandboxError` for the program's own folders.
 */
export function outsidePlaced(options: SandboxOptions, outside: readonly OutsidePath[]): Placed[] {
  const own = [options.stateDir, options.configDir].flatMap((path) => path ?? []);
  const sorted = outside.toSorted((a, b) => a.path.length - b.path.length);
  return sorted.flatMap(({ path, access }): Placed[] => {
    if (own.some((dir) => isBelow(dir, path))) throw new SandboxError(`${path} belongs to this program`);
    for (const root of options.roots) if (isBelow(path, root.path) && root.path !== path) unmoved(root.path);
    return [
      { kind: access, at: path, from: path },
      ...secretsCovered(options.personHome, (at) => at !== path && isBelow(path, at)),
      ...own.filter((dir) => isBelow(path, dir)).map((at): Placed => ({ kind: "empty", at, sizeMb: 1 })),
    ];
  });
}

/** A root is mounted in what a command was granted around it: a link that came on the way there would be followed. */
function unmoved(root: string): void {
  let real: string | undefined;
  try {
    real = realpathSync(root);
  } catch {
    // It is gone.
  }
  if (real !== root) throw new SandboxError(`${root} was moved or replaced by a link, so it can't be shown`);
}
