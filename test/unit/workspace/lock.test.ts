import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../../src/util/deps.ts";
import { type Disk, systemDisk } from "../../../src/workspace/land-disk.ts";
import { type Holder, type LockDeps, LockHeld, takeLock } from "../../../src/workspace/lock.ts";
import { scratch } from "../../support/scratch.ts";

/** A clock that only sleeping moves. */
function sleepClock(onSleep: (ms: number) => void = () => undefined): Clock & { slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => slept.reduce((sum, ms) => sum + ms, 0),
    sleep: async (ms) => {
      slept.push(ms);
      onSleep(ms);
    },
  };
}

const proc = process.platform === "linux";
const start = (pid: number): string =>
  proc ? (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19] ?? "") : "";
const boot = proc ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() : "";
const living: Holder = { id: "lock_live", pid: process.pid, start: start(process.pid), boot, host: "here" };
const gone = Number(spawnSync("/bin/sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout);

function deps(more: Partial<LockDeps> = {}): LockDeps {
  let n = 0;
  const makeId = (kind: string): string => `${kind}_${++n}`;
  return { disk: systemDisk, clock: sleepClock(), makeId, pid: process.pid, host: "here", waitMs: 25, ...more };
}

function lockAt(holder?: Holder | string): { dir: string; path: string } {
  const dir = scratch();
  const path = join(dir, "lock");
  if (holder !== undefined) writeFileSync(path, typeof holder === "string" ? holder : JSON.stringify(holder));
  return { dir, path };
}

const eio = (): never => {
  throw Object.assign(new Error("EIO"), { code: "EIO" });
};

describe("takeLock", () => {
  it("E4: writes who holds it, for its owner's eyes, and leaves nothing behind", async () => {
    const { dir, path } = lockAt();
    const release = await takeLock(deps(), path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ ...living, id: "lock_1" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(["lock"]);
    release();
    expect(readdirSync(dir)).toEqual([]);
    release();
  });
  it("E4: a living process is waited for as long as was said, then named", async () => {
    const { dir, path } = lockAt(living);
    const clock = sleepClock();
    const error = await takeLock(deps({ clock }), path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LockHeld);
    expect(error).toMatchObject({
      pid: process.pid,
      message: `process ${process.pid} on here is writing to this folder; try again when it is done, or end it`,
    });
    expect(clock.slept).toEqual([10, 10, 10]);
    expect(readdirSync(dir)).toEqual(["lock"]);
    const none = sleepClock();
    await expect(takeLock(deps({ clock: none, waitMs: 0 }), path)).rejects.toBeInstanceOf(LockHeld);
    expect(none.slept).toEqual([]);
  });
  it("E4: one that is let go meanwhile is had", async () => {
    const { path } = lockAt(living);
    const clock = sleepClock(() => rmSync(path, { force: true }));
    const release = await takeLock(deps({ clock }), path);
    expect(clock.slept).toEqual([10]);
    release();
  });
  it.each<[string, Holder | string, boolean]>([
    ["of a process that has ended", { ...living, pid: gone }, true],
    ["of an earlier process of this pid", { ...living, start: "1" }, true],
    ["of before the machine was started", { ...living, boot: "1" }, true],
    ["that power loss left empty", "", true],
    ["that power loss left cut", JSON.stringify(living).slice(0, 30), true],
    ["without all its parts", JSON.stringify({ ...living, host: undefined }), true],
    ["of a living process", living, false],
    ["of another machine, whose processes can't be asked for", { ...living, pid: gone, host: "there" }, false],
    ["of another machine, with another boot", { ...living, boot: "2", host: "there" }, false],
  ])("E4: a lock %s is taken over: %s", async (_name, holder, taken) => {
    const { dir, path } = lockAt(holder);
    const found = await takeLock(deps(), path).then(
      (release) => {
        expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid, host: "here" });
        expect(readdirSync(dir)).toEqual(["lock"]);
        release();
        return true;
      },
      (error: unknown) => (error instanceof LockHeld ? false : Promise.reject(error)),
    );
    expect(found).toBe(taken);
  });
  it("E4: where the machine doesn't tell of processes, one that is there counts as living", async () => {
    const disk: Disk = { ...systemDisk, read: (path) => (path.startsWith("/proc") ? eio() : systemDisk.read(path)) };
    const { path } = lockAt({ ...living, start: "", boot: "" });
    await expect(takeLock(deps({ disk }), path)).rejects.toBeInstanceOf(LockHeld);
    rmSync(path);
    const release = await takeLock(deps({ disk }), path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ start: "", boot: "" });
    release();
  });
  it("E4: of two that bury a dead lock, the slow one doesn't take away what the quick one has taken since", async () => {
    const { dir, path } = lockAt({ ...living, id: "lock_dead", pid: gone });
    const graves: string[] = [];
    const disk: Disk = {
      ...systemDisk,
      link: (from, to) => {
        if (to !== path) {
          graves.push(to);
          writeFileSync(path, JSON.stringify(living));
        }
        systemDisk.link(from, to);
      },
    };
    await expect(takeLock(deps({ disk }), path)).rejects.toBeInstanceOf(LockHeld);
    expect(graves).toEqual([`${path}-lock_dead`]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(living);
    expect(readdirSync(dir)).toEqual(["lock"]);
  });
  it("E4: one that is let go between the try and the look is tried again", async () => {
    const { path } = lockAt(living);
    const disk: Disk = {
      ...systemDisk,
      read: (at) => {
        if (at === path) rmSync(path, { force: true });
        return systemDisk.read(at);
      },
    };
    const clock = sleepClock();
    (await takeLock(deps({ disk, clock }), path))();
    expect(clock.slept).toEqual([]);
  });
  it("E4: a disk that refuses the lock says so, and nothing stays beside it", async () => {
    const { dir, path } = lockAt();
    await expect(takeLock(deps({ disk: { ...systemDisk, link: eio } }), path)).rejects.toThrow("EIO");
    expect(readdirSync(dir)).toEqual([]);
  });
  it.each([
    [1, 2, false],
    [2, 2, true],
  ])("E4: a release that fails %d times is tried %d times, and throws nothing", async (fails, tries, stays) => {
    const { path } = lockAt();
    let [armed, count] = [false, 0];
    const unlink = (at: string): void => {
      if (armed && ++count <= fails) eio();
      systemDisk.unlink(at);
    };
    const release = await takeLock(deps({ disk: { ...systemDisk, unlink } }), path);
    armed = true;
    release();
    expect([count, existsSync(path)]).toEqual([tries, stays]);
  });
  it("E4: a lock that is gone already needs no second try", async () => {
    const { path } = lockAt();
    let count = 0;
    const unlink = (at: string): void => {
      if (at === path) count += 1;
      systemDisk.unlink(at);
    };
    const release = await takeLock(deps({ disk: { ...systemDisk, unlink } }), path);
    rmSync(path);
    release();
    expect(count).toBe(1);
  });
});
