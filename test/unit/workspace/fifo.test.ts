import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGit } from "../../../src/workspace/git.ts";
import { findGit } from "../../../src/workspace/git-place.ts";
import { specialObject } from "../../../src/workspace/git-special.ts";
import { findIgnored } from "../../../src/workspace/ignored.ts";
import { findRoots } from "../../../src/workspace/roots.ts";
import { fifo } from "../../support/fifo.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { gitTold, repo, sh, step, summed } from "../../support/workspace-step.ts";

const PACK = `objects/pack/pack-${"a".repeat(40)}`;

describe("a named pipe in the place of a file that the program reads", () => {
  it.each([".gitignore", "docs/.gitignore", ".git/info/exclude"])(
    "SEC-9: %s ignores nothing, and the rest counts",
    async (name) => {
      const dir = repo(join(scratch("fifo"), "p"));
      writeFileSync(join(dir, "src/.gitignore"), "*.log\n");
      fifo(join(dir, name));
      const ignored = await findIgnored(await findRoots({ folder: dir }));
      expect([ignored(0, "src/a.log"), ignored(0, "docs/a.log"), ignored(0, "a.log")]).toEqual([true, false, false]);
    },
    10_000,
  );
  it.each([".git/index", ".git/config"])(
    "SEC-9: with %s nothing is ignored",
    async (name) => {
      const dir = repo(join(scratch("fifo"), "p"));
      writeFileSync(join(dir, ".gitignore"), "*.log\n");
      fifo(join(dir, name));
      const ignored = await findIgnored(await findRoots({ folder: dir }));
      expect(ignored(0, "a.log")).toBe(false);
    },
    10_000,
  );
  it.each([".git", ".git/HEAD"])(
    "SEC-9: with %s there is no repository",
    async (name) => {
      const dir = repo(join(scratch("fifo"), "p"));
      if (name === ".git") rmSync(join(dir, ".git"), { recursive: true });
      fifo(join(dir, name));
      expect((await findGit(dir))?.workTree).not.toBe(dir);
    },
    10_000,
  );
  it("SEC-9: refs, HEAD and index that became pipes are judged without waiting", async (ctx) => {
    needs(ctx, missingTool("git"));
    for (const name of ["HEAD", "index", "refs/heads/main", "packed-refs"]) {
      const dir = repo(join(scratch("fifo"), "p"));
      const roots = await findRoots({ folder: dir });
      const made = step(roots, dir, `git commit -q --allow-empty -m m; rm -f .git/${name}; mkfifo .git/${name}`);
      expect(gitTold(await summed(made, roots))).toContain(`!.git/${name} became a fifo`);
    }
  }, 20_000);
});

describe("git and what could make it wait", () => {
  const cases = [
    ["borrowed objects", "mkfifo .git/objects/info/alternates", "objects/info/alternates"],
    ["a pack", `mkfifo .git/${PACK}.idx .git/${PACK}.pack`, `${PACK}.idx`],
    ["a commit graph", "mkfifo .git/objects/info/commit-graph", "objects/info/commit-graph"],
    ["a multi-pack index", "mkfifo .git/objects/pack/multi-pack-index", "objects/pack/multi-pack-index"],
    ["a link to a device", "ln -s /dev/zero .git/objects/info/alternates", "objects/info/alternates"],
  ] as const;
  it.each(cases)(
    "P3: a commit beside %s is high, and git is not asked",
    async (_, lines, name) => {
      const dir = repo(join(scratch("fifo"), "p"));
      const roots = await findRoots({ folder: dir });
      const made = step(roots, dir, `git commit -q --allow-empty -m m; mkdir -p .git/objects/info; ${lines}`);
      const [first = ""] = gitTold(await summed(made, roots)).filter((text) => text.startsWith("!git was not asked"));
      expect(first).toBe(`!git was not asked what changed: .git/${name} is no ordinary file`);
    },
    15_000,
  );
  it("P3: the very object that a branch stands on, and one in the folder from before, too", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(join(scratch("fifo"), "p"));
    const roots = await findRoots({ folder: dir });
    const loose =
      "id=$(git rev-parse HEAD); at=.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-); rm -f $at; mkfifo $at";
    const now = gitTold(await summed(step(roots, dir, `git commit -q --allow-empty -m m; ${loose}`), roots));
    expect(now.some((text) => /^!git was not asked what changed: \.git\/objects\/[0-9a-f]{2}\//.test(text))).toBe(true);
    fifo(join(dir, `.git/${PACK}.idx`));
    const later = gitTold(
      await summed(
        step(roots, dir, "touch .git/refs/heads/x; rm .git/refs/heads/x; git update-ref refs/heads/y HEAD"),
        roots,
      ),
    );
    expect(later).toContain(`!git was not asked what changed: .git/${PACK}.idx is no ordinary file`);
  }, 20_000);
  it("P3: pipes of folders that objects are borrowed from count, the folders' other parts don't", async () => {
    const base = scratch("fifo");
    const [a, b] = [join(base, "a"), join(base, "b")];
    mkdirSync(join(a, "info"), { recursive: true });
    mkdirSync(join(b, "pack"), { recursive: true });
    writeFileSync(join(a, "info/alternates"), "# from\n../b\n");
    fifo(join(b, "other"));
    expect(await specialObject([a])).toBeUndefined();
    fifo(join(b, "pack/x.idx"));
    expect(await specialObject([a])).toBe(`${a}/../b/pack/x.idx is no ordinary file`);
  }, 10_000);
  it("P3: an ordinary repository with packs, graphs and borrowed objects is asked", async (ctx) => {
    needs(ctx, missingTool("git"));
    const base = scratch("fifo");
    const from = repo(join(base, "from"));
    sh(base, "git clone -q --shared from p");
    const dir = join(base, "p");
    sh(
      dir,
      "git checkout -q -B main; echo 1 > n; git add -A; git commit -qm n; git repack -q -d; git commit-graph write",
    );
    expect(existsSync(join(dir, ".git/objects/info/alternates")) && existsSync(from)).toBe(true);
    const roots = await findRoots({ folder: dir });
    expect(gitTold(await summed(step(roots, dir, "git commit -q --allow-empty -m more"), roots))).toEqual([
      "commit ID on main: more",
    ]);
  }, 20_000);
  it("P3: an abort ends a git that waits at once, and the next is not begun", async () => {
    const dir = scratch("fifo");
    const slow = join(dir, "slow-git");
    writeFileSync(slow, `#!/bin/sh\necho $$ >> ${dir}/began\nexec sleep 600\n`, { mode: 0o755 });
    const abort = new AbortController();
    const git = await openGit(slow, dir, abort.signal);
    const objects = git.objects([], 20);
    const asked = objects.filesOf("a".repeat(40));
    await expect.poll(() => existsSync(`${dir}/began`), { timeout: 5000 }).toBe(true);
    abort.abort();
    expect(await asked).toBeUndefined();
    const began = readFileSync(`${dir}/began`, "utf8");
    expect(existsSync(`/proc/${began.trim()}`)).toBe(false);
    expect(await objects.isAncestor("a".repeat(40), "b".repeat(40))).toBeUndefined();
    expect(readFileSync(`${dir}/began`, "utf8")).toBe(began);
    await git.close();
  }, 15_000);
});
