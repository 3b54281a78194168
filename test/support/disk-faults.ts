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

export class Dead extends Error {}

/**
 * A disk whose process dies at the n-th writing call after `arm()`: that call and all later ones throw, so that nothing
 * that a `finally` does reaches the disk, as after SIGKILL. `calls()`: writing calls since then.
 */
export function mortal(disk: Disk, at: number): { disk: Disk; arm(): void; calls(): number } {
  let [armed, count] = [false, 0];
  const writes: readonly string[] = WRITES;
  return {
    disk: watched(disk, (name) => {
      if (!armed || !writes.includes(name)) return;
      if (++count >= at) throw new Dead(`dead at call ${at}`);
    }),
    arm: () => (armed = true),
    calls: () => count,
  };
}

/** A disk whose n-th call (of any kind) after `arm()` fails once with EIO. */
export function failing(disk: Disk, at: number): { disk: Disk; arm(): void; calls(): number } {
  let [armed, count] = [false, 0];
  return {
    disk: watched(disk, (name) => {
      if (!armed || ++count !== at) return;
      throw Object.assign(new Error(`EIO: i/o error, ${name}`), { code: "EIO" });
    }),
    arm: () => (armed = true),
    calls: () => count,
  };
}
