import { z } from "zod";
import type { Clock, MakeId } from "../util/deps.ts";
import type { RawPath } from "../util/bytes.ts";
import { codeOf, type Disk } from "./land-disk.ts";

/** Who holds a lock. `start` and `boot` tell a process from a later one with the same pid. */
const Holder = z.object({ id: z.string(), pid: z.number(), start: z.string(), boot: z.string(), host: z.string() });
export type Holder = z.infer<typeof Holder>;

export interface LockDeps {
  disk: Disk;
  clock: Clock;
  makeId: MakeId;
  /** This process. */
  pid: number;
  host: string;
  /** Milliseconds that a lock of a living process is waited for. */
  waitMs: number;
}

function readText(disk: Disk, path: string): string | undefined {
  try {
    return disk.read(path).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Start time of a process in ticks since boot, "" where the machine doesn't tell. */
function startOf(disk: Disk, pid: number): string {
  const stat = readText(disk, `/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

function bootOf(disk: Disk): string {
  return readText(disk, "/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

function isAlive(deps: LockDeps, holder: Holder): boolean {
  // Another machine's process can't be asked for: it counts as living.
  if (holder.host !== deps.host) return true;
  if (holder.boot !== bootOf(deps.disk)) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
  }
  return holder.start === startOf(deps.disk, holder.pid);
}

/** A lock is put there whole, so that one that can't be read was left by a machine that lost power. */
function readHolder(deps: LockDeps, path: RawPath): Holder | undefined {
  const text = readText(deps.disk, path);
  if (text === undefined) return undefined;
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return { id: "unreadable", pid: 0, start: "", boot: "lost", host: deps.host };
  }
}

/** Puts the lock file there, whole, unless it is there already. */
function tryTake(deps: LockDeps, path: RawPath): boolean {
  const { disk, pid, host } = deps;
  const holder: Holder = { id: deps.makeId("lock"), pid, start: startOf(disk, pid), boot: bootOf(disk), host };
  const beside = `${path}.${holder.id}`;
  try {
    disk.write(beside, Buffer.from(JSON.stringify(holder)), 0o600);
    disk.link(beside, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    drop(disk, beside);
  }
}

/** A lock that can't be removed would shut out everybody: a second try, then it is left to whoever finds this process dead. */
function drop(disk: Disk, path: RawPath): void {
  for (let tries = 0; tries < 2; tries++) {
    try {
      return disk.unlink(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return;
    }
  }
}

/**
 * Takes a dead process's lock away. Of several that want to, one: the right to it is a lock of its own, whose name holds the
 * dead lock's id, so that a slow one can't take away what a quick one has taken since.
 */
async function bury(deps: LockDeps, path: RawPath, dead: Holder): Promise<void> {
  const release = await takeLock(deps, `${path}-${dead.id}`);
  try {
    if (readHolder(deps, path)?.id === dead.id) deps.disk.unlink(path);
  } finally {
    release();
  }
}

/**
 * Takes a lock and gives the function that lets it go. One that a living process holds is waited for, then an error names
 * that process; a dead one's is taken over.
 */
export async function takeLock(deps: LockDeps, path: RawPath): Promise<() => void> {
  const until = deps.clock.now() + deps.waitMs;
  while (!tryTake(deps, path)) {
    const holder = readHolder(deps, path);
    if (holder === undefined) continue;
    if (!isAlive(deps, holder)) {
      await bury(deps, path, holder);
      continue;
    }
    if (deps.clock.now() >= until) throw new LockHeld(holder);
    await deps.clock.sleep(10);
  }
  return () => drop(deps.disk, path);
}

/** Another process is landing in this folder right now. */
export class LockHeld extends Error {
  override name = "LockHeld";
  readonly pid: number;
  constructor(holder: Holder) {
    super(`process ${holder.pid} on ${holder.host} is writing to this folder; try again when it is done, or end it`);
    this.pid = holder.pid;
  }
}
