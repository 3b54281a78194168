import { type TestContext, describe, expect, it } from "vitest";
import { findRoots } from "../../../src/workspace/roots.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { repo, sh, step, summed, told } from "../../support/workspace-step.ts";

async function after(ctx: TestContext, setup: string, lines: string): Promise<string[]> {
  needs(ctx, missingTool("git"));
  const dir = repo(scratch("steer"));
  sh(dir, `${setup}; git add -A; git commit -qm more --allow-empty`);
  const roots = await findRoots({ folder: dir });
  return told(await summed(step(roots, dir, lines), roots));
}

describe("P3: what steers programs by content", () => {
  const cases: [string, string, string, string[]][] = [
    [
      "files of a folder that git's config names for hooks, also new ones",
      "mkdir tools; echo 1 > tools/pre-push; git config core.hooksPath tools",
      "echo 2 > tools/pre-push; echo 3 > tools/pre-commit; echo 4 > other",
      ["create other", "create tools/pre-commit: control", "modify tools/pre-push: control"],
    ],
    [
      "config that git's config includes, from where that lies",
      "echo '[user]' > extra.cfg; git config include.path ../extra.cfg",
      "echo '[core]' >> extra.cfg",
      ["modify extra.cfg: control"],
    ],
    [
      "programs that git's config names",
      "echo 1 > watch.sh; echo 1 > c.sh; echo 1 > al.sh; git config core.fsmonitor ./watch.sh; git config filter.x.clean 'sh c.sh %f'; git config alias.st '!./al.sh'",
      "for f in watch.sh c.sh al.sh; do echo 2 >> $f; done",
      ["modify al.sh: control", "modify c.sh: control", "modify watch.sh: control"],
    ],
    [
      "data in git's config names nothing",
      "mkdir origin; git config branch.main.remote origin; git config remote.origin.url ./origin; git config remote.origin.fetch a.txt",
      "echo 1 > origin/f; echo 2 >> a.txt",
      ["create origin/f", "modify a.txt"],
    ],
    [
      "what a hook links to",
      "mkdir tools; echo 1 > tools/pre; ln -s ../../tools/pre .git/hooks/pre-commit",
      "echo 2 > tools/pre; echo 3 > tools/other",
      ["create tools/other", "modify tools/pre: control"],
    ],
    [
      "what a protected name links to",
      "mkdir conf; ln -s conf .vscode; echo 1 > notes.md; ln -s notes.md CLAUDE.md; ln -s docs manual",
      "echo 1 > conf/tasks.json; echo 2 > notes.md; echo 3 >> docs/guide.md",
      ["create conf/tasks.json: control", "modify docs/guide.md", "modify notes.md: control"],
    ],
    [
      "git: the folder itself made a repository",
      "true",
      "mkdir -p objects refs; touch objects/k refs/k; echo 'ref: refs/heads/m' > HEAD; echo '[core]' > config; echo 1 > other",
      ["HEAD", "config", "objects/k", "other", "refs/k"].map((name) => `create ${name}: control`),
    ],
    [
      "git: a repository whose common part lies elsewhere",
      "true",
      "mkdir -p v vv/objects vv/refs; echo 'ref: refs/heads/m' > v/HEAD; echo ../vv > v/commondir; touch vv/objects/k vv/refs/k; echo '[core]' > vv/config; echo 1 > other",
      [
        "create other",
        ...["v/HEAD", "v/commondir", "vv/config", "vv/objects/k", "vv/refs/k"].map((name) => `create ${name}: control`),
      ],
    ],
    [
      "git: a repository under another name, made by hand",
      "true",
      "mkdir -p in/objects in/refs in/sub; echo 'ref: refs/heads/m' > in/HEAD; echo x > in/config; echo y > in/sub/f; echo z > in2",
      [
        "create in/HEAD: control",
        "create in/config: control",
        "create in/objects: control",
        "create in/refs: control",
        "create in/sub/f: control",
        "create in2",
      ],
    ],
    [
      "git: one that is there gets its last part",
      "mkdir -p in/objects in/refs; echo x > in/config; touch in/refs/.k in/objects/.k",
      "echo 'ref: refs/heads/m' > in/HEAD",
      ["create in/HEAD: control"],
    ],
    [
      "git: moved into one, and out of it",
      "mkdir -p in/objects in/refs; touch in/refs/.k in/objects/.k; echo 'ref: refs/heads/m' > in/HEAD; echo x > in/config",
      "mv in/config src/; mv a.txt in/description",
      ["rename in/description: control", "rename src/config: control"],
    ],
  ];
  for (const [name, setup, lines, expected] of cases) {
    it(`P3: ${name}`, async (ctx) => {
      expect(await after(ctx, setup, lines)).toEqual(expected);
    });
  }
});
