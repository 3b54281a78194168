import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { codeOf, type Disk, stateDisk, systemDisk } from "../../../src/workspace/land-disk.ts";
import { asUser, missingUser } from "../../support/in-process-user.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";

const mode = (path: string): number => statSync(path).mode & 0o7777;

/** The code of what an act throws, "" for none. */
function thrown(act: () => unknown): string {
  try {
    act();
    return "";
  } catch (error) {
    return codeOf(error);
  }
}

describe("systemDisk", () => {
  it("W3: nothing is there where a name, a folder on the way or an end of its links is missing; all else is thrown", () => {
    const dir = scratch();
    writeFileSync(join(dir, "f"), "x");
    symlinkSync("loop", join(dir, "loop"));
    for (const path of ["none", "none/x", "f/x", "loop/x"]) expect(systemDisk.lstat(join(dir, path))).toBeUndefined();
    expect(systemDisk.lstat(join(dir, "loop"))?.isSymbolicLink()).toBe(true);
    expect(systemDisk.lstat(join(dir, "f"))?.size).toBe(1n);
    expect(thrown(() => systemDisk.lstat(join(dir, "n".repeat(300))))).toBe("ENAMETOOLONG");
  });
  it("W3: names in any bytes, sorted by them", () => {
    const dir = scratch();
    for (const name of ["b", "a", "B", "\xff", "\xc3\xa9"]) systemDisk.write(`${dir}/${name}`, new Uint8Array(), 0o600);
    expect(systemDisk.names(dir)).toEqual(["B", "a", "b", "\xc3\xa9", "\xff"]);
    systemDisk.symlink("\xff", `${dir}/l`);
    expect(systemDisk.readlink(`${dir}/l`)).toBe("\xff");
    expect(readlinkSync(join(dir, "l"), "buffer")).toEqual(Buffer.from([0xff]));
  });
  it("W3: what is made new never replaces", () => {
    const dir = scratch();
    for (const name of ["a", "b"]) writeFileSync(join(dir, name), name);
    const [a, b] = [`${dir}/a`, `${dir}/b`];
    expect(thrown(() => systemDisk.link(a, b))).toBe("EEXIST");
    expect(thrown(() => systemDisk.copy(a, b))).toBe("EEXIST");
    expect(thrown(() => systemDisk.write(b, Buffer.from("c"), 0o600))).toBe("EEXIST");
    expect(thrown(() => systemDisk.symlink("a", b))).toBe("EEXIST");
    expect(thrown(() => systemDisk.mkdir(b, 0o700))).toBe("EEXIST");
    expect(readFileSync(b, "utf8")).toBe("b");
    systemDisk.write(`${dir}/c`, Buffer.from("c"), 0o640);
    expect([mode(`${dir}/c`), systemDisk.read(`${dir}/c`).toString()]).toEqual([0o640, "c"]);
    systemDisk.copy(a, `${dir}/d`);
    systemDisk.rename(a, b);
    expect([readFileSync(b, "utf8"), readFileSync(join(dir, "d"), "utf8")]).toEqual(["a", "a"]);
  });
  it("W3: a mode is set without following a link, also on what its owner can't open", () => {
    const dir = scratch();
    writeFileSync(join(dir, "f"), "", { mode: 0o600 });
    symlinkSync("f", join(dir, "l"));
    expect(thrown(() => systemDisk.chmod(`${dir}/l`, 0o644))).toBe("ELOOP");
    expect(mode(join(dir, "f"))).toBe(0o600);
    spawnSync("mkfifo", ["-m", "600", join(dir, "p")]);
    for (const path of ["f", "p", "."]) {
      systemDisk.chmod(`${dir}/${path}`, 0o711);
      expect(mode(join(dir, path))).toBe(0o711);
    }
    expect(thrown(() => systemDisk.chmod(`${dir}/none`, 0o644))).toBe("ENOENT");
  });
  it("W3: so is that of a socket, and of what its owner may not open; a link is refused to them too", async (ctx) => {
    const dir = scratch();
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(join(dir, "s"), resolve));
    systemDisk.chmod(`${dir}/s`, 0o711);
    expect(mode(join(dir, "s"))).toBe(0o711);
    needs(ctx, missingUser());
    chmodSync(dir, 0o777);
    await asUser(async () => {
      mkdirSync(join(dir, "own"));
      writeFileSync(join(dir, "own/f"), "", { mode: 0o000 });
      symlinkSync("f", join(dir, "own/l"));
      systemDisk.chmod(`${dir}/own/f`, 0o200);
      expect(mode(join(dir, "own/f"))).toBe(0o200);
      expect(thrown(() => systemDisk.chmod(`${dir}/own/l`, 0o644))).toBe("ELOOP");
      expect(thrown(() => systemDisk.chmod("/etc/passwd", 0o666))).toBe("EPERM");
    });
  });
  it("W3: nothing stays open", () => {
    const dir = scratch();
    const open = (): number => readdirSync("/dev/fd").length;
    const before = open();
    for (let n = 0; n < 20; n++) {
      systemDisk.sync(dir);
      systemDisk.chmod(dir, 0o700);
    }
    expect(open() - before).toBeLessThan(10);
  });
  it("W3: owners, times and folders are as they are told", () => {
    const dir = scratch();
    mkdirSync(join(dir, "d"));
    systemDisk.utimes(`${dir}/d`, 1000, 2500);
    expect([statSync(join(dir, "d")).atimeMs, statSync(join(dir, "d")).mtimeMs]).toEqual([1000, 2500]);
    const { uid, gid } = statSync(dir);
    systemDisk.chown(`${dir}/d`, uid, gid);
    expect(thrown(() => systemDisk.chown(`${dir}/none`, uid, gid))).toBe("ENOENT");
    systemDisk.rmdir(`${dir}/d`);
    expect(systemDisk.names(dir)).toEqual([]);
    systemDisk.mkdir(`${dir}/e`, 0o700);
    expect(mode(join(dir, "e"))).toBe(0o700);
    systemDisk.sync(dir);
    expect(thrown(() => systemDisk.sync(`${dir}/none`))).toBe("ENOENT");
    writeFileSync(join(dir, "f"), "");
    systemDisk.unlink(`${dir}/f`);
    expect(thrown(() => systemDisk.unlink(`${dir}/f`))).toBe("ENOENT");
  });
  it("W3: a system error has its code, any other none", () => {
    expect(codeOf(Object.assign(new Error("x"), { code: "EIO" }))).toBe("EIO");
    expect([codeOf(new Error("x")), codeOf({ code: "EIO" }), codeOf(undefined)]).toEqual(["", "", ""]);
  });
});

