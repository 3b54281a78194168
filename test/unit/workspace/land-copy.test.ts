import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { copier, removeAll } from "../../../src/workspace/land-copy.ts";
import { type Disk, systemDisk } from "../../../src/workspace/land-disk.ts";
import { scratch } from "../../support/scratch.ts";
import { treeLines } from "../../support/tree.ts";
import { turnsOf } from "../../support/turns.ts";

/** A disk that tells which calls it got, by name and path below `dir`. */
function telling(dir: string, names: readonly (keyof Disk)[], more: Partial<Disk> = {}) {
  const calls: string[] = [];
  const disk = { ...systemDisk, ...more };
  const proxy = new Proxy(disk, {
    get: (target, name: keyof Disk) => {
      const call = target[name].bind(target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        if (names.includes(name)) calls.push(`${name} ${args.map((a) => String(a).replace(`${dir}/`, "")).join(" ")}`);
        return call(...args);
      };
    },
  });
  return { disk: proxy, calls };
}

const fail = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

describe("copier", () => {
  it("W3: two names of one symbolic link or named pipe stay two names of one; folders are always copied anew", async () => {
    const dir = scratch();
    mkdirSync(join(dir, "from/d/e"), { recursive: true });
    symlinkSync("nowhere", join(dir, "from/l"));
    execFileSync("mkfifo", [join(dir, "from/p")]);
    for (const name of ["l", "p"]) linkSync(join(dir, "from", name), join(dir, "from/d", name));
    const copies = copier(systemDisk, false);
    await copies.copy(`${dir}/from`, `${dir}/to`);
    const ino = (path: string): number => lstatSync(join(dir, "to", path)).ino;
    expect([ino("l"), ino("p")]).toEqual([ino("d/l"), ino("d/p")]);
    expect(ino("l")).not.toBe(lstatSync(join(dir, "from/l")).ino);
    await copies.copy(`${dir}/from/d`, `${dir}/again`);
    expect(treeLines(join(dir, "again"))).toEqual(treeLines(join(dir, "from/d")));
  });
  function source(): string {
    const dir = scratch();
    mkdirSync(join(dir, "from/d/e"), { recursive: true });
    writeFileSync(join(dir, "from/d/f"), "f");
    writeFileSync(join(dir, "from/d/e/g"), "g");
    linkSync(join(dir, "from/d/f"), join(dir, "from/d/twin"));
    symlinkSync("f", join(dir, "from/d/l"));
    chmodSync(join(dir, "from/d/f"), 0o4711);
    chmodSync(join(dir, "from/d/e/g"), 0o240);
    chmodSync(join(dir, "from/d/e"), 0o300);
    for (const path of ["d/f", "d/e/g"]) utimesSync(join(dir, "from", path), 1234.5, 5678.25);
    return dir;
  }
  it("W3: a tree with its modes, times, links and hard links, those without rights included; the original stays", async () => {
    const dir = source();
    const before = treeLines(join(dir, "from"));
    await copier(systemDisk, false).copy(`${dir}/from`, `${dir}/to`);
    expect(treeLines(join(dir, "from"))).toEqual(before);
    expect(treeLines(join(dir, "to"))).toEqual(before);
    const at = (path: string) => lstatSync(join(dir, "to", path));
    expect(at("d/f").ino).toBe(at("d/twin").ino);
    expect(at("d/f").ino).not.toBe(lstatSync(join(dir, "from/d/f")).ino);
    expect([at("d/f").mode & 0o7777, at("d/e/g").mode & 0o7777, at("d/e").mode & 0o7777]).toEqual([
      0o4711, 0o240, 0o300,
    ]);
    expect([at("d/f").mtimeMs, at("d/e/g").mtimeMs]).toEqual([5_678_250, 5_678_250]);
    expect(readlinkSync(join(dir, "to/d/l"))).toBe("f");
  });
  it("W3: rights that were widened for the copy come back also where it fails", async () => {
    const dir = source();
    const { disk, calls } = telling(dir, ["chmod"], { copy: fail("EIO") });
    await expect(copier(disk, false).copy(`${dir}/from/d/e`, `${dir}/to`)).rejects.toThrow("EIO");
    expect(calls).toEqual(["chmod from/d/e 448", "chmod from/d/e/g 416", "chmod from/d/e/g 160", "chmod from/d/e 192"]);
    chmodSync(join(dir, "from/d/e/g"), 0o640);
    chmodSync(join(dir, "from/d/e"), 0o755);
    const open = telling(dir, ["chmod"]);
    await copier(open.disk, false).copy(`${dir}/from/d/e`, `${dir}/to2`);
    expect(open.calls).toEqual(["chmod to2/g 416", "chmod to2 493"]);
  });
  it("W3: is made durable file by file where that is asked for", async () => {
    const dir = source();
    const some = telling(dir, ["sync"]);
    await copier(some.disk, true).copy(`${dir}/from`, `${dir}/to`);
    expect(some.calls).toEqual(["sync to/d/e/g", "sync to/d/f"]);
    const none = telling(dir, ["sync"]);
    await copier(none.disk, false).copy(`${dir}/from`, `${dir}/to2`);
    expect(none.calls).toEqual([]);
  });
  it("W3: the owner comes along where we may give away, before the mode; elsewhere it stays ours", async () => {
    const dir = source();
    const other = (path: string) => {
      const stat = systemDisk.lstat(path);
      if (stat !== undefined && path.includes("/from")) stat.uid += 7n;
      return stat;
    };
    const { disk, calls } = telling(dir, ["chown", "chmod", "utimes"], { lstat: other, chown: () => undefined });
    await copier(disk, false).copy(`${dir}/from/d/f`, `${dir}/to`);
    const { uid, gid } = lstatSync(dir);
    expect(calls).toEqual([`chown to ${uid + 7} ${gid}`, `chmod to ${0o4711}`, "utimes to 1234500 5678250"]);
    const group = (path: string) => {
      const stat = systemDisk.lstat(path);
      if (stat !== undefined && path.includes("/from")) stat.gid += 7n;
      return stat;
    };
    const grouped = telling(dir, ["chown"], { lstat: group, chown: () => undefined });
    await copier(grouped.disk, false).copy(`${dir}/from/d/l`, `${dir}/l`);
    expect(grouped.calls).toEqual([`chown l ${uid} ${gid + 7}`]);
    const same = telling(dir, ["chown", "chmod", "utimes"]);
    await copier(same.disk, false).copy(`${dir}/from/d/l`, `${dir}/l2`);
    expect(same.calls).toEqual([]);
    for (const code of ["EPERM", "EINVAL"]) {
      const refused = telling(dir, [], { lstat: other, chown: fail(code) });
      await copier(refused.disk, false).copy(`${dir}/from/d/f`, `${dir}/${code}`);
      expect(readFileSync(join(dir, code), "utf8")).toBe("f");
    }
    const broken = telling(dir, [], { lstat: other, chown: fail("EIO") });
    await expect(copier(broken.disk, false).copy(`${dir}/from/d/f`, `${dir}/EIO`)).rejects.toThrow("EIO");
  });
  it("W3: a pipe comes as a pipe, with its mode", async () => {
    const dir = scratch();
    execFileSync("mkfifo", ["-m", "640", join(dir, "p")]);
    await copier(systemDisk, true).copy(`${dir}/p`, `${dir}/q`);
    expect([lstatSync(join(dir, "q")).isFIFO(), lstatSync(join(dir, "q")).mode & 0o7777]).toEqual([true, 0o640]);
  });
  it("W3: what can't be copied, or isn't there, is said", async () => {
    const dir = scratch();
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(join(dir, "s"), resolve));
    await expect(copier(systemDisk, false).copy(`${dir}/s`, `${dir}/t`)).rejects.toThrow(`${dir}/s is no file, folder`);
    await expect(copier(systemDisk, false).copy(`${dir}/n`, `${dir}/t`)).rejects.toThrow(`nothing to copy at ${dir}/n`);
  });
});

