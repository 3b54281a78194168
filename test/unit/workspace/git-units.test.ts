import { join } from "node:path";
import { expect, it, type TestContext } from "vitest";
import { findRoots } from "../../../src/workspace/roots.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { gitTold, repo, sh, step, summed } from "../../support/workspace-step.ts";

/** What a command in `pkg` does to git; as in its copy, what no root shows of the work tree is not there. */
async function inPackage(ctx: TestContext, lines: string, added: readonly string[] = []): Promise<string[]> {
  needs(ctx, missingTool("git"));
  const dir = repo(join(scratch("git"), "p"));
  sh(dir, "mkdir pkg other; echo 1 > pkg/a; echo 1 > other/b; echo 1 > other/c; git add -A; git commit -qm more");
  sh(dir, "git checkout -qb side; echo 2 > other/b; git commit -qam side; git checkout -q main");
  const roots = await findRoots({ folder: join(dir, "pkg"), addDirs: added.map((name) => join(dir, name)) });
  const shown = ["pkg", ...added].join("|");
  sh(dir, `ls | grep -vxE '${shown}' | xargs rm -rf`);
  return gitTold(await summed(step(roots, join(dir, "pkg"), lines), roots));
}

const told = (effects: readonly string[]): string[] => effects.map((t) => t.replace(/ \(\/.*\)$/, ""));

it("P3: a commit of everything in a package of a monorepo is high: git takes what the copy does not show for deleted", async (ctx) => {
  expect(told(await inPackage(ctx, "echo 2 > a; git commit -qam all"))).toEqual([
    "!git takes 6 files outside the folder as deleted: a.txt, b.txt, docs/guide.md and 3 more",
    "commit ID on main: all",
  ]);
  expect(told(await inPackage(ctx, "echo 2 > a; git add ."))).toEqual(["staged 1 file"]);
  expect(told(await inPackage(ctx, "echo 2 > a; git add -A ..", ["other"]))[0]).toBe(
    "!git takes 4 files outside the folder as deleted: a.txt, b.txt, docs/guide.md and 1 more",
  );
});
it("P3: a commit of the package's own files is as medium as anywhere, with added folders beside it", async (ctx) => {
  expect(told(await inPackage(ctx, "echo 2 > a; git add .; git commit -qm own"))).toEqual(["commit ID on main: own"]);
  const both = await inPackage(ctx, "echo 2 > a; echo 2 > ../other/b; git commit -qm both -- . ../other", ["other"]);
  expect(told(both)).toEqual(["commit ID on main: both"]);
});
it("P3: a switch whose files lie outside the folder is high: they would stay as they are", async (ctx) => {
  expect(told(await inPackage(ctx, "git checkout -q -f side"))).toContain(
    "!git takes 1 file outside the folder: other/b",
  );
});
