import type { Disk } from "../../src/workspace/land-disk.ts";

/** Calls that change something; the others look. */
export const WRITES = [
  "rename",
  "link",
  "unlink",
  "mkdir",
  "rmdir",
  "chmod",
  "chown",
  "utimes",
  "symlink",
  "pipe",
  "copy",
  "write",
  "sync",
] as const;

/** Runs `before` ahead of every call, with its name and place; syncs are only counted, since no test cuts the power. */
export function watched(disk: Disk, before: (name: keyof Disk, n: number) => void): Disk {
  let n = 0;
  return new Proxy(disk, {
    get: (target, name: keyof Disk) => {
      const call = target[name].bind(target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        before(name, ++n);
        return name === "sync" ? undefined : call(...args);
      };
    },
  });
}

/** A disk that goes wrong between `arm()` and `free()`; `calls()`: those that counted since. */
export interface Faulty {
  disk: Disk;
  arm(): void;
  free(): void;
  calls(): number;
}

export class Dead extends Error {}

/**
 * A disk whose process dies at the n-th writing call after `arm()`: that call and all later ones throw, so that nothing
 * that a `finally` does reaches the disk, as after SIGKILL. `calls()`: writing calls since then.
 */
export function mortal(disk: Disk, at: number): Faulty {
  let [armed, count] = [false, 0];
  const writes: readonly string[] = WRITES;
  return {
    disk: watched(disk, (name) => {
      if (!armed || !writes.includes(name)) return;
      if (++count >= at) throw new Dead(`dead at call ${at}`);
    }),
    arm: () => (armed = true),
    free: () => (armed = false),
    calls: () => count,
  };
}

/** A disk whose n-th call (of any kind) after `arm()` fails once with EIO. */
export function failing(disk: Disk, at: number): Faulty {
  let [armed, count] = [false, 0];
  return {
    disk: watched(disk, (name) => {
      if (!armed || ++count !== at) return;
      throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: "EIO" });
    }),
    arm: () => (armed = true),
    free: () => (armed = false),
    calls: () => count,
  };
}

/** Calls that take room on a disk. */
const FILLING: readonly string[] = ["write", "copy", "mkdir", "symlink", "pipe", "link"];

/** A disk that is full from its n-th filling call after `arm()` on, until `free()`. `calls()`: filling calls since then. */
export function filling(disk: Disk, at: number): Faulty {
  let [armed, count] = [false, 0];
  return {
    disk: watched(disk, (name) => {
      if (!armed || !FILLING.includes(name) || ++count < at) return;
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: "ENOSPC" });
    }),
    arm: () => (armed = true),
    free: () => (armed = false),
    calls: () => count,
  };
}
