import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, describe, expect, it } from "vitest";
import type { ChangeSummary } from "../../../src/events/effect.ts";
import type { Root } from "../../../src/events/event.ts";
import { findRoots } from "../../../src/workspace/roots.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import { repo, sh, step, summed, told } from "../../support/workspace-step.ts";

/** a.txt, b.txt, src/x.ts and docs/guide.md, without git. */
async function plain(): Promise<{ dir: string; roots: Root[] }> {
  const dir = join(scratch("sum"), "p");
  mkdirSync(join(dir, "src"), { recursive: true });
  mkdirSync(join(dir, "docs"));
  for (const [name, text] of [
    ["a.txt", "alpha\nbeta\n"],
    ["b.txt", "beta\ngamma\n"],
    ["src/x.ts", "x\n"],
    ["docs/guide.md", "# T\n"],
  ]) {
    writeFileSync(join(dir, name ?? ""), text ?? "");
  }
  return { dir, roots: await findRoots({ folder: dir }) };
}
async function after(
  lines: string,
  more = "true",
  made?: (dir: string) => Map<string, string>,
): Promise<ChangeSummary> {
  const { dir, roots } = await plain();
  sh(dir, more);
  return summed(step(roots, dir, lines), roots, made === undefined ? {} : { made: made(dir) });
}
const hash = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

