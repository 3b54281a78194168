import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock } from "../util/deps.ts";
import { holderWords, lockText } from "./lock-words.ts";
import { errno, inWords, LogError } from "./log-error.ts";
import { privateFolder } from "./private.ts";

/** Who holds a lock. Empty fields: this system doesn't say. */
export interface Holder {
  pid: number;
  /** Start time of the process in ticks since boot, so that a number used again is another process. */
  start: string;
  /** First digits of the boot id. */
  boot: string;
  /** Number of the pid namespace (a container has its own). */
  space: string;
  host: string;
}
export interface Lock {
  release(): void;
}

const TRIES = 5;

/**
 * Takes the lock of a session: a folder in which each process that wants it first creates a file named by itself (exclusively), then
 * looks for others. At least one of two sees the other, and whoever does steps back; so there is no moment at which a stale lock could be
 * taken over twice. Files of dead processes are removed. Throws a LogError "locked" that names the process that holds it (E4).
 */
export async function takeLock(folder: string, what: string, clock: Clock, me: Holder = thisProcess()): Promise<Lock> {
  const mine = nameOf(me);
  let other: Holder | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (!raise(folder, mine, clock.now())) throw held(folder, what, me);
    other = othersIn(folder, mine).find((h) => !isDead(h, me, folder));
    if (other === undefined) return { release: () => lower(folder, mine) };
    lower(folder, mine);
    // Two that met step back for different times.
    if (attempt < TRIES - 1) await clock.sleep(5 + (me.pid % 23) + attempt * (me.pid % 7));
  }
  throw held(folder, what, other ?? me, me);
}

/** Who holds a lock, in words, without trying to take it; undefined: nobody. It may be another one's a moment later. */
export function lockedBy(folder: string, what: string, me: Holder = thisProcess()): string | undefined {
  const other = othersIn(folder, nameOf(me)).find((holder) => !isDead(holder, me, folder));
  return other === undefined ? undefined : held(folder, what, other, me).message;
}

/** False when this very process holds it already. */
function raise(folder: string, name: string, now: number): boolean {
  for (;;) {
    privateFolder(folder);
    try {
      const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
      say(openSync(join(folder, name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600), now);
      return true;
    } catch (error) {
      if (errno(error) === "EEXIST") return false;
      // Whoever released it just now removed the folder.
      if (errno(error) === "ENOENT") continue;
      throw new LogError("write", folder, `Can't lock ${folder}: ${inWords(error)}.`, error);
    }
  }
}

/** Since when and where, for those who meet the lock; it holds without. */
function say(fd: number, now: number): void {
  try {
    writeSync(fd, lockText(now));
  } catch {
    // A disk that is full for this may have room for what comes, or says so then.
  } finally {
    closeSync(fd);
  }
}

function lower(folder: string, name: string): void {
  try {
    unlinkSync(join(folder, name));
    rmdirSync(folder);
  } catch {
    // Someone else waits in it, or it is gone.
  }
}

function othersIn(folder: string, mine: string): Holder[] {
  try {
    return readdirSync(folder)
      .filter((name) => name !== mine)
      .flatMap((name) => holderOf(name) ?? []);
  } catch {
    return [];
  }
}

/** Dead for certain; its file is then removed. What can't be told counts as alive. */
function isDead(holder: Holder, me: Holder, folder: string): boolean {
  const sameBoot = holder.boot === me.boot;
  const dead = sameBoot ? holder.space === me.space && !isRunning(holder) : holder.host === me.host;
  if (dead) {
    try {
      unlinkSync(join(folder, nameOf(holder)));
    } catch {
      // Another process removed it first.
    }
  }
  return dead;
}

function isRunning(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return errno(error) === "EPERM";
  }
  const start = startOf(holder.pid);
  return start === "" || holder.start === "" || start === holder.start;
}

function held(folder: string, what: string, holder: Holder, me: Holder = holder): LogError {
  const elsewhere = holder.boot !== me.boot || holder.space !== me.space;
  const where = elsewhere ? ` on ${holder.host} (another machine or container)` : "";
  const then = elsewhere
    ? `End it there; if it is gone for certain, remove ${join(folder, nameOf(holder))}`
    : "End it there, or start a new session.";
  const since = holderWords(join(folder, nameOf(holder)));
  return new LogError("locked", folder, `${what} is open in process ${holder.pid}${where}${since}. ${then}`);
}

function nameOf(h: Holder): string {
  return [h.pid, h.start, h.boot, h.space, h.host.replace(/[^A-Za-z0-9-]/g, "-").slice(0, 60)].join(".");
}
function holderOf(name: string): Holder | undefined {
  const [pid, start, boot, space, host] = name.split(".");
  if (pid === undefined || start === undefined || boot === undefined || space === undefined || host === undefined)
    return undefined;
  return /^\d+$/.test(pid) ? { pid: Number(pid), start, boot, space, host } : undefined;
}

/** This process, as others tell it. */
export function thisProcess(): Holder {
  return {
    pid: process.pid,
    start: startOf(process.pid),
    boot: orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8)),
    space: orEmpty(() => readlinkSync("/proc/self/ns/pid").replace(/\D/g, "")),
    host: hostname()
      .replace(/[^A-Za-z0-9-]/g, "-")
      .slice(0, 60),
  };
}

/** Field 22 of /proc/<pid>/stat; the name before it is in brackets and may hold anything. */
function startOf(pid: number): string {
  return orEmpty(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
