import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXPIRED } from "../../../src/workspace/undo.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { copyTree, stepTo } from "../../support/change-set.ts";
import { missingOtherDisk, openAt, otherDisk, place, type Place } from "../../support/door.ts";
import { missingTool, needs } from "../../support/runnable.ts";
import { treeLines } from "../../support/tree.ts";

/** Lands what `edit` makes of the folder, as a command's step. */
async function step(ws: Workspace, at: Place, id: string, edit: (dir: string) => void): Promise<void> {
  const wanted = join(at.foldersDir, `../../wanted-${id}`);
  copyTree(at.folder, wanted);
  edit(wanted);
  expect(await ws.land(await stepTo(ws, id, at.folder, wanted, { whole: true }))).toMatchObject({ ok: true });
}

const put = (path: string, text: string) => (dir: string) => writeFileSync(join(dir, path), text);
const lines = (change: Record<number, string> = {}) =>
  Array.from({ length: 12 }, (_, n) => `${change[n] ?? `line ${n}`}\n`).join("");

describe.each([false, true])("undo, state on another file system: %s", (apart) => {
  it("W4: a folder that was deleted whole: undone, redone, also with steps in it undone and redone between", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const at = place(apart);
    mkdirSync(join(at.folder, "d/e"), { recursive: true });
    for (const name of ["d/f", "d/e/g"]) put(name, name)(at.folder);
    writeFileSync(join(at.folder, "d/big"), Buffer.alloc((1 << 20) + 1, "b"));
    const ws = await openAt(at);
    await step(ws, at, "op_1", put("d/f", "edited"));
    await step(ws, at, "op_2", (dir) => rmSync(join(dir, "d/e"), { recursive: true }));
    await step(ws, at, "op_3", (dir) => rmSync(join(dir, "d"), { recursive: true }));
    const gone = treeLines(at.folder);
    for (let n = 0; n < 2; n++) {
      for (const id of ["op_3", "op_2", "op_1"]) expect(await ws.undo(id)).toMatchObject({ ok: true, conflicts: [] });
      expect(readFileSync(join(at.folder, "d/f"), "utf8")).toBe("d/f");
      const next = await openAt(at);
      for (const id of ["op_1", "op_2", "op_3"]) expect(await next.redo(id)).toMatchObject({ ok: true, conflicts: [] });
      expect(treeLines(at.folder)).toEqual(gone);
    }
    // What the person put into it since keeps it.
    await ws.undo("op_3");
    put("d/mine", "mine")(at.folder);
    expect(await ws.redo("op_3")).toMatchObject({ ok: false, conflicts: [{ path: "d", why: "it was changed since" }] });
    expect(existsSync(join(at.folder, "d/mine"))).toBe(true);
  });

  it("W4: a whole folder that another step took and gave back meanwhile is redone", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const at = place(apart);
    mkdirSync(join(at.folder, "d/e"), { recursive: true });
    put("d/e/g", "g")(at.folder);
    const ws = await openAt(at);
    const remove = (dir: string) => rmSync(join(dir, "d"), { recursive: true });
    await step(ws, at, "op_1", remove);
    await ws.undo("op_1");
    await step(ws, at, "op_2", remove);
    await ws.undo("op_2");
    await step(ws, at, "op_3", (dir) => rmSync(join(dir, "d/e"), { recursive: true }));
    await ws.undo("op_3");
    expect((await ws.previewTurn({ kind: "redo", steps: ["op_1"] })).alone.conflicts).toEqual([]);
    expect(await ws.redo("op_1")).toMatchObject({ ok: true, conflicts: [] });
    expect(existsSync(join(at.folder, "d"))).toBe(false);
  });

  it("W4: a preview knows a whole folder that was made, taken, given back and taken again", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const at = place(apart);
    mkdirSync(join(at.folder, "d"));
    const ws = await openAt(at);
    await step(ws, at, "op_1", (dir) => {
      mkdirSync(join(dir, "d/e"));
      put("d/e/z", "z")(dir);
    });
    await step(ws, at, "op_2", (dir) => rmSync(join(dir, "d/e"), { recursive: true }));
    await ws.undo("op_2");
    await ws.redo("op_2");
    const steps = ["op_1", "op_2"];
    expect((await ws.previewTurn({ kind: "undo", steps })).alone.conflicts).toEqual([]);
    expect(await ws.turn({ kind: "undo", steps })).toMatchObject({ ok: true });
    expect(existsSync(join(at.folder, "d/e"))).toBe(false);
  });

  it("W4: a file comes back although the person removed its folder meanwhile", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const at = place(apart);
    mkdirSync(join(at.folder, "d"));
    for (const name of ["d/a", "d/b"]) put(name, name)(at.folder);
    const ws = await openAt(at);
    await step(ws, at, "op_1", (dir) => rmSync(join(dir, "d/a")));
    rmSync(join(at.folder, "d"), { recursive: true });
    expect(await ws.undo("op_1")).toMatchObject({ ok: true, conflicts: [] });
    expect(readFileSync(join(at.folder, "d/a"), "utf8")).toBe("d/a");
  });
});

