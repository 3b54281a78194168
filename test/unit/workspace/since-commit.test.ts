import { join } from "node:path";
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findRoots } from "../../../src/workspace/roots.ts";
import { sinceCommit } from "../../../src/workspace/since-commit.ts";
import type { FileDiff } from "../../../src/workspace/workspace.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { GIT, repo, sh } from "../../support/workspace-step.ts";

async function told(folder: string, git: string | undefined = GIT): Promise<string[] | string> {
  const scratchDir = scratch();
  const since = await sinceCommit(await findRoots({ folder }), { git, scratchDir });
  expect(readdirSync(scratchDir)).toEqual([]);
  return typeof since === "string" ? since : since.diffs.map(row).toSorted();
}
const row = ({ op, path, added, removed, hidden }: FileDiff): string =>
  `${op} ${path} ${hidden ?? `+${added} -${removed}`}`;

describe("sinceCommit", () => {
  it("UX-T-2: staged, unstaged, new and deleted files, but nothing ignored, touched or of another repository", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    expect(await told(dir)).toEqual([]);
    sh(dir, "printf 'ignored/\n*.log\n' > .gitignore; mkdir ignored sub; echo x > ignored/x; echo x > y.log");
    sh(dir, "echo n > sub/new.txt; echo s > staged.txt; git add staged.txt; touch -d 2001-01-01 a.txt");
    sh(dir, "git init -q inner; echo i > inner/i; ln -s a.txt link; printf 'a\\0b' > bin");
    expect(await told(dir)).toEqual([
      "create .gitignore +2 -0",
      "create bin binary",
      "create link +1 -0",
      "create staged.txt +1 -0",
      "create sub/new.txt +1 -0",
    ]);
    sh(dir, "git add -A . ':!inner'; git commit -qm two; rm staged.txt; echo gamma >> a.txt; chmod +x sub/new.txt");
    expect(await told(dir)).toEqual(["chmod sub/new.txt +0 -0", "delete staged.txt +0 -1", "modify a.txt +1 -0"]);
    expect(await told(join(dir, "sub"))).toEqual(["chmod new.txt +0 -0"]);
  });
  it("UX-T-2: before the first commit all is new; what can't be told says why", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = scratch();
    sh(dir, "echo x > x");
    expect(await told(dir)).toBe("the folder is in no git repository");
    sh(dir, "git init -q .");
    expect(await told(dir)).toEqual(["create x +1 -0"]);
    expect(await sinceCommit(await findRoots({ folder: dir }), { scratchDir: scratch() })).toBe("git is not there");
  });
});
