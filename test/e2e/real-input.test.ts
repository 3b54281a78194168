import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { ordinaryUser, startAs } from "../support/as-user.ts";
import { generated, git, LAYOUTS, type Layout, write } from "../support/big-tree.ts";
import { deep } from "../support/deep.ts";
import { differences, type Job, mainJob, type MainReport, openJob } from "../support/main-job.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { scratch } from "../support/scratch.ts";

const project = resolve(import.meta.dirname, "../..");
const open: Job[] = [];
afterEach(async () => {
  for (const job of open.splice(0)) await job.rig.session.close();
});

async function job(layout: Layout, fill: (dir: string) => void, mode: "ask" | "auto" = "ask"): Promise<Job> {
  const made = await openJob(scratch("real"), layout, fill, mode);
  open.push(made);
  return made;
}

function needsAll(ctx: TestContext, ...tools: string[]): void {
  for (const tool of ["git", "node", ...tools]) needs(ctx, missingTool(tool));
}

/** About 2,000 generated files and this project as it was committed last. */
function withProject(dir: string): void {
  generated(dir, 20, 70);
  mkdirSync(join(dir, "project"));
  const tar = execFileSync("git", ["-C", project, "archive", "HEAD"], { maxBuffer: 1 << 28 });
  execFileSync("tar", ["x", "-C", join(dir, "project")], { input: tar });
}

const small = (dir: string): void => generated(dir, 2, 20);

/** Asked once for being many, tested in the copy unasked, undone to the byte. */
function expectDone(report: MainReport, symbol: string): void {
  expect(report.found).toContain(".");
  expect(report.sed).toMatchObject({ status: "ok", asked: 1 });
  expect(report.sed.reason).toMatch(/^changes 12 files in one step: [^;]* and 7 more$/);
  expect(report.sed.text).toContain(`renamed_${symbol}`);
  expect(report.sed.text).toContain("changes 12 files:");
  expect(report.sed.text).toContain("can be undone");
  expect(report.tests).toMatchObject({ status: "ok", asked: 0 });
  expect(report.tests.result).toMatch(/pass 1\b/);
  expect(report.tests.result).toMatch(/fail 0\b/);
  expect(report.undone).toEqual([expect.stringMatching(/^Undone: .* and 2 more \(12 files\)\.$/)]);
  expect(report.changed).toEqual([]);
}

describe("the main job on real input", () => {
  it.for(LAYOUTS.slice(0, deep(2, 3)))(
    "W1 W2 W4 P4 P9 T6: %s: found, changed in 12 files, tested, undone",
    async (layout, ctx) => {
      needsAll(ctx);
      needs(ctx, existsSync(join(project, ".git")) ? undefined : "this project is no git repository here");
      const package_ = layout === "package of a monorepo";
      // The others of thousands of files: in `npm run deep`.
      const big = layout === "repository" || deep(0, 1) === 1;
      const made = await job(layout, big ? withProject : small);
      const [symbol, where] = big && !package_ ? ["showPath", "project/src"] : ["oldName", `${made.pkg}/src`];
      const report = await mainJob(made, symbol, where);
      expectDone(report, symbol);
      const notice = made.rig.session.notices.filter((text) => text.includes("--add-dir"));
      expect(notice).toHaveLength(package_ ? 1 : 0);
    },
  );

  it("W1 W4 P4: the same as an ordinary user, in every layout", async (ctx) => {
    needsAll(ctx);
    const account = ordinaryUser();
    if (account === undefined) return needs(ctx, "there is no ordinary user on this machine");
    const { child, remove } = startAs(account, "real-user.ts", []);
    onTestFinished(remove);
    let out = "";
    let err = "";
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
    const code = await new Promise((done) => child.on("close", done));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const reports = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as MainReport & { layout: string });
    expect(reports.map((r) => r.layout)).toEqual([...LAYOUTS]);
    for (const report of reports) expectDone(report, "oldName");
  });
});