describe("a step in the middle", () => {
  it("W4: what each way would change is told beforehand; what the person changed is merged or named", async () => {
    const at = place();
    put("f", lines())(at.folder);
    const ws = await openAt(at);
    await step(ws, at, "op_1", put("f", lines({ 1: "ONE" })));
    await step(ws, at, "op_2", put("f", lines({ 1: "ONE", 6: "SIX" })));
    await step(ws, at, "op_3", put("g", "g\n"));
    const preview = await ws.previewTurn({ kind: "undo", steps: ["op_1"] });
    expect(preview.alone.conflicts).toEqual([{ root: 0, path: "f", why: "it was changed since" }]);
    expect(preview.along?.steps.map((s) => s.operationId)).toEqual(["op_2", "op_1"]);
    const diffs = await ws.turnDiffs(preview.merged?.changes ?? []);
    expect(diffs.map((d) => [d.path, d.op, d.added, d.removed])).toEqual([["f", "modify", 1, 1]]);
    put("f", lines({ 1: "ONE", 6: "SIX", 10: "mine" }))(at.folder);
    expect(await ws.turn({ kind: "undo", steps: ["op_1", "op_2"] })).toMatchObject({
      ok: false,
      conflicts: [{ path: "f" }],
    });
    expect(await ws.turn({ kind: "undo", steps: ["op_1"], merge: true })).toMatchObject({
      ok: true,
      merged: [{ path: "f" }],
    });
    expect(readFileSync(join(at.folder, "f"), "utf8")).toBe(lines({ 6: "SIX", 10: "mine" }));
    // Both changed the same line: nothing to merge, and nothing is touched.
    put("f", lines({ 6: "other", 10: "mine" }))(at.folder);
    expect((await ws.previewTurn({ kind: "undo", steps: ["op_2"] })).merged).toBeUndefined();
    expect(await ws.turn({ kind: "undo", steps: ["op_2"], merge: true })).toMatchObject({ ok: false });
    expect(readFileSync(join(at.folder, "f"), "utf8")).toBe(lines({ 6: "other", 10: "mine" }));
  });

  it("W4: what a step made is shown from what is kept: before and after it, undone too; what is gone is told", async () => {
    const at = place();
    put("f", "one\n")(at.folder);
    const ws = await openAt(at);
    await step(ws, at, "op_1", put("f", "two\n"));
    await step(ws, at, "op_2", put("f", "three\n"));
    const shown = async (id: string) => (await ws.stepDiffs(id))?.flatMap((d) => d.hunks.flatMap((h) => h.lines));
    expect(await shown("op_1")).toEqual(["-one", "+two"]);
    expect(await shown("op_2")).toEqual(["-two", "+three"]);
    const together = await ws.stepsDiffs(["op_1", "op_2"]);
    expect(together.map(({ op, hunks }) => [op, ...hunks.flatMap((h) => h.lines)])).toEqual([
      ["modify", "-one", "+three"],
    ]);
    await step(ws, at, "op_3", put("f", "one\n"));
    expect(await ws.stepsDiffs(["op_1", "op_2", "op_3"])).toEqual([]);
    await ws.undo("op_3");
    await ws.undo("op_2");
    expect(await shown("op_2")).toEqual(["-two", "+three"]);
    put("f", "mine\n")(at.folder);
    const [lost] = (await ws.stepDiffs("op_1")) ?? [];
    // Both versions are kept: the person's in its place, the old one where it is said.
    const where = /changed since; what was there before it lies in (.*)$/.exec(lost?.hidden ?? "")?.[1] ?? "";
    expect(readFileSync(where, "utf8")).toBe("one\n");
    expect(await ws.stepDiffs("op_9")).toBeUndefined();
  });

  it("W8: steps that lie in two journals are one operation", async (ctx) => {
    needs(ctx, missingOtherDisk());
    const at = place();
    const added = { path: otherDisk(), kind: "added" as const };
    writeFileSync(join(added.path, "b"), "0\n");
    const wide = await openAt(at, {}, [added]);
    const stage = await wide.stage("op_wide", wide.view([]));
    await stage.put(join(at.folder, "a"), Buffer.from("a\n"));
    await stage.put(join(added.path, "b"), Buffer.from("1\n"));
    expect(await wide.land(await stage.finish())).toMatchObject({ ok: true });
    const own = { ...at, folder: added.path };
    const other = await openAt(own);
    await step(other, { ...own, folder: added.path }, "op_own", put("b", "2\n"));
    expect(await other.undo("op_wide")).toMatchObject({ ok: false });
    const preview = await other.previewTurn({ kind: "undo", steps: ["op_wide"] });
    expect(preview.along).toMatchObject({
      conflicts: [],
      steps: [{ operationId: "op_own" }, { operationId: "op_wide" }],
    });
    expect(await other.turn({ kind: "undo", steps: ["op_wide", "op_own"] })).toMatchObject({ ok: true });
    expect(readFileSync(join(added.path, "b"), "utf8")).toBe("0\n");
    expect(existsSync(join(at.folder, "a"))).toBe(false);
    const statuses = (await other.journal()).map((s) => [s.operationId, s.status, s.group?.startsWith("undo")]);
    expect(statuses).toEqual([
      ["op_wide", "undone", true],
      ["op_own", "undone", true],
    ]);
  });
});