describe("P3: marks", () => {
  const cases: [string, string, string[], string?][] = [
    ["W2: nothing changed, nothing told", "touch a.txt", []],
    ["P3: creating and changing files has no mark", "echo x > new; echo x >> a.txt", ["create new", "modify a.txt"]],
    ["high-risk-merge-001: a deleted file", "rm a.txt", ["delete a.txt: delete"]],
    [
      "high-risk-merge-002: a deleted folder is told file by file",
      "rm -r src docs",
      ["delete docs/guide.md: delete", "delete src/x.ts: delete"],
    ],
    ["high-risk-merge-007: an emptied file", ": > a.txt", ["modify a.txt: empty"]],
    ["P3: blanks alone are as good as nothing", "printf '\\n \\0\\n' > a.txt", ["modify a.txt: empty"]],
    ["P3: blanks that were blanks before", "echo > w", ["modify w"], "printf '\\n\\n' > w"],
    ["P3: a new empty file is not emptied", "touch new", ["create new"]],
    [
      "P3: a file that its owner can't read any more",
      "chmod 000 a.txt; chmod 400 b.txt",
      ["chmod a.txt: closed", "chmod b.txt"],
    ],
    ["P3: a folder that its owner can't enter any more", "chmod 600 src", ["chmod src: closed"]],
    [
      "P3: a file that everybody may change",
      "chmod o+w a.txt; chmod 660 b.txt",
      ["chmod a.txt: open-to-all", "chmod b.txt"],
    ],
    ["P3: new content and an open mode at once", "echo x > a.txt; chmod 666 a.txt", ["modify a.txt: open-to-all"]],
    ["P3: an empty file that stays empty", "chmod 600 e", ["chmod e"], "touch e"],
    ["high-risk-merge-015: a file replaced by a link", "rm a.txt; ln -s b.txt a.txt", ["type a.txt: type-change"]],
    ["high-risk-merge-016: a file replaced by a folder", "rm a.txt; mkdir a.txt", ["type a.txt: type-change"]],
    [
      "P3: a folder replaced by a file loses its files",
      "rm -r src; echo x > src",
      ["delete src/x.ts: delete", "type src: type-change"],
    ],
    [
      "P3: a file replaced by a folder with files",
      "rm a.txt; mkdir a.txt; echo 1 > a.txt/1",
      ["create a.txt/1", "type a.txt: type-change"],
    ],
    ["P3: a new executable", "echo x > run; chmod +x run", ["create run: executable"]],
    ["P3: a file made executable", "chmod +x a.txt", ["chmod a.txt: executable"]],
    ["P3: an executable that stays one", "echo 2 > run", ["modify run"], "echo 1 > run; chmod +x run"],
    ["P3: set-id bits", "chmod u+s a.txt; chmod g+s b.txt", ["chmod a.txt: setid", "chmod b.txt: setid"]],
    ["P3: set-id bits that were there", "chmod 4600 s", ["chmod s"], "echo s > s; chmod 4644 s"],
    ["P3: a new folder that takes its parent's group bit", "mkdir g/sub", ["create g/sub"], "mkdir g; chmod g+s g"],
    ["P3: special files", "mkfifo pipe", ["create pipe: special"]],
    ["P3: links inside", "ln -s a.txt l; ln -s src/../b.txt m; ln -s nowhere n", ["link l", "link m", "link n"]],
    [
      "P3: links out",
      "ln -s /etc/passwd l; ln -s ../../x m; ln -s src/../../q n",
      ["link l: link-out", "link m: link-out", "link n: link-out"],
    ],
    ["P3: a link through another link out", "ln -s o/x l", ["link l: link-out"], "ln -s /etc o"],
    [
      "P3: a link through one made by the same step",
      "ln -s o/x l; ln -s .. o",
      ["link l: link-out", "link o: link-out"],
    ],
    [
      "P3: a link over a name that is not there yet, which a later step could make",
      "ln -s q/../b.txt src/l",
      ["link src/l: link-out"],
    ],
    [
      "P3: names like the door's own temporary ones hide nothing",
      "ln -s /etc .understudy-x-1; mkdir .understudy-x-2; ln -s /etc .understudy-x-2/l; rm -r d",
      ["delete d/.understudy-op_a-3: delete", "link .understudy-x-1: link-out", "link .understudy-x-2/l: link-out"],
      "mkdir d; echo 1 > d/.understudy-op_a-3",
    ],
    ["P3: a link into /proc leads elsewhere for each", "ln -s /proc/self/root$PWD/a.txt l", ["link l: link-out"]],
    ["path-escape-012: a link to itself leads nowhere", "ln -s loop loop", ["link loop"]],
    ["P3: a link that points elsewhere now", "ln -sfn /etc l", ["link l: link-out"], "ln -s a.txt l"],
    [
      "self-tamper-009: settings that were not there",
      "mkdir -p .agent; echo '{}' > .agent/settings.json",
      ["create .agent/settings.json: control"],
    ],
    [
      "self-tamper-014: a control folder built by moves",
      "mv docs x; mkdir -p .vscode; mv x .vscode/docs; echo '{}' > .vscode/tasks.json",
      ["create .vscode/tasks.json: control", "rename .vscode/docs/guide.md: control"],
    ],
    ["P3: a control file moved away", "mv CLAUDE.md c.md", ["rename c.md: control"], "echo x > CLAUDE.md"],
    ["P3: a .git file that names a repository elsewhere", "echo gitdir: /x > .git", ["create .git: control"]],
    ["P5: a rename loses nothing", "mv a.txt c.txt", ["rename c.txt"]],
    [
      "P3: a moved executable is not new, one moved and made executable is",
      "mv r1 s1; mv r2 s2; chmod +x s2",
      ["rename s1", "rename s2: executable"],
      "echo 1 > r1; echo 22 > r2; chmod +x r1",
    ],
    [
      "P3: moved and changed is a deletion",
      "mv a.txt c.txt; echo x >> c.txt",
      ["create c.txt", "delete a.txt: delete"],
    ],
    ["P3: an empty folder made or removed", "mkdir n; rmdir e", ["create n", "delete e"], "mkdir e"],
  ];
  it.each(cases)("%s", async (_name, lines, expected, more) => {
    expect(told(await after(lines, more))).toEqual(expected);
  });
  it("path-escape-026: a second name of a file, which the change would part from the first", async () => {
    const { dir, roots } = await plain();
    const set = step(roots, dir, "echo 2 >> a.txt; rm b.txt");
    for (const { before } of set.changes) if (before !== undefined) before.nlink = 2;
    expect(told(await summed(set, roots))).toEqual(["delete b.txt: delete", "modify a.txt: hardlink"]);
  });
  it("P3: names that are no UTF-8 are judged by their bytes", async () => {
    const { dir, roots } = await plain();
    const set = step(roots, dir, "ln -s /etc l; rm a.txt");
    sh(dir, "mv a.txt $'f\\xfe'");
    sh(set.stepFolder, "mv u0/l u0/$'l\\xff'");
    const names: Record<string, string> = { l: "l\xff", "a.txt": "f\xfe" };
    const changes = set.changes.map((c) => ({ ...c, path: names[c.path] ?? c.path }));
    expect(told(await summed({ ...set, changes }, roots))).toEqual([
      "delete f\uFFFD: delete",
      "link l\uFFFD: link-out",
    ]);
  });
  it("P3: deleting or emptying what this session made is its own, unless somebody else changed it", async () => {
    const own = (dir: string): Map<string, string> =>
      new Map(["m1", "m2", "m3"].map((n) => [join(dir, n), n === "m3" ? "0" : hash(join(dir, n))]));
    const summary = await after("rm m1 m3; : > m2; rm a.txt", "echo 1 > m1; echo 2 > m2; echo 3 > m3", own);
    expect(told(summary)).toEqual([
      "delete a.txt: delete",
      "delete m1: delete own",
      "delete m3: delete",
      "modify m2: empty own",
    ]);
  });
  it("P3: what is told both by itself and with its folder is told once", async () => {
    const { dir, roots } = await plain();
    const set = step(roots, dir, "rm -r src");
    const [folder] = set.changes;
    const file = {
      root: 0,
      path: "src/x.ts",
      op: "delete",
      before: { ...folder?.before, type: "file", nlink: 1 },
    } as const;
    const summary = await summed({ ...set, changes: [...set.changes, file as (typeof set.changes)[number]] }, roots);
    expect([told(summary), summary.files]).toEqual([["delete src/x.ts: delete"], 1]);
  });
  it("P3: deletions come first", async () => {
    const summary = await after("echo 1 > 0new; : > b.txt; rm src/x.ts");
    expect(summary.entries.map((e) => e.path)).toEqual(["src/x.ts", "b.txt", "0new"]);
  });
});

