import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listSessions } from "../../../src/events/sessions.ts";
import { pendingEntries, pendingFiles } from "../../../src/events/layers.ts";
import { fillFolder, folderWords, MIXED, play } from "../../support/rehearse.ts";
import { openRig, type Rig } from "../../support/rig.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { place, type Place } from "../../support/session.ts";
import { treeHash } from "../../support/tree.ts";

const rehearsing = { more: { rehearse: true } };
const write = (at: Place, name: string, text: string): void => writeFileSync(join(at.folder, name), text);
const read = (at: Place, name: string): string => readFileSync(join(at.folder, name), "utf8");
const statuses = (rig: Rig): string[] => rig.session.state().steps.map((s) => s.status);
const lastNote = (rig: Rig): string => {
  const note = rig.session.state().items.findLast((item) => item.kind === "note");
  return note?.kind === "note" ? note.text : "";
};

/** Folders of steps that are still there, by the operations they belong to. */
function stepFolders(at: Place): string[] {
  const base = join(at.state, "folders");
  return readdirSync(base).flatMap((name) => {
    const steps = join(base, name, "steps");
    return existsSync(steps) ? readdirSync(steps) : [];
  });
}

describe("a rehearsal", () => {
  it(
    "W6: thirty mixed calls give the same results and the same folder as landing each step",
    { timeout: 120_000 },
    async () => {
      const [each, once] = [place("each"), place("once")];
      for (const at of [each, once]) fillFolder(at);
      const landing = await openRig(each, "ask");
      const landed = await play(landing, MIXED, each.folder);
      const rig = await openRig(once, "ask", rehearsing);
      const before = treeHash(once.folder);
      const rehearsed = await play(rig, MIXED, once.folder);
      expect(MIXED).toHaveLength(30);
      expect(rehearsed).toEqual(landed);
      expect(treeHash(once.folder)).toBe(before);
      const report = await rig.session.land({ yes: true });
      expect(report).toMatchObject({ ok: true });
      expect(folderWords(once.folder)).toEqual(folderWords(each.folder));
      // Regenerable output stays a layer: commands go on seeing it.
      expect((await rig.bash("cat dist/o.js node_modules/p/two.js")).result).toContain("built\n2");
      expect(existsSync(join(once.folder, "dist"))).toBe(false);
      // One step, one undo.
      const undone = await rig.session.undo();
      expect(undone).toMatchObject({ ok: true });
      expect(treeHash(once.folder, { git: false })).toBe(treeHashOf(before, once));
      for (const { session } of [landing, rig]) await session.close();
    },
  );

  it("W6: asks nothing, tells the model what waits, and what leaves the copy still asks", async () => {
    const at = place("re");
    write(at, "a.txt", "one\n");
    const rig = await openRig(at, "ask", rehearsing);
    const made = await rig.call("Write", { file_path: "b.txt", content: "b\n" });
    expect(made).toMatchObject({ status: "ok", asked: [] });
    expect(made.result).toContain("[Pending, not in the folder yet: create b.txt. Later calls see it.]");
    expect(rig.session.state().items.some((i) => i.kind === "note" && i.text.includes("Rehearsal: on."))).toBe(true);
    const out = await rig.call("Bash", { command: "true", network: true }, "no");
    expect(out.asked).toHaveLength(1);
    expect(out.status).toBe("denied");
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
    await rig.session.close();
  });

  it("W6: what a rule denies is denied, plan mode stays read-only, and a person's own command waits too", async () => {
    const at = place("re");
    write(at, "a.txt", "one\n");
    const rules = [{ action: "deny" as const, text: "Edit(secret/**)", source: "cli" as const }];
    const rig = await openRig(at, "ask", { ...rehearsing, rules });
    expect(await rig.bash("mkdir secret && echo x > secret/k")).toMatchObject({ status: "denied", asked: [] });
    await rig.session.setMode("plan");
    expect((await rig.call("Write", { file_path: "p.txt", content: "p\n" })).status).toBe("denied");
    await rig.session.setMode("auto");
    const run = rig.session.shell("echo mine > mine.txt", new AbortController().signal);
    let step = await run.next();
    while (step.done !== true) step = await run.next();
    expect(step.value.note).toBe("pending: create mine.txt");
    expect(readdirSync(at.folder)).toEqual(["a.txt"]);
    expect(pendingEntries(rig.session.state())).toEqual([{ root: 0, path: "mine.txt", op: "create", files: 1 }]);
    await rig.session.close();
  });

  it("W6: ends only when nothing waits; later steps wait as long as something does", async () => {
    const at = place("re");
    const rig = await openRig(at, "auto");
    expect(await rig.session.setRehearsal(true)).toMatchObject({ ok: true });
    await rig.call("Write", { file_path: "b.txt", content: "b\n" });
    const off = await rig.session.setRehearsal(false);
    expect(off).toMatchObject({ ok: false });
    expect(off.text).toContain("1 file pending: /land reviews them");
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true });
    expect(await rig.session.setRehearsal(false)).toMatchObject({ ok: true });
    const done = await rig.call("Write", { file_path: "c.txt", content: "c\n" });
    expect(done.result).toContain("[Landed in the folder: create c.txt.]");
    expect(lastNote(rig)).toContain("Rehearsal: off.");
    await rig.session.close();
  });

  it("W6: survives a restart; the list of sessions shows what waits", async () => {
    const at = place("re");
    const first = await openRig(at, "ask", rehearsing);
    await first.call("Write", { file_path: "b.txt", content: "b\n" });
    await first.bash("echo c > c.txt; rm b.txt; echo d > d.txt");
    await first.session.close();
    expect(listSessions(join(at.state, "sessions"))[0]).toMatchObject({ pending: 2 });
    const rig = await openRig(at, "ask", { more: { resume: first.session.id } });
    expect((await rig.bash("ls")).result).toContain("c.txt\nd.txt");
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true, text: "Landed: 2 files." });
    expect(readdirSync(at.folder)).toEqual(["c.txt", "d.txt"]);
    await rig.session.close();
    expect(listSessions(join(at.state, "sessions"))[0]?.pending).toBeUndefined();
    expect(stepFolders(at)).toEqual([]);
  });

  it("W6: what comes to nothing leaves nothing", async () => {
    const at = place("re");
    write(at, "a.txt", "one\n");
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("echo two > a.txt; echo n > n.txt");
    await rig.bash("echo one > a.txt; rm n.txt");
    const report = await rig.session.land({ yes: true });
    expect(report).toMatchObject({ ok: true });
    expect(report.text).toContain("comes to no change");
    expect(statuses(rig)).not.toContain("pended");
    await rig.session.close();
  });

  it("W6: searches go by the ignore rules that are pending, as a command would", async () => {
    const at = place("re");
    execFileSync("git", ["init", "-q"], { cwd: at.folder });
    write(at, ".gitignore", "old\n");
    for (const name of ["old", "gen"]) {
      mkdirSync(join(at.folder, name));
      write(at, `${name}/f.txt`, `needle in ${name}\n`);
    }
    const rig = await openRig(at, "ask", rehearsing);
    const found = async (): Promise<string[]> => [
      (await rig.call("Grep", { pattern: "needle", output_mode: "files_with_matches" })).result,
      (await rig.call("Glob", { pattern: "**/f.txt" })).result,
    ];
    expect(await found()).toEqual(["gen/f.txt", "gen/f.txt"]);
    await rig.bash("echo gen > .gitignore");
    expect(await found()).toEqual(["old/f.txt", "old/f.txt"]);
    await rig.call("Delete", { file_path: ".gitignore" });
    expect((await found()).map((words) => words.split("\n").length)).toEqual([2, 2]);
    await rig.session.close();
  });

  it("W6: all of it can be dropped, and the folder is as it was", async () => {
    const at = place("re");
    write(at, "a.txt", "one\n");
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("echo two > a.txt; mkdir -p node_modules/x; echo k > node_modules/x/k");
    await rig.call("Write", { file_path: "b.txt", content: "b\n" });
    expect(await rig.session.land({ drop: true })).toMatchObject({ ok: true });
    expect(pendingFiles(rig.session.state())).toBe(0);
    expect((await rig.bash("ls; cat a.txt")).result).toBe("a.txt\none");
    await rig.session.close();
  });

  it("W6: more than fifty layers become one, and nothing of them is lost", { timeout: 120_000 }, async () => {
    const at = place("re");
    write(at, "base.txt", "base\n");
    const rig = await openRig(at, "ask", rehearsing);
    for (let n = 0; n < 52; n++) await rig.call("Write", { file_path: `f${n % 40}.txt`, content: `${n}\n` });
    expect(statuses(rig).filter((s) => s === "pended").length).toBeLessThan(10);
    expect(stepFolders(at).length).toBeLessThan(10);
    const seen = await rig.bash("cat f0.txt f11.txt f12.txt f39.txt; ls | wc -l");
    expect(seen.result).toBe("40\n51\n12\n39\n41");
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true, text: "Landed: 40 files." });
    expect(read(at, "f11.txt")).toBe("51\n");
    await rig.session.close();
  });

  it("W6: where the state's file system takes no marks of deletions, what was deleted stays deleted", async (ctx) => {
    needs(ctx, process.getuid?.() === 0 ? missingTool("bwrap") : "only root can mount");
    const at = place("re");
    const [lower, upper, work] = ["lower", "upper", "work"].map((name) => join(at.home, name));
    for (const dir of [lower, upper, work]) mkdirSync(dir ?? "");
    const flags = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
    execFileSync("mount", ["-t", "overlay", "overlay", "-o", flags, at.state]);
    try {
      mkdirSync(join(at.folder, "d"));
      for (const name of ["a.txt", "d/x", "d/y"]) write(at, name, `${name}\n`);
      const rig = await openRig(at, "ask", rehearsing);
      expect(rig.session.sandbox.contained).toBe(true);
      await rig.call("Delete", { file_path: "a.txt" });
      await rig.bash("rm d/x; echo n > n");
      await rig.bash("rm -r d; mkdir d; echo z > d/z");
      expect((await rig.bash("find . -mindepth 1 | sort")).result).toBe("./d\n./d/z\n./n");
      expect((await rig.call("Glob", { pattern: "**/*" })).result.split("\n").toSorted()).toEqual(["d/z", "n"]);
      expect(readdirSync(at.folder)).toEqual(["a.txt", "d"]);
      expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true });
      expect([readdirSync(at.folder), readdirSync(join(at.folder, "d"))]).toEqual([["d", "n"], ["z"]]);
      await rig.session.close();
    } finally {
      execFileSync("umount", ["-l", at.state]);
    }
  });

  it("W6: without containment a command is refused, and Write, Edit and Delete wait", async () => {
    const at = place("re");
    write(at, "a.txt", "one\n");
    write(at, "gone.txt", "gone\n");
    const rig = await openRig(at, "ask", {
      more: { rehearse: true, machine: { ...(await machineOf(at)), sandboxes: ["none"] } },
    });
    expect(rig.session.sandbox.contained).toBe(false);
    const ran = await rig.bash("echo two > a.txt", "yes");
    expect(ran).toMatchObject({ status: "denied", asked: [] });
    expect(ran.result).toContain("This is a rehearsal, and on this machine commands can't be contained");
    await rig.call("Write", { file_path: "b.txt", content: "b\n" });
    await rig.call("Delete", { file_path: "gone.txt" });
    expect((await rig.call("Glob", { pattern: "*" })).result).toMatch(/^(?:a|b)\.txt\n(?:a|b)\.txt$/);
    expect(readdirSync(at.folder)).toEqual(["a.txt", "gone.txt"]);
    expect(await rig.session.land({ yes: true })).toMatchObject({ ok: true });
    expect(readdirSync(at.folder)).toEqual(["a.txt", "b.txt"]);
    await rig.session.close();
  });
});