describe("git in auto mode", () => {
  it.for(LAYOUTS.slice(0, deep(1, 3)))(
    "P3 W4: %s: commit, switch, stash, checkout, add, all undone",
    async (layout, ctx) => {
      needsAll(ctx);
      const { rig, pkg, folder, lines } = await job(layout, small, "auto");
      const before = lines();
      const run = async (command: string): Promise<[string, number, string]> => {
        const done = await rig.bash(command);
        return [done.status, done.asked.length, done.asked[0]?.decision.reason ?? ""];
      };
      expect(await run(`echo '//' >> ${pkg}/src/m1.js; git commit -qm own -- ${pkg}/src/m1.js`)).toEqual(["ok", 0, ""]);
      const everything = await run(`echo '//' >> ${pkg}/src/m3.js; git commit -qam everything`);
      if (layout === "package of a monorepo") {
        const reason = expect.stringMatching(/^git takes 24 files outside the folder as deleted/);
        expect(everything).toEqual(["denied", 1, reason]);
        const notes = rig.session.state().items.flatMap((item) => (item.kind === "note" ? [item.text] : []));
        expect(notes.join("\n")).toMatch(/^Repository: \S+\/repo\. The copy holds the folder only/m);
      } else expect(everything).toEqual(["ok", 0, ""]);
      expect(git(folder, "--no-optional-locks", "diff", "--stat", "HEAD~1", "--", ":/")).toMatch(/ 1 file changed/);
      expect(await run("git switch -q -c feature")).toEqual(["ok", 0, ""]);
      expect(await run(`echo '//' >> ${pkg}/src/m2.js; git add ${pkg}/src/m2.js`)).toEqual(["ok", 0, ""]);
      const thrown = /throws away uncommitted work in 1 file: \S*src\/m2\.js/;
      expect(await run("git stash -q")).toEqual(["denied", 1, expect.stringMatching(/work put on the stash/)]);
      expect(await run(`git checkout HEAD -- ${pkg}/src/m2.js`)).toEqual(["denied", 1, expect.stringMatching(thrown)]);
      expect(await rig.undoAll()).not.toContainEqual(expect.objectContaining({ ok: false }));
      expect(differences(before, lines())).toEqual([]);
    },
  );
});

