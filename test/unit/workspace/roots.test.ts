import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findRoots, isBelow, isInside, pathIn, rootOf } from "../../../src/workspace/roots.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { repo, sh } from "../../support/workspace-step.ts";

describe("pathIn", () => {
  it("P5: names no path with a letter less, where the folder is the file system's own root", () => {
    expect([pathIn("/", "/new.txt"), pathIn("/a", "/a/new.txt"), pathIn("/", "/a/b")]).toEqual([
      "new.txt",
      "new.txt",
      "a/b",
    ]);
  });
});

describe("findRoots", () => {
  it("W1: the folder and added folders, links followed", async () => {
    const base = scratch();
    for (const name of ["real", "more"]) mkdirSync(join(base, name));
    symlinkSync("real", join(base, "link"));
    expect(await findRoots({ folder: join(base, "link"), addDirs: [join(base, "more")] })).toEqual([
      { path: join(base, "real"), kind: "folder" },
      { path: join(base, "more"), kind: "added" },
    ]);
  });
  it("W1: roots that overlap are one, the first keeps its place and kind", async () => {
    const base = scratch();
    mkdirSync(join(base, "a/b/c"), { recursive: true });
    mkdirSync(join(base, "a-evil"));
    expect(await findRoots({ folder: join(base, "a"), addDirs: [join(base, "a/b"), join(base, "a")] })).toEqual([
      { path: join(base, "a"), kind: "folder" },
    ]);
    const wide = await findRoots({
      folder: join(base, "a/b"),
      addDirs: [join(base, "a-evil"), join(base, "a"), join(base, "a/b/c")],
    });
    expect(wide).toEqual([
      { path: join(base, "a"), kind: "folder" },
      { path: join(base, "a-evil"), kind: "added" },
    ]);
  });
  it("W1: a git dir inside the folder is no root of its own", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    expect(await findRoots({ folder: dir })).toEqual([{ path: dir, kind: "folder" }]);
  });
  it("W1: a git dir apart from the folder (--separate-git-dir)", async (ctx) => {
    needs(ctx, missingTool("git"));
    const base = scratch();
    mkdirSync(join(base, "work"));
    sh(join(base, "work"), "git init -q --separate-git-dir ../store.git .");
    expect(await findRoots({ folder: join(base, "work") })).toEqual([
      { path: join(base, "work"), kind: "folder" },
      { path: join(base, "store.git"), kind: "git" },
    ]);
  });
  it("W1: a .git that is none, or names what is none, is passed by", async () => {
    const dir = scratch();
    writeFileSync(join(dir, ".git"), "gitdir: /nowhere/at/all\n");
    mkdirSync(join(dir, "sub/.git"), { recursive: true });
    expect(await findRoots({ folder: join(dir, "sub") })).toEqual([{ path: join(dir, "sub"), kind: "folder" }]);
  });
  it("W1: a file or nothing is no folder", async () => {
    const dir = scratch();
    writeFileSync(join(dir, "f"), "");
    await expect(findRoots({ folder: join(dir, "f") })).rejects.toThrow("no folder");
    await expect(findRoots({ folder: dir, addDirs: [join(dir, "nothing")] })).rejects.toThrow("ENOENT");
  });
});

describe("isInside", () => {
  it("path-escape-003: a sibling with the same beginning is outside", () => {
    const roots = [
      { path: "/p", kind: "folder" },
      { path: "/p/inner", kind: "added" },
    ] as const;
    expect([
      isInside(roots, "/p-evil/x"),
      isInside(roots, "/p"),
      isInside(roots, "/p/x"),
      isInside(roots, "/"),
    ]).toEqual([false, true, true, false]);
    expect([rootOf(roots, "/p/inner/x"), rootOf(roots, "/p/innerx"), rootOf(roots, "/q")]).toEqual([1, 0, -1]);
    expect(isBelow("/", "/x")).toBe(true);
  });
});