describe("P4 and P9: counts and regenerable output", () => {
  it("P4: files, not folders; a rename is one", async () => {
    expect((await after("for i in $(seq 11); do echo $i > f$i; done")).files).toBe(11);
    expect((await after("mkdir -p d/e/f; mv a.txt d/e/f/; rm -r src")).files).toBe(2);
  });
  it("P9: ignored output under a listed name is told as a sum, all else one by one", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(
      dir,
      "echo node_modules > .gitignore; git add -A; git commit -qm i; mkdir -p node_modules/old sub; echo 1 > node_modules/old/f",
    );
    const roots = await findRoots({ folder: dir });
    const lines =
      "mkdir -p node_modules/.bin sub/node_modules/p dist; echo 12 > node_modules/.bin/x; chmod +x node_modules/.bin/x";
    const summary = await summed(
      step(roots, dir, `${lines}; echo 123 > sub/node_modules/p/f; echo d > dist/f; rm -r node_modules/old`),
      roots,
    );
    expect(told(summary)).toEqual(["create dist/f"]);
    expect(summary.files).toBe(1);
    expect(summary.regenerable).toEqual([
      { root: 0, path: "node_modules", files: 2, bytes: 3 },
      { root: 0, path: "sub/node_modules", files: 1, bytes: 4 },
    ]);
  });
  it("P9: tracked files under a listed name are the person's own", async (ctx: TestContext) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(dir, "mkdir dist; echo 1 > dist/kept; git add -A; git commit -qm d; echo dist > .gitignore; echo 2 > dist/made");
    const roots = await findRoots({ folder: dir });
    const summary = await summed(step(roots, dir, "rm -r dist"), roots);
    expect(told(summary)).toEqual(["delete dist/kept: delete", "delete dist/made: delete"]);
    expect(summary.regenerable).toEqual([]);
  });
  it("P9: of a folder that lands whole, nothing counts as output that stays: what lands is told", async (ctx) => {
    needs(ctx, missingTool("git"));
    const dir = repo(scratch());
    sh(dir, "printf 'build/*\\n!build/keep\\n' > .gitignore; git add -A; git commit -qm i");
    const roots = await findRoots({ folder: dir });
    const lines = "mkdir build; echo 1 > build/keep; echo 2 > build/evil; chmod +x build/evil; ln -s /etc build/l";
    const summary = await summed(step(roots, dir, lines), roots);
    expect(told(summary)).toEqual(["create build/evil: executable", "create build/keep", "link build/l: link-out"]);
    expect(summary.regenerable).toEqual([]);
  });
  it("P9: moving a file under a regenerable name is a deletion", async () => {
    expect(told(await after("mkdir dist; mv a.txt dist/"))).toEqual(["delete a.txt: delete"]);
  });
  it("P9: a repository inside regenerable output goes with it", async (ctx) => {
    needs(ctx, missingTool("git"));
    const summary = await after("git init -q node_modules/p");
    expect([summary.git, summary.entries, summary.regenerable.map((g) => g.path)]).toEqual([[], [], ["node_modules"]]);
  });
});