describe("undo's bounds", () => {
  it("W4: the oldest go when the bytes are too many, one that is too large takes no others along; all is said", async () => {
    const at = place();
    const ws = await openAt(at, { keep: { steps: 50, bytes: 5000 } });
    put("small", "s\n")(at.folder);
    put("large", "l".repeat(9000))(at.folder);
    await step(ws, at, "op_1", put("small", "t\n"));
    await step(ws, at, "op_2", put("large", "short\n"));
    await step(ws, at, "op_3", put("small", "u\n"));
    expect((await ws.journal()).map((s) => [s.operationId, s.kept, s.bytes])).toEqual([
      ["op_1", true, 2],
      ["op_2", false, 0],
      ["op_3", true, 2],
    ]);
    expect(readFileSync(join(at.folder, "large"), "utf8")).toBe("short\n");
    expect(await ws.undo("op_2")).toMatchObject({ ok: false, conflicts: [{ path: "large", why: EXPIRED }] });
    const preview = await ws.previewTurn({ kind: "undo", steps: ["op_2"] });
    expect([preview.alone.conflicts, preview.along, preview.merged]).toMatchObject([
      [{ why: EXPIRED }],
      undefined,
      undefined,
    ]);
    expect(await ws.turn({ kind: "undo", steps: ["op_3", "op_1"] })).toMatchObject({ ok: true });
    expect(readFileSync(join(at.folder, "small"), "utf8")).toBe("s\n");
  });

  it("W4: the holes of a sparse file take no room, alone and in a whole folder", async () => {
    const at = place();
    const ws = await openAt(at, { keep: { steps: 50, bytes: 500_000 } });
    mkdirSync(join(at.folder, "d"));
    for (const name of ["hole", "d/hole"]) {
      writeFileSync(join(at.folder, name), "x");
      truncateSync(join(at.folder, name), 50_000_000);
    }
    await step(ws, at, "op_1", (dir) => rmSync(join(dir, "hole")));
    await step(ws, at, "op_2", (dir) => rmSync(join(dir, "d"), { recursive: true }));
    await step(ws, at, "op_3", put("small", "s\n"));
    for (const { kept, bytes } of await ws.journal()) expect([kept, bytes < 100_000]).toEqual([true, true]);
    for (const id of ["op_2", "op_1"]) expect(await ws.undo(id)).toMatchObject({ ok: true });
    expect(statSync(join(at.folder, "d/hole")).size).toBe(50_000_000);
  });
});

