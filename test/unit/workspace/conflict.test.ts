import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Change, Fingerprint } from "../../../src/workspace/change.ts";
import { stepTo } from "../../support/change-set.ts";
import { missingOtherDisk, openAt, place } from "../../support/door.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { treeLines } from "../../support/tree.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n";
type Act = (dir: string) => void;
const put =
  (path: string, text: string): Act =>
  (dir) =>
    writeFileSync(join(dir, path), text);
const del =
  (path: string): Act =>
  (dir) =>
    rmSync(join(dir, path), { recursive: true });
const swap: Act = (dir) => {
  rmSync(join(dir, "d"), { recursive: true });
  mkdirSync(join(dir, "../else"), { recursive: true });
  symlinkSync("../else", join(dir, "d"));
};

/** What the step does, what the person does meanwhile, and the paths in conflict ("" lands). */
const table: readonly [string, Act, Act, string][] = [
  ["edit, edit of the same lines", put("f", TEXT.replace("two", "2")), put("f", TEXT.replace("two", "II")), "f"],
  ["edit, edit without a known base", put("f", TEXT.replace("two", "2")), put("f", TEXT.replace("six", "VI")), "f"],
  ["edit, saved with the same bytes", put("f", TEXT.replace("two", "2")), put("f", TEXT), ""],
  ["edit, deleted", put("f", "x\n"), del("f"), "f"],
  ["delete, edited", del("f"), put("f", "mine\n"), "f"],
  ["delete, deleted too", del("f"), del("f"), ""],
  ["delete of a folder, new file inside", del("d"), put("d/new", "mine\n"), "d"],
  ["delete of a folder, edit inside", del("d"), put("d/x", "mine\n"), "d"],
  ["new file, new file", put("n", "a\n"), put("n", "b\n"), "n"],
  ["new file, the same new file", put("n", "a\n"), put("n", "a\n"), ""],
  ["edit in a folder, folder is a link now", put("d/x", "y\n"), swap, "d/x"],
  ["new file in a folder, folder is a link now", put("d/y", "y\n"), swap, "d/y"],
  ["delete in a folder, folder is a link now", del("d/x"), swap, "d/x"],
  ["edit, mode changed: both stay", put("f", "x\n"), (dir) => chmodSync(join(dir, "f"), 0o700), ""],
  [
    "new mode, another new mode",
    (dir) => chmodSync(join(dir, "f"), 0o600),
    (dir) => chmodSync(join(dir, "f"), 0o700),
    "f",
  ],
  ["edit, something else", put("f", "x\n"), put("other", "mine\n"), ""],
];

describe.each([false, true])("conflicts of a command's step, apart %s", (apart) => {
  it.each(table)("W3: %s", async (name, step, person, conflict) => {
    const at = place(apart && missingOtherDisk() === undefined);
    const build = (dir: string): void => {
      mkdirSync(join(dir, "d"), { recursive: true });
      writeFileSync(join(dir, "f"), TEXT);
      writeFileSync(join(dir, "d/x"), "x\n");
    };
    const wanted = join(at.folder, "../wanted");
    build(at.folder);
    build(wanted);
    step(wanted);
    const ws = await openAt(at);
    const set = await stepTo(ws, "op_1", at.folder, wanted);
    person(at.folder);
    const before = treeLines(at.folder);
    const landing = await ws.land(set);
    const paths = landing.ok ? "" : landing.conflicts.map((c) => c.path).join();
    expect(paths).toBe(conflict);
    if (!landing.ok) expect(treeLines(at.folder)).toEqual(before);
    if (name.includes("both stay")) expect(treeLines(at.folder).find((l) => l.includes('"f"'))).toContain("file 700");
    if (conflict === "" && name.endsWith("else")) expect(readFileSync(join(at.folder, "f"), "utf8")).toBe("x\n");
  });
});

