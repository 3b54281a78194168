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
    return [
      { kind: access, at: path, from: path },
      ...(isBelow(path, options.personHome) ? secretsCovered(options.personHome) : []),
      ...own.filter((dir) => isBelow(path, dir)).map((at): Placed => ({ kind: "empty", at, sizeMb: 1 })),
    ];
  });
}