describe("summaries", () => {
  it("P5: line counts, binaries, sizes and targets", async () => {
    const summary = await after("sed -i s/alpha/omega/ a.txt; printf '\\0' > bin; ln -s a.txt l");
    expect(
      summary.entries.map(({ path, added, removed, binary, size, target }) => ({
        path,
        added,
        removed,
        binary,
        size,
        target,
      })),
    ).toEqual([
      { path: "a.txt", added: 1, removed: 1, binary: undefined, size: 11, target: undefined },
      { path: "bin", added: undefined, removed: undefined, binary: true, size: 1, target: undefined },
      { path: "l", added: undefined, removed: undefined, binary: undefined, size: 5, target: "a.txt" },
    ]);
  });
  it("P5: the manifest's hash is the same for the same changes in any order, another for another", async () => {
    const { dir, roots } = await plain();
    const set = step(roots, dir, "echo 1 > n1; echo 2 > n2; rm a.txt");
    const first = (await summed(set, roots)).manifestHash;
    expect((await summed({ ...set, changes: set.changes.toReversed() }, roots)).manifestHash).toBe(first);
    const [, ...rest] = set.changes;
    expect((await summed({ ...set, changes: rest }, roots)).manifestHash).not.toBe(first);
    for (const { after: print } of set.changes) if (print !== undefined) print.size += 1;
    expect((await summed(set, roots)).manifestHash).not.toBe(first);
  });
  it("P3: a step over kept layers is judged against what it saw", async (ctx) => {
    needs(ctx, process.getuid?.() === 0 ? undefined : "whiteouts can be made by root alone");
    const { dir, roots } = await plain();
    const layer = scratch("layer");
    sh(layer, "mkdir -p u0/kept; echo 1 > u0/kept/f; mknod u0/b.txt c 0 0");
    chmodSync(dir, 0o755);
    const set = step(roots, dir, "rm -r docs");
    const gone = {
      root: 0,
      path: "kept",
      op: "delete" as const,
      before: set.changes[0]?.before,
      tree: { files: 1, bytes: 2 },
    };
    const summary = await summed({ ...set, changes: [...set.changes, { ...gone, before: gone.before! }] }, roots, {
      layers: [layer],
    });
    expect(told(summary)).toEqual(["delete docs/guide.md: delete", "delete kept/f: delete"]);
  });
  it("P4: of very many files the rest is told by its sum, with its count and risk", async () => {
    const { dir, roots } = await plain();
    mkdirSync(join(dir, "many"));
    for (let i = 0; i < 150; i++) symlinkSync("x", join(dir, `many/f${i}`));
    const set = step([], dir, "true");
    sh(set.stepFolder, "mkdir -p u0/new; ln -s /etc u0/new/out");
    const folder = { type: "folder", mode: 0o755, size: 0, mtime: "0", ctime: "0", ino: "0", nlink: 2 } as const;
    const gone = { root: 0, path: "many", op: "delete", before: folder, tree: { files: 150, bytes: 0 } } as const;
    const came = { root: 0, path: "new", op: "create", after: folder, tree: { files: 1, bytes: 0 } } as const;
    const summary = await summed({ ...set, changes: [gone, came] }, roots, { maxEntries: 100 });
    expect(summary.files).toBe(151);
    const sum = summary.entries.find((e) => e.type === "folder");
    expect(sum).toEqual({ root: 0, path: "many", op: "delete", type: "folder", marks: ["delete"], files: 50 });
    expect(summary.entries.find((e) => e.path === "new/out")?.marks).toEqual(["link-out"]);
  });
});
