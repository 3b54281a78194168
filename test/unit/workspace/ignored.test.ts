import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findIgnored } from "../../../src/workspace/ignored.ts";
import { findRoots } from "../../../src/workspace/roots.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { repo, sh } from "../../support/workspace-step.ts";

const MADE =
  "mkdir -p dist/a node_modules/x pkg/dist pkg/deep/build pkg/keep/build other/build; touch dist/a/f node_modules/x/i.js pkg/dist/f pkg/deep/build/f pkg/keep/build/f other/build/f x.log keep.log pkg/y.log pkg/only pkg/deep/only secret 'sp ace'";
const FILES = [
  "dist/",
  "dist/a/",
  "dist/a/f",
  "node_modules/x/i.js",
  "pkg/dist/f",
  "pkg/deep/build/f",
  "pkg/keep/build/f",
  "other/build/f",
  "x.log",
  "keep.log",
  "pkg/y.log",
  "pkg/only",
  "pkg/deep/only",
  "secret",
  "sp ace",
  "src/x.ts",
  "pkg/tracked.log",
  "X.LOG",
];
const RULES = [
  "printf '/dist/\\nnode_modules\\n*.log\\n!keep.log\\nsp ace\\n' > .gitignore",
  "mkdir -p pkg/keep pkg/deep; printf 'build/\\n/only\\n' > pkg/.gitignore; printf '!build/\\n' > pkg/keep/.gitignore",
  "touch pkg/deep/t pkg/keep/t pkg/tracked.log; git add -A; git add -f pkg/tracked.log; git commit -qm rules; echo secret >> .git/info/exclude",
].join("\n");

describe("findIgnored", () => {
  it("P9: agrees with git check-ignore on nested files, negation, anchors and info/exclude", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(dir, `${RULES}\n${MADE}`);
    const ignored = await findIgnored(await findRoots({ folder: dir }));
    const ours = FILES.filter((f) => ignored(0, f));
    const theirs = sh(dir, `printf '%s\\n' ${FILES.map((f) => `'${f}'`).join(" ")} | git check-ignore --stdin || true`);
    expect(ours).toEqual(theirs.split("\n").filter((f) => f !== ""));
    expect(ours).toContain("pkg/deep/build/f");
    expect(ours).not.toContain("pkg/keep/build/f");
    expect(ours).not.toContain("pkg/tracked.log");
  });
  it("P9: the answer stays what it was when the ignore files and the index change", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(dir, `${RULES}\n${MADE}`);
    const roots = await findRoots({ folder: dir });
    const ignored = await findIgnored(roots);
    sh(dir, "echo src >> .gitignore; : > pkg/.gitignore; git rm -rq --cached pkg");
    expect([ignored(0, "src/new.ts"), ignored(0, "pkg/deep/build/f"), ignored(0, "pkg/tracked.log")]).toEqual([
      false,
      true,
      false,
    ]);
    expect((await findIgnored(roots))(0, "src/new.ts")).toBe(true);
  });
  it("P9: a folder with a tracked file in it is not ignored as a whole, the rest of it is", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(dir, "mkdir dist; echo 1 > dist/kept.js; git add -f dist; git commit -qm d; echo dist > .gitignore");
    const ignored = await findIgnored(await findRoots({ folder: dir }));
    expect(["dist/", "dist/kept.js", "dist/new.js"].map((f) => ignored(0, f))).toEqual([false, false, true]);
  });
  it("P9: a package of a monorepo is under the rules above it", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(dir, `${RULES}\n${MADE}`);
    const ignored = await findIgnored(await findRoots({ folder: join(dir, "pkg/deep") }));
    expect([ignored(0, "build/f"), ignored(0, "z.log"), ignored(0, "t"), ignored(1, "config")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
  it("P9: without git names alone decide; with an index that can't be read nothing is ignored", async (ctx) => {
    const plain = scratch();
    expect((await findIgnored([{ path: plain, kind: "folder" }]))(0, "dist/x")).toBe(true);
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    writeFileSync(join(dir, ".gitignore"), "dist\n");
    writeFileSync(join(dir, ".git/index"), "damaged");
    mkdirSync(join(dir, "dist"));
    expect((await findIgnored(await findRoots({ folder: dir })))(0, "dist/x")).toBe(false);
  });
});