/** The tree of before with its git dir left out, as undo leaves objects that nothing refers to. */
function treeHashOf(_before: string, at: Place): string {
  execFileSync("git", ["status", "--short"], { cwd: at.folder });
  const fresh = place("fresh");
  fillFolder(fresh);
  return treeHash(fresh.folder, { git: false });
}

async function machineOf(at: Place) {
  return {
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
    home: at.home,
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    platform: process.platform,
    arch: process.arch,
  };
}

describe("a review", () => {
  it("W6: shows the sum by file and hunk; what is left out is dropped, and told to the model by line", async () => {
    const at = place("re");
    write(at, "a.txt", Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join(""));
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("sed -i 's/line 3$/THREE/; s/line 30$/THIRTY/' a.txt; echo b > b.txt; echo c > c.txt");
    rig.answerNext({
      kind: "yes",
      left: [
        { root: 0, path: "b.txt" },
        { root: 0, path: "a.txt", hunks: [1] },
      ],
    });
    const report = await rig.session.land();
    expect(report).toMatchObject({ ok: true, text: "Landed: 2 files. Dropped: b.txt, a.txt." });
    const question = rig.lastAsked();
    expect(question.effect.changes?.entries.map((e) => [e.op, e.path])).toEqual([
      ["modify", "a.txt"],
      ["create", "b.txt"],
      ["create", "c.txt"],
    ]);
    expect(question.diffs.find((d) => d.path === "a.txt")?.hunks).toHaveLength(2);
    expect(read(at, "a.txt")).toContain("THREE");
    expect(read(at, "a.txt")).not.toContain("THIRTY");
    expect(readdirSync(at.folder)).toEqual(["a.txt", "c.txt"]);
    expect(lastNote(rig)).toBe(
      "The person reviewed what was pending. Landed in the folder: modify a.txt, create c.txt. Not taken, and dropped: the changes of b.txt, a.txt, what begins at line 28 (what begins at line 1 landed; read it again before you edit it). Folder and copy hold these files as they were before; what builds on the changes may be broken.",
    );
    expect(pendingFiles(rig.session.state())).toBe(0);
    expect((await rig.bash("ls; sed -n 31p a.txt")).result).toBe("a.txt\nc.txt\nline 30");
    // What landed in part is another file than the model made.
    const edit = await rig.call("Edit", { file_path: "a.txt", old_string: "THREE", new_string: "3" });
    expect(edit.status).toBe("error");
    await rig.session.close();
  });

  it("W6: a folder edited meanwhile: nothing of it is lost, lines are merged, conflicts are named and stay pending", async () => {
    const at = place("re");
    const lines = (word: string) => Array.from({ length: 20 }, (_, n) => `${word} ${n}\n`).join("");
    for (const name of ["merge.txt", "clash.txt", "same.txt", "removed.txt", "free.txt", "bash.txt"])
      write(at, name, lines(name));
    mkdirSync(join(at.folder, "dir"));
    write(at, "dir/x", "x\n");
    const rig = await openRig(at, "ask", rehearsing);
    for (const name of ["merge.txt", "clash.txt", "same.txt", "removed.txt"]) {
      await rig.call("Read", { file_path: name });
      await rig.call("Edit", { file_path: name, old_string: `${name} 2\n`, new_string: "ours\n" });
    }
    await rig.bash(
      "sed -i 's/ 2$/ ours/' bash.txt; echo free > free.txt; echo made > made.txt; rm -r dir; echo n > n.txt",
    );
    // The person goes on working.
    write(at, "merge.txt", read(at, "merge.txt").replace("merge.txt 15", "theirs"));
    write(at, "bash.txt", read(at, "bash.txt").replace("bash.txt 15", "theirs"));
    write(at, "clash.txt", read(at, "clash.txt").replace("clash.txt 2\n", "theirs\n"));
    write(at, "same.txt", read(at, "same.txt").replace("same.txt 2\n", "ours\n"));
    rmSync(join(at.folder, "removed.txt"));
    write(at, "made.txt", "made by me\n");
    write(at, "dir/y", "mine\n");
    const mine = ["clash.txt", "made.txt", "dir/x", "dir/y"].map((name) => read(at, name));
    const report = await rig.session.land({ yes: true });
    expect(report.ok).toBe(false);
    for (const path of ["clash.txt", "removed.txt", "made.txt", "dir"]) expect(report.text).toContain(`${path}: `);
    expect(["clash.txt", "made.txt", "dir/x", "dir/y"].map((name) => read(at, name))).toEqual(mine);
    expect(existsSync(join(at.folder, "removed.txt"))).toBe(false);
    expect(read(at, "merge.txt")).toBe(
      lines("merge.txt").replace("merge.txt 2\n", "ours\n").replace("merge.txt 15", "theirs"),
    );
    expect(read(at, "bash.txt")).toBe(
      lines("bash.txt").replace("bash.txt 2\n", "bash.txt ours\n").replace("bash.txt 15", "theirs"),
    );
    expect(read(at, "free.txt")).toBe("free\n");
    expect(read(at, "n.txt")).toBe("n\n");
    // What clashed is still there for the model, the rest is landed.
    const waits = pendingEntries(rig.session.state()).map((e) => `${e.op} ${e.path}`);
    expect(waits.toSorted()).toEqual([
      "create made.txt",
      "delete dir/x",
      "delete dir/y",
      "modify clash.txt",
      "modify removed.txt",
    ]);
    expect(
      (await rig.bash("cat made.txt; sed -n 3p clash.txt; sed -n 3p removed.txt; ls dir 2>&1; sed -n 16p merge.txt"))
        .result,
    ).toMatch(/^made\nours\nours\nls: .*\ntheirs$/m);
    expect(lastNote(rig)).toContain("Still pending, since the person changed the folder meanwhile: ");
    // The person takes the edit back: it can land now.
    write(at, "clash.txt", lines("clash.txt"));
    rmSync(join(at.folder, "made.txt"));
    const again = await rig.session.land({ yes: true });
    expect(again.text).toContain("Landed: 2 files.");
    expect(read(at, "clash.txt")).toContain("ours");
    expect(read(at, "made.txt")).toBe("made\n");
    expect(read(at, "dir/y")).toBe("mine\n");
    await rig.session.close();
  });

  it("W6: what the person makes where the rehearsal made or replaced something is none of its own to take away", async () => {
    const at = place("re");
    for (const dir of ["whole", "again", "tight"]) mkdirSync(join(at.folder, dir));
    for (const name of ["whole/x", "again/x", "tight/x"]) write(at, name, "x\n");
    chmodSync(join(at.folder, "tight"), 0o700);
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("rm -r whole; mkdir whole; echo n > whole/n; echo t > brief");
    await rig.bash("rm brief");
    await rig.call("Delete", { file_path: "again", recursive: true });
    await rig.bash("mkdir again; echo y > again/x");
    await rig.call("Write", { file_path: "tight/made", content: "made\n" });
    expect((await rig.bash("stat -c %a tight")).result).toBe("700");
    for (const name of ["whole/mine", "brief"]) write(at, name, "mine\n");
    const report = await rig.session.land({ yes: true });
    expect(report).toMatchObject({ ok: true });
    expect([read(at, "whole/mine"), read(at, "brief")]).toEqual(["mine\n", "mine\n"]);
    expect([readdirSync(join(at.folder, "whole")), read(at, "again/x")]).toEqual([["mine", "n"], "y\n"]);
    expect(statSync(join(at.folder, "tight")).mode & 0o777).toBe(0o700);
    await rig.session.close();
  });

  it("W6: a repository that moved on meanwhile stays pending whole, told once; the files land", async (ctx) => {
    needs(ctx, missingTool("git"));
    const at = place("re");
    fillFolder(at);
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", at.folder, "-c", "user.name=t", "-c", "user.email=t@t.invalid", ...args], {
        encoding: "utf8",
      });
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash(
      "echo more >> docs/d.md && git add -A && git -c user.name=t -c user.email=t@t.invalid commit -qm rehearsed",
    );
    write(at, "src/a.ts", "export const a = 2;\n");
    git("commit", "-qam", "mine");
    const report = await rig.session.land({ yes: true });
    expect(report).toMatchObject({ ok: false });
    expect(report.text).toContain("folder changed meanwhile: .git: the repository moved on meanwhile.");
    expect(git("log", "--format=%s")).toBe("mine\nstart\n");
    expect([git("fsck"), git("status", "--short")]).toEqual(["", " M docs/d.md\n"]);
    expect((await rig.bash("git log --format=%s")).result).toBe("rehearsed\nstart");
    await rig.session.close();
  });

  it("W6: a merged file is shown as it would land: nothing of the person's own lines is in its diff", async () => {
    const at = place("re");
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}\n`).join("");
    write(at, "a.txt", lines);
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("sed -i 's/line 3$/OURS/' a.txt");
    write(at, "a.txt", lines.replace("line 20", "mine"));
    rig.answerNext({ kind: "no" });
    await rig.session.land();
    const { diffs, review } = rig.lastAsked();
    expect(review).toEqual({ conflicts: [], merged: ["a.txt"] });
    const changed = diffs.flatMap((d) => d.hunks).flatMap((h) => h.lines.filter((line) => !line.startsWith(" ")));
    expect(changed).toEqual(["-line 3", "+OURS"]);
    await rig.session.close();
  });

  it("W6: a no keeps all of it pending, and its note is told", async () => {
    const at = place("re");
    const rig = await openRig(at, "ask", rehearsing);
    await rig.call("Write", { file_path: "b.txt", content: "b\n" });
    rig.answerNext({ kind: "no", note: "split it" });
    expect(await rig.session.land()).toMatchObject({ ok: true, text: "Nothing landed: 1 file pending." });
    expect(lastNote(rig)).toContain("split it");
    expect((await rig.bash("cat b.txt")).result).toBe("b");
    expect(readdirSync(at.folder)).toEqual([]);
    await rig.session.close();
  });

  it("W6: only named paths land, the rest stays pending; a name that nothing has is refused", async () => {
    const at = place("re");
    const rig = await openRig(at, "ask", rehearsing);
    await rig.bash("mkdir d; echo 1 > d/1; echo 2 > d/2; echo e > e.txt");
    await expect(rig.session.land({ yes: true, only: ["nosuch"] })).rejects.toThrow("nothing pending is at nosuch");
    expect(await rig.session.land({ yes: true, only: ["d/1"] })).toMatchObject({ ok: true });
    expect([existsSync(join(at.folder, "d/1")), existsSync(join(at.folder, "d/2"))]).toEqual([true, false]);
    expect(pendingFiles(rig.session.state())).toBe(2);
    expect((await rig.bash("cat d/1 d/2 e.txt")).result).toBe("1\n2\ne");
    await rig.session.close();
  });
});

describe("a landing in part", () => {
  it("P5: a renamed file that is left out stays under its old name", async () => {
    const at = place("part");
    write(at, "old.txt", "a long enough text that is moved as it is\n".repeat(5));
    write(at, "x.txt", "x\n");
    const rig = await openRig(at, "ask");
    const done = await rig.bash("mv old.txt new.txt; echo y > x.txt", {
      kind: "yes",
      left: [{ root: 0, path: "new.txt" }],
    });
    expect(done.status).toBe("ok");
    expect(readdirSync(at.folder)).toEqual(["old.txt", "x.txt"]);
    expect(read(at, "x.txt")).toBe("y\n");
    await rig.session.close();
  });

  it("P5: a file of a deleted folder that is left out stays; the rest goes", async () => {
    const at = place("part");
    mkdirSync(join(at.folder, "d/e"), { recursive: true });
    for (const name of ["d/1", "d/2", "d/e/3"]) write(at, name, `${name}\n`);
    const rig = await openRig(at, "ask");
    await rig.bash("rm -r d", { kind: "yes", left: [{ root: 0, path: "d/2" }] });
    expect(readdirSync(join(at.folder, "d"))).toEqual(["2"]);
    await rig.session.close();
  });

  it("P5: the model is told which hunks of a file landed and which did not", async () => {
    const at = place("part");
    write(at, "a.txt", Array.from({ length: 40 }, (_, n) => `line ${n}\n`).join(""));
    const rig = await openRig(at, "ask");
    const done = await rig.bash("sed -i 's/line 3$/THREE/; s/line 30$/THIRTY/' a.txt", {
      kind: "yes",
      left: [{ root: 0, path: "a.txt", hunks: [0] }],
    });
    expect(done.result).toContain(
      "[Landed in the folder: modify a.txt. The person left out the changes of: a.txt, what begins at line 1 (what begins at line 28 landed; read it again before you edit it).]",
    );
    expect(read(at, "a.txt")).toContain("THIRTY");
    expect(read(at, "a.txt")).toContain("line 3\n");
    const fact = done.facts.findLast((f) => f.type === "permission.decided");
    expect(fact).toMatchObject({ outcome: "allow", by: "person", dropped: [{ root: 0, path: "a.txt", hunks: [0] }] });
    await rig.session.close();
  });
});
