import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HeldFolder, partsOf, within } from "../../../src/sandbox/group-path.ts";
import { openFile } from "../../../src/sandbox/group-view.ts";
import { scratch } from "../../support/scratch.ts";

function held(): { dir: string; folder: HeldFolder; outside: string } {
  const base = scratch("held");
  const [dir, outside] = [join(base, "in"), join(base, "out")];
  mkdirSync(join(dir, "a/b"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret");
  const folder = HeldFolder.at(dir);
  onTestFinished(() => folder.close());
  return { dir, folder, outside };
}

describe("a folder that is held", () => {
  it("SEC: no link on the way is followed, wherever it stands", () => {
    const { dir, folder, outside } = held();
    expect(within(folder, partsOf("a/b"), (f) => f.names())).toEqual([]);
    symlinkSync(outside, join(dir, "l"));
    symlinkSync("a", join(dir, "near"));
    writeFileSync(join(dir, "file"), "");
    for (const way of ["l", "near/b", "near", "file", "none", "a/none"])
      expect(within(folder, partsOf(way), () => true)).toBeUndefined();
  });
  it("SEC: leads to the folder that was opened, whatever takes its place", () => {
    const { dir, folder, outside } = held();
    within(folder, ["a"], (inner) => {
      renameSync(join(dir, "a"), join(dir, "moved"));
      symlinkSync(outside, join(dir, "a"));
      writeFileSync(inner.entry("x"), "mine");
    });
    expect(readFileSync(join(dir, "moved/x"), "utf8")).toBe("mine");
    expect(existsSync(join(outside, "x"))).toBe(false);
  });
  it("SEC: a name is one name", () => {
    const { folder } = held();
    for (const name of ["", ".", "..", "a/b", "/etc", "a\0"]) expect(() => folder.entry(name)).toThrow("no name");
  });
  it("names that are no UTF-8 are reached", () => {
    const { folder } = held();
    const name = "\xff\n'";
    writeFileSync(folder.entry(name), "odd");
    expect(folder.names().toSorted()).toEqual(["a", name]);
    expect(folder.lstat(name)?.size).toBe(3n);
  });
});

describe("a file to be written over", () => {
  it("SEC: a link or a pipe that took its place is replaced, not written through, and not waited for", () => {
    const { dir, folder, outside } = held();
    symlinkSync(join(outside, "secret"), join(dir, "l"));
    symlinkSync(join(outside, "new"), join(dir, "n"));
    execFileSync("mkfifo", [join(dir, "p")]);
    for (const name of ["l", "n", "p", "fresh"]) {
      const fd = openFile(folder, name);
      writeSync(fd, "mine");
      closeSync(fd);
      expect([lstatSync(join(dir, name)).isFile(), readFileSync(join(dir, name), "utf8")]).toEqual([true, "mine"]);
    }
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret");
    expect(existsSync(join(outside, "new"))).toBe(false);
  });
});