describe("a command's step against the person while the question is open", () => {
  const person = TEXT.replace("six", "VI");
  async function proposed(prepare: (dir: string) => void, hashed: boolean, save: boolean) {
    const at = place();
    const wanted = join(at.folder, "../wanted");
    for (const dir of [at.folder, wanted]) {
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, "f"), TEXT);
    }
    prepare(at.folder);
    writeFileSync(join(wanted, "f"), TEXT.replace("two", "2"));
    const ws = await openAt(at, { git: "/usr/bin/git" });
    const full = await stepTo(ws, "op_1", at.folder, wanted);
    const changes = full.changes.filter((c) => c.path === "f").map((c) => (hashed ? c : unhashed(c)));
    const set = { ...full, changes };
    if (save) await ws.saveProposal(set);
    return { at, ws, set };
  }
  it("W3: edits of other lines are merged on the text that was kept with the step", async () => {
    const { at, ws, set } = await proposed(() => undefined, true, true);
    writeFileSync(join(at.folder, "f"), person);
    expect(await ws.land(set)).toMatchObject({ ok: true, merged: [{ path: "f" }] });
    expect(readFileSync(join(at.folder, "f"), "utf8")).toBe(person.replace("two", "2"));
  });
  it("W3: what changed before it could be kept is a conflict, and no base is kept of it", async () => {
    const { at, ws, set } = await proposed(() => undefined, true, false);
    writeFileSync(join(at.folder, "f"), person);
    await ws.saveProposal(set);
    expect(await ws.land(set)).toMatchObject({ ok: false, conflicts: [{ path: "f" }] });
    expect(readFileSync(join(at.folder, "f"), "utf8")).toBe(person);
  });
  it("W3: of a set too large to be hashed a clean file's text is git's, and only a clean one's", async (ctx) => {
    needs(ctx, missingTool("git"));
    const commit = (dir: string): void => {
      const git = (...args: string[]) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: dir });
      git("init", "-q");
      git("add", "f");
      // Racily clean otherwise: the index must be younger than the file.
      utimesSync(join(dir, "f"), 1_700_000_000, 1_700_000_000);
      git("update-index", "--refresh");
      git("commit", "-q", "-m", "x");
    };
    const clean = await proposed(commit, false, true);
    writeFileSync(join(clean.at.folder, "f"), person);
    expect(await clean.ws.land(clean.set)).toMatchObject({ ok: true, merged: [{ path: "f" }] });
    expect(readFileSync(join(clean.at.folder, "f"), "utf8")).toBe(person.replace("two", "2"));
    const dirty = await proposed(
      (dir) => {
        writeFileSync(join(dir, "f"), "else\n");
        commit(dir);
        writeFileSync(join(dir, "f"), TEXT);
      },
      false,
      true,
    );
    writeFileSync(join(dirty.at.folder, "f"), person);
    expect(await dirty.ws.land(dirty.set)).toMatchObject({ ok: false });
  });
});

/** As in a set of many files. */
function unhashed(change: Change): Change {
  const without = (print: Change["before"]) => {
    const { hash: _, ...rest } = print ?? ({} as Fingerprint);
    return rest as Fingerprint;
  };
  return { ...change, before: without(change.before), after: without(change.after) };
}

describe("Write and Edit against the person", () => {
  it("W3: edits of different lines are merged, the same lines are a conflict that touches nothing", async () => {
    const at = place();
    const file = join(at.folder, "f");
    writeFileSync(file, TEXT);
    const ws = await openAt(at);
    const edit = async (id: string, to: string) => {
      const stage = await ws.stage(id, ws.view([]));
      await stage.put(file, Buffer.from(to));
      return stage.finish();
    };
    const set = await edit("op_1", TEXT.replace("two", "2"));
    writeFileSync(`${file}~`, TEXT.replace("five", "5"));
    renameSync(`${file}~`, file);
    expect(await ws.land(set)).toMatchObject({ ok: true, merged: [{ root: 0, path: "f" }] });
    expect(readFileSync(file, "utf8")).toBe(TEXT.replace("two", "2").replace("five", "5"));
    const next = await edit("op_2", "all new\n");
    writeFileSync(file, "mine\n");
    const landing = await ws.land(next);
    expect(landing).toMatchObject({ ok: false, conflicts: [{ path: "f" }] });
    expect(readFileSync(file, "utf8")).toBe("mine\n");
    expect(await ws.undo("op_1")).toMatchObject({ ok: false, conflicts: [{ path: "f" }] });
    expect(readFileSync(file, "utf8")).toBe("mine\n");
  });
  it("P5: what is left out does not land, by file and by hunk", async () => {
    const at = place();
    const lines = Array.from({ length: 30 }, (_x, n) => `line ${n}\n`);
    writeFileSync(join(at.folder, "f"), lines.join(""));
    mkdirSync(join(at.folder, "d"));
    for (const name of ["a", "b"]) writeFileSync(join(at.folder, "d", name), name);
    const ws = await openAt(at);
    const stage = await ws.stage("op_1", ws.view([]));
    const to = lines.with(2, "first\n").with(20, "second\n");
    await stage.put(join(at.folder, "f"), Buffer.from(to.join("")));
    await stage.put(join(at.folder, "n/x"), Buffer.from("x"));
    await stage.put(join(at.folder, "n/y"), Buffer.from("y"));
    await stage.remove(join(at.folder, "d"));
    const left = [
      { root: 0, path: "f", hunks: [0] },
      { root: 0, path: "n/x" },
      { root: 0, path: "d/b" },
    ];
    expect(await ws.land(await stage.finish(), left)).toMatchObject({ ok: true });
    expect(readFileSync(join(at.folder, "f"), "utf8")).toBe(lines.with(20, "second\n").join(""));
    expect(treeLines(at.folder).map((l) => JSON.parse(l.split(" ")[2] ?? "") as string)).toEqual([
      "",
      "d",
      "d/b",
      "f",
      "n",
      "n/y",
    ]);
    expect(await ws.undo("op_1")).toMatchObject({ ok: true });
    expect(treeLines(at.folder).length).toBe(5);
  });
});
