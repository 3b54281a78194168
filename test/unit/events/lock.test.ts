import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Holder, takeLock, thisProcess } from "../../../src/events/lock.ts";
import { systemClock } from "../../../src/util/system.ts";
import { scratch } from "../../support/scratch.ts";

const me = thisProcess();
const take = (folder: string, as: Holder = me) => takeLock(folder, "Session x", systemClock, as);
const lockOf = (): string => join(scratch("lock"), "x.lock");

/** Leaves the file that another process would have left. */
function leave(folder: string, other: Partial<Holder>): void {
  const h = { ...me, ...other };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, [h.pid, h.start, h.boot, h.space, h.host].join(".")), "");
}

describe("takeLock", () => {
  it("E4: holds off the same process and leaves nothing when released", async () => {
    const folder = lockOf();
    const lock = await take(folder);
    await expect(take(folder)).rejects.toThrow(
      new RegExp(
        `^Session x is open in process ${process.pid} since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC(?: on /dev/\\S+)?\\. End it there`,
      ),
    );
    lock.release();
    lock.release();
    expect(existsSync(folder)).toBe(false);
    (await take(folder)).release();
  });
  it("E4: a process that lives holds it, by name of its number", async () => {
    const folder = lockOf();
    leave(folder, { pid: process.ppid, start: "" });
    await expect(take(folder)).rejects.toMatchObject({
      code: "locked",
      message: expect.stringContaining(`process ${process.ppid}.`) as string,
    });
    expect(readdirSync(folder).length).toBe(1);
  });
  it.each<[string, Partial<Holder>]>([
    ["a process that is gone", { pid: 4_194_303 }],
    ["another process under the same number", { pid: process.ppid, start: "1" }],
    ["a process before the last boot", { pid: process.ppid, boot: "00000000" }],
  ])("E4: %s holds nothing", async (_, other) => {
    const folder = lockOf();
    leave(folder, other);
    const lock = await take(folder);
    expect(readdirSync(folder)).toEqual([[me.pid, me.start, me.boot, me.space, me.host].join(".")]);
    lock.release();
  });
  it.each<[string, Partial<Holder>]>([
    ["another container", { pid: 4_194_303, space: "1" }],
    ["another machine", { pid: 4_194_303, boot: "00000000", host: "elsewhere" }],
  ])("E4: what can't be told, in %s, counts as alive and names the file to remove", async (_, other) => {
    const folder = lockOf();
    leave(folder, other);
    await expect(take(folder)).rejects.toThrow(
      /process 4194303 on .* \(another machine or container\).*remove .*x\.lock\/4194303\./,
    );
    expect(readdirSync(folder).length).toBe(1);
  });
  it("E4: a holder's own words are repeated only where they have the form of ours", async () => {
    const folder = lockOf();
    leave(folder, { pid: process.ppid, start: "" });
    const file = join(folder, readdirSync(folder)[0] ?? "");
    for (const [said, words] of [
      ['{"since":"2026-03-01T12:00:01.000Z","terminal":"/dev/pts/7"}', " since 2026-03-01 12:00 UTC on /dev/pts/7."],
      ['{"since":"soon\\u001b[2J","terminal":"/dev/\\u001b]0;x"}', "."],
      ["[", "."],
    ]) {
      writeFileSync(file, said ?? "");
      await expect(take(folder)).rejects.toThrow(`Session x is open in process ${process.ppid}${words} End it there`);
    }
  });
  it("takes no notice of files that are no holder's", async () => {
    const folder = lockOf();
    mkdirSync(folder);
    writeFileSync(join(folder, "notes"), "");
    writeFileSync(join(folder, "a.b.c.d.e"), "");
    (await take(folder)).release();
    expect(readdirSync(folder)).toEqual(["a.b.c.d.e", "notes"]);
  });
  it("SEC-20: goes through no link", async () => {
    const dir = scratch("lock");
    mkdirSync(join(dir, "outside"));
    symlinkSync(join(dir, "outside"), join(dir, "x.lock"));
    await expect(take(join(dir, "x.lock"))).rejects.toMatchObject({ code: "unsafe" });
    expect(readdirSync(join(dir, "outside"))).toEqual([]);
  });
  it("knows itself", () => {
    expect(me.pid).toBe(process.pid);
    expect(me.host).not.toContain(".");
    if (existsSync("/proc/self/stat")) expect(me.start).toMatch(/^\d+$/);
  });
});