describe("removeAll", () => {
  it("W3: removes whatever is there, folders without rights too, and never follows a link", async () => {
    const dir = scratch();
    mkdirSync(join(dir, "d/e/f"), { recursive: true });
    mkdirSync(join(dir, "kept"));
    for (const path of ["d/a", "d/e/b", "kept/c"]) writeFileSync(join(dir, path), "");
    symlinkSync("../kept", join(dir, "d/l"));
    symlinkSync("kept", join(dir, "l"));
    chmodSync(join(dir, "d/e"), 0o070);
    const { disk, calls } = telling(dir, ["chmod"]);
    for (const path of ["d", "l", "none"]) await removeAll(disk, `${dir}/${path}`);
    expect(calls).toEqual([`chmod d/e ${0o770}`]);
    expect([readdirSync(dir), readdirSync(join(dir, "kept"))]).toEqual([["kept"], ["c"]]);
  });
});

it("W3: long copies and removals let others in now and then", async () => {
  const dir = scratch();
  mkdirSync(join(dir, "from"));
  for (let n = 0; n < 250; n++) writeFileSync(join(dir, "from", `f${n}`), "");
  expect(await turnsOf(() => copier(systemDisk, false).copy(`${dir}/from`, `${dir}/to`))).toBe(5);
  expect(await turnsOf(() => removeAll(systemDisk, `${dir}/to`))).toBe(1);
});