describe("stateDisk", () => {
  it("W3: writes below the state's folders alone, and reads anywhere", () => {
    const dir = scratch();
    mkdirSync(join(dir, "state"));
    writeFileSync(join(dir, "f"), "x");
    const disk = stateDisk(systemDisk, `${dir}/state`);
    const [mine, theirs] = [`${dir}/state/f`, `${dir}/f`];
    const acts: ((path: string) => unknown)[] = [
      (path) => disk.rename(path, mine),
      (path) => disk.rename(mine, path),
      (path) => disk.link(path, mine),
      (path) => disk.link(mine, path),
      (path) => disk.unlink(path),
      (path) => disk.mkdir(path, 0o700),
      (path) => disk.rmdir(path),
      (path) => disk.chmod(path, 0o700),
      (path) => disk.chown(path, 0, 0),
      (path) => disk.utimes(path, 1, 1),
      (path) => disk.symlink("x", path),
      (path) => disk.copy(theirs, path),
      (path) => disk.write(path, new Uint8Array(), 0o600),
    ];
    for (const act of acts) {
      for (const path of [theirs, `${dir}/state`, `${dir}/state2/f`, `${dir}/state/../f`, `${dir}/state/a/..`])
        expect(() => act(path)).toThrow(`not a state file: ${path}`);
    }
    expect([disk.read(theirs).toString(), disk.names(dir)]).toEqual(["x", ["f", "state"]]);
  });
  it("W3: does there what it is told", () => {
    const dir = scratch();
    const calls: string[] = [];
    const told = Object.fromEntries(
      ["rename", "link", "unlink", "mkdir", "rmdir", "chmod", "chown", "utimes", "symlink", "copy", "write"].map(
        (name) => [name, (...args: unknown[]) => void calls.push([name, ...args.map(String)].join(" "))],
      ),
    );
    const disk = stateDisk({ ...systemDisk, ...(told as Partial<Disk>) }, dir);
    const [a, b] = [`${dir}/a`, `${dir}/..b`];
    disk.rename(a, b);
    disk.link(a, b);
    disk.unlink(a);
    disk.mkdir(a, 1);
    disk.rmdir(a);
    disk.chmod(a, 2);
    disk.chown(a, 3, 4);
    disk.utimes(a, 5, 6);
    disk.symlink("t", a);
    disk.copy("/from", a);
    disk.write(a, Buffer.from("w"), 7);
    expect(calls).toEqual([
      `rename ${a} ${b}`,
      `link ${a} ${b}`,
      `unlink ${a}`,
      `mkdir ${a} 1`,
      `rmdir ${a}`,
      `chmod ${a} 2`,
      `chown ${a} 3 4`,
      `utimes ${a} 5 6`,
      `symlink t ${a}`,
      `copy /from ${a}`,
      `write ${a} w 7`,
    ]);
  });
});
