import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratch } from "../../support/scratch.ts";
import { treeHash, treeLines } from "../../support/tree.ts";

function sample(): string {
  const dir = scratch("tree");
  mkdirSync(join(dir, "d"), { mode: 0o755 });
  writeFileSync(join(dir, "d/a"), "one");
  writeFileSync(Buffer.concat([Buffer.from(dir + "/"), Buffer.from([0xff, 0x0a])]), "odd name");
  symlinkSync("nowhere", join(dir, "l"));
  mkdirSync(join(dir, ".git"));
  writeFileSync(join(dir, ".git/HEAD"), "x");
  return dir;
}

describe("treeHash", () => {
  it("is the same for equal trees, whatever their times", () => {
    const dir = sample();
    utimesSync(join(dir, "d/a"), 1, 1);
    expect(treeHash(dir)).toBe(treeHash(sample()));
  });
  it.each<[string, (dir: string) => void]>([
    ["content", (dir) => writeFileSync(join(dir, "d/a"), "two")],
    ["mode", (dir) => chmodSync(join(dir, "d/a"), 0o755)],
    ["a folder's mode", (dir) => chmodSync(join(dir, "d"), 0o700)],
    ["a new entry", (dir) => mkdirSync(join(dir, "e"))],
    ["a new link", (dir) => symlinkSync("x", join(dir, "m"))],
  ])("sees a change of %s", (_what, change) => {
    const dir = sample();
    const before = treeHash(dir);
    change(dir);
    expect(treeHash(dir)).not.toBe(before);
  });
  it("leaves out .git and what it is told to", () => {
    const lines = treeLines(sample(), { git: false, skip: (path) => path === "d" });
    expect(lines.map((line) => line.split(" ")[2])).toEqual(['""', '"l"', '"ÿ\\n"']);
  });
});