describe("what real projects hold", () => {
  it("P9 W4: a build stays in the copy, is seen by commands and reads, lands by /land, is undone; so is a deletion", async (ctx) => {
    needsAll(ctx, "npm");
    const { rig, pkg, folder, lines } = await job("repository", small, "auto");
    write(folder, "node_modules/x/index.js", "module.exports = 1;\n");
    const before = lines();
    const built = await rig.bash(`cd ${pkg} && npm run build --silent; cd ${folder}`);
    expect(built).toMatchObject({ status: "ok", asked: [] });
    expect(built.result).toContain("1 regenerable file stays in the copy");
    const gone = await rig.bash("rm -rf node_modules");
    expect(gone).toMatchObject({ status: "ok", asked: [] });
    expect(gone.result).toContain("Deleted in the copy only, not in the folder: node_modules.");
    expect(differences(before, lines())).toEqual([]);
    expect((await rig.bash(`ls ${pkg}/dist; ls node_modules; true`)).result).toMatch(/all\.js[^]*No such file/);
    expect((await rig.call("Read", { file_path: `${pkg}/dist/all.js`, limit: 1 })).result).toContain("oldName");
    expect(await rig.session.land()).toMatchObject({
      ok: true,
      text: "Landed: 1 file. Deleted: 1 file (node_modules).",
    });
    expect([existsSync(join(folder, pkg, "dist/all.js")), existsSync(join(folder, "node_modules"))]).toEqual([
      true,
      false,
    ]);
    expect((await rig.undoAll()).map((r) => r.text)).toEqual([
      expect.stringMatching(/^Undone: .*\(1 file\)\.$/),
      expect.stringMatching(/^Undone: .*\(1 file\)\.$/),
    ]);
    expect(differences(before, lines())).toEqual([]);
  });

  const count = deep(1000, 5000);
  it(`P4 P9: ${count} new files ask with their count, by whatever mode, and a no leaves nothing`, async (ctx) => {
    needsAll(ctx);
    const { rig, lines } = await job("repository", small, "auto");
    const before = lines();
    const many = `mkdir -p src/gen && cd src/gen && seq ${count} | xargs touch`;
    const asked = await rig.bash(many, "no");
    expect(asked.asked.map((q) => q.decision.reason)).toEqual([
      expect.stringMatching(
        new RegExp(`^changes ${count} files in one step: src/gen/\\S+, .* and ${count / 10 - 1}\\d more$`),
      ),
    ]);
    expect(asked.text).toContain(`changes ${count} files:`);
    expect(differences(before, lines())).toEqual([]);
    expect((await rig.bash(many, "yes")).status).toBe("ok");
    expect((await rig.undoAll()).map((r) => r.text)).toEqual([
      expect.stringMatching(new RegExp(`^Undone: .*\\(${count.toLocaleString("en")} files\\)\\.$`)),
    ]);
    expect(differences(before, lines())).toEqual([]);
  });

  const bytes = deep(20, 200) * 2 ** 20;
  it(`W2 W4: a file of ${bytes / 2 ** 20} MB, made and then changed, lands and is undone`, async (ctx) => {
    needsAll(ctx);
    const { rig, folder, lines } = await job("repository", small);
    const before = lines();
    const made = await rig.bash(`head -c ${bytes} /dev/zero > big.bin`, "yes");
    expect(made.text).toContain(`not shown: over 1 MB, binary, ${bytes} bytes`);
    expect((await rig.bash("echo x >> big.bin", "yes")).status).toBe("ok");
    expect(statSync(join(folder, "big.bin")).size).toBe(bytes + 2);
    expect((await rig.undoAll()).map((r) => r.text)).toEqual([
      expect.stringMatching(/^Undone: .*\(1 file\)\.$/),
      expect.stringMatching(/^Undone: .*\(1 file\)\.$/),
    ]);
    expect(differences(before, lines())).toEqual([]);
  });

  it("W2 W4: odd names, CRLF, a linked node_modules, a submodule", async (ctx) => {
    needsAll(ctx);
    const outside = scratch("outside");
    execFileSync(
      "bash",
      [
        "-c",
        "git init -q -b main . && echo s > s.txt && git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm sub",
      ],
      { cwd: outside },
    );
    const { rig, folder, lines } = await job("repository", (dir) => {
      small(dir);
      write(dir, "a b/x y.txt", "x\n");
      write(dir, "new\nline", "x\n");
      writeFileSync(Buffer.concat([Buffer.from(`${dir}/bad`), Buffer.from([0xff])]), "x\n");
      write(dir, "crlf.txt", "one\r\ntwo\r\n");
      git(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", outside, "deps/sub");
      symlinkSync(outside, join(dir, "node_modules"));
    });
    git(join(folder, "deps/sub"), "config", "user.name", "t");
    git(join(folder, "deps/sub"), "config", "user.email", "t@t.invalid");
    const before = lines();
    const names = await rig.bash(
      "for f in 'a b/x y.txt' $'new\\nline' $'bad\\xff'; do echo y >> \"$f\"; done; mv 'a b' $'c\\n d'",
      "yes",
    );
    expect(names.text).toContain("new\\u{a}line +1 -0");
    expect(names.status).toBe("ok");
    await rig.call("Read", { file_path: "crlf.txt" });
    const edit = { file_path: "crlf.txt", old_string: "two", new_string: "2" };
    expect((await rig.call("Edit", edit, "yes")).status).toBe("ok");
    expect(readFileSync(join(folder, "crlf.txt"), "utf8")).toBe("one\r\n2\r\n");
    const link = await rig.bash("rm node_modules; mkdir node_modules; echo 1 > node_modules/x", "no");
    expect(link.asked[0]?.decision.reason).toMatch(/replaces by a link, file or folder/);
    const sub = await rig.bash(
      "cd deps/sub; echo more >> s.txt; git commit -qam more; cd ../..; git add deps/sub; git commit -qm bump",
      "yes",
    );
    expect(sub.text).toMatch(/git: commit \w+ on main: more \(\.git\/modules\/deps\/sub\)/);
    expect(await rig.undoAll()).toHaveLength(3);
    expect(differences(before, lines())).toEqual([]);
  });
});