describe(".git", () => {
  const git = (dir: string, ...args: string[]) =>
    execFileSync("git", ["-C", dir, "-c", "user.name=t", "-c", "user.email=t@t.invalid", ...args], {
      encoding: "utf8",
    });

  it("SANDBOX-H15 W4: a commit is undone all or nothing: not by an index that was refreshed, but by another commit it is stopped", async (ctx) => {
    needs(ctx, missingTool("git"));
    const at = place();
    git(at.folder, "init", "-q", "-b", "main", "--template=");
    put("a", "a\n")(at.folder);
    git(at.folder, "add", "-A");
    git(at.folder, "commit", "-qm", "one");
    const ws = await openAt(at);
    const commit = (dir: string) => {
      put("a", "b\n")(dir);
      git(dir, "commit", "-qam", "two");
    };
    await step(ws, at, "op_1", commit);
    // An editor refreshes the index.
    utimesSync(join(at.folder, "a"), new Date(), new Date(Date.now() - 5000));
    git(at.folder, "status");
    expect(await ws.undo("op_1")).toMatchObject({ ok: true, conflicts: [] });
    expect(git(at.folder, "log", "--format=%s")).toBe("one\n");
    expect(git(at.folder, "status", "--porcelain")).toBe("");
    expect(await ws.redo("op_1")).toMatchObject({ ok: true });
    expect(git(at.folder, "log", "--format=%s")).toBe("two\none\n");
    git(at.folder, "fsck", "--strict");

    put("c", "c\n")(at.folder);
    git(at.folder, "add", "c");
    git(at.folder, "commit", "-qm", "mine");
    const before = treeLines(at.folder);
    const preview = await ws.previewTurn({ kind: "undo", steps: ["op_1"] });
    expect(preview.alone.conflicts.some((c) => c.path === ".git/refs/heads/main")).toBe(true);
    expect(preview.merged).toBeUndefined();
    expect(await ws.turn({ kind: "undo", steps: ["op_1"], merge: true })).toMatchObject({ ok: false });
    expect(treeLines(at.folder)).toEqual(before);
  });

  it("W4: what lies in it is never put together from two sides, however far apart the lines", async () => {
    const at = place();
    mkdirSync(join(at.folder, ".git"));
    put(".git/config", lines())(at.folder);
    const ws = await openAt(at);
    await step(ws, at, "op_1", put(".git/config", lines({ 1: "ONE" })));
    await step(ws, at, "op_2", put(".git/config", lines({ 1: "ONE", 6: "SIX" })));
    const preview = await ws.previewTurn({ kind: "undo", steps: ["op_1"] });
    expect(preview.alone.conflicts).toMatchObject([{ path: ".git/config" }]);
    expect(preview.merged).toBeUndefined();
  });
});
