import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, linkSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChangeSet } from "../../../src/workspace/change.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { MANY_CHANGES, movableFrom } from "../../../src/workspace/whole.ts";
import { stepTo } from "../../support/change-set.ts";
import { deep } from "../../support/deep.ts";
import { Dead, mortal, watched } from "../../support/disk-faults.ts";
import { openAt, place, type Place } from "../../support/door.ts";
import { treeLines } from "../../support/tree.ts";

/** Files in each of two folders. */
const FILES = MANY_CHANGES + 40;
/** Every writing call with DEEP=1, else every n-th. */
const STRIDE = deep(7, 1);
const deadPid = Number(spawnSync("/bin/sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout);

/** A new folder with more files than are looked at one by one, in two folders; one file beside them. */
function wantedAt(at: Place): string {
  const wanted = join(at.folder, "../wanted");
  for (const dir of ["a/deep", "b"]) {
    mkdirSync(join(wanted, "new", dir), { recursive: true });
    for (let n = 0; n < FILES / 2; n++) writeFileSync(join(wanted, "new", dir, `${n}`), `${n}\n`);
  }
  writeFileSync(join(wanted, "new/alone"), "one\n");
  return wanted;
}

/** What lies in a folder. */
function below(dir: string): string[] {
  return treeLines(dir).slice(1);
}

/** Calls by name of a disk that no test cuts the power of. */
function counted(): { disk: typeof systemDisk; calls: Map<string, number> } {
  const calls = new Map<string, number>();
  return { disk: watched(systemDisk, (name) => void calls.set(name, (calls.get(name) ?? 0) + 1)), calls };
}

async function landed(at = place()): Promise<{ at: Place; set: ChangeSet; ws: Awaited<ReturnType<typeof openAt>> }> {
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wantedAt(at));
  expect(await ws.land(set)).toMatchObject({ ok: true });
  return { at, set, ws };
}

describe.each([false, true])("many new files in new folders, state on another file system: %s", (apart) => {
  it("W3 W4: they land as the folders that they lie in, are told one by one, undone and redone", async () => {
    const at = place(apart);
    const wanted = wantedAt(at);
    const { disk, calls } = counted();
    const ws = await openAt(at, { disk });
    const set = await stepTo(ws, "op_1", at.folder, wanted);
    expect(set.changes.length).toBeGreaterThan(FILES);
    calls.clear();
    expect(await ws.land(set)).toMatchObject({ ok: true, changes: { length: set.changes.length } });
    if (!apart) {
      const most = Math.max(...["link", "copy", "read", "rename"].map((name) => calls.get(name) ?? 0));
      expect(most).toBeLessThan(30);
    }
    expect(below(at.folder)).toEqual(below(wanted));
    calls.clear();
    expect(await ws.undo("op_1")).toMatchObject({ ok: true });
    if (!apart) expect(calls.get("rename")).toBeLessThan(30);
    expect(below(at.folder)).toEqual([]);
    expect(await ws.redo("op_1")).toMatchObject({ ok: true });
    expect(below(at.folder)).toEqual(below(wanted));
    expect(await ws.undo("op_1")).toMatchObject({ ok: true });
    expect(below(at.folder)).toEqual([]);
  });
});

it("W4: what somebody changed, added or removed in such a folder since stands in the way of the undo", async () => {
  const acts: ((folder: string) => void)[] = [
    (folder) => appendFileSync(join(folder, "new/a/deep/7"), "mine"),
    (folder) => writeFileSync(join(folder, "new/b/mine"), ""),
    (folder) => systemDisk.unlink(join(folder, "new/b/3")),
    (folder) => systemDisk.chmod(join(folder, "new/b/3"), 0o600),
    (folder) => {
      const { atime, mtime } = statSync(join(folder, "new/b/3"));
      writeFileSync(join(folder, "new/b/3"), "x\n");
      utimesSync(join(folder, "new/b/3"), atime, mtime);
    },
  ];
  for (const act of acts) {
    const { at, ws } = await landed();
    act(at.folder);
    const now = below(at.folder);
    expect(await ws.undo("op_1")).toMatchObject({ ok: false, conflicts: [{ why: "it was changed since" }] });
    expect(below(at.folder)).toEqual(now);
  }
});

it("W3: what the set does not name stays in the layer, and what is left out does not come with its folder", async () => {
  const at = place();
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wantedAt(at));
  writeFileSync(join(set.stepFolder, "u0/new/b/unnamed"), "");
  const left = [{ root: 0, path: "new/a/deep/5" }];
  expect(await ws.land(set, left)).toMatchObject({ ok: true, changes: { length: set.changes.length - 1 } });
  expect(existsSync(join(at.folder, "new/b/4"))).toBe(true);
  expect(existsSync(join(at.folder, "new/b/unnamed"))).toBe(false);
  expect(existsSync(join(at.folder, "new/a/deep/4"))).toBe(true);
  expect(existsSync(join(at.folder, "new/a/deep/5"))).toBe(false);
});

it("W3: a new folder in one that was there is made anew, since the copy marks it; those in it are the layer's own", async () => {
  const at = place();
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wantedAt(at));
  const inode = (base: string, path: string): number => statSync(join(base, path)).ino;
  const layer = ["new", "new/a", "new/b"].map((path) => inode(join(set.stepFolder, "u0"), path));
  expect(await ws.land(set)).toMatchObject({ ok: true });
  const folder = ["new", "new/a", "new/b"].map((path) => inode(at.folder, path));
  expect(folder.map((ino, n) => ino === layer[n])).toEqual([false, true, true]);
});

it("W3: what the set names and the layer lacks is an error, and nothing lands", async () => {
  const at = place();
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wantedAt(at));
  systemDisk.unlink(join(set.stepFolder, "u0/new/b/9"));
  await expect(ws.land(set)).rejects.toThrow("the new content of new/b/9 is not in its step's folder");
  expect(below(at.folder)).toEqual([]);
});

it("W3: where somebody made the same folder meanwhile, theirs stays and ours comes into it", async () => {
  const at = place();
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wantedAt(at));
  mkdirSync(join(at.folder, "new/b"), { recursive: true });
  writeFileSync(join(at.folder, "new/b/mine"), "mine");
  writeFileSync(join(at.folder, "new/b/3"), "3\n");
  expect(await ws.land(set)).toMatchObject({ ok: true });
  expect(below(at.folder).length).toBe(below(join(at.folder, "../wanted")).length + 1);
  const other = await stepTo(ws, "op_2", at.folder, join(at.folder, "../wanted"));
  expect(other.changes).toMatchObject([{ op: "delete", path: "new/b/mine" }]);
});

it("W3: another file of the same name in such a folder is a conflict, and nothing lands", async () => {
  const at = place();
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wantedAt(at));
  mkdirSync(join(at.folder, "new/b"), { recursive: true });
  writeFileSync(join(at.folder, "new/b/3"), "4\n");
  const now = below(at.folder);
  expect(await ws.land(set)).toMatchObject({ ok: false, conflicts: [{ path: "new/b/3" }] });
  expect(below(at.folder)).toEqual(now);
});

it.each(["forward", "back"] as const)(
  "W5: dead at any writing call of a landing of folders or of its undo, recovery %s makes it all or nothing",
  async (recover) => {
    const quick = watched(systemDisk, () => {});
    const ends = new Set<string>();
    for (const undo of [false, true]) {
      for (let n = 1; ; n += STRIDE) {
        const at = place();
        const first = await openAt(at, { disk: quick });
        const set = await stepTo(first, "op_1", at.folder, wantedAt(at));
        const to = below(join(at.folder, "../wanted"));
        if (undo) await first.land(set);
        const faulty = mortal(systemDisk, n);
        const dying = await openAt(at, { disk: faulty.disk, pid: deadPid });
        faulty.arm();
        const error = await (undo ? dying.undo("op_1") : dying.land(set)).then(
          () => undefined,
          (e: unknown) => e,
        );
        if (error === undefined) break;
        expect(error).toBeInstanceOf(Dead);
        const ws = await openAt(at, { disk: quick, recover });
        const now = below(at.folder);
        expect([[], to], `dead at call ${n}: ${ws.recovered.join()}`).toContainEqual(now);
        ends.add(`${undo ? "undo" : "land"} ${ws.recovered[0]?.split(" ")[0] ?? "nothing"} ${now.length > 0}`);
        expect(await (undo ? ws.undo("op_1") : ws.land(set))).toMatchObject({ ok: true });
        expect(below(at.folder)).toEqual(undo ? [] : to);
      }
    }
    const after =
      recover === "forward"
        ? ["land completed true", "undo completed false"]
        : ["land rolled false", "undo rolled true"];
    expect([...ends]).toEqual(expect.arrayContaining(after));
  },
);

it("W3: files that may carry the copy's own attributes are not moved: what was linked, and what may have been moved or replaced", () => {
  const print = { type: "file", mode: 0o644, size: 1, mtime: "2000", ctime: "2000", ino: "1", nlink: 1 } as const;
  const change = { root: 0, path: "a", op: "create", after: print } as const;
  const moves = (more: Partial<typeof change> | object, others: object[] = []): boolean =>
    movableFrom({ operationId: "op", stepFolder: "/", since: "1000", changes: others as ChangeSet["changes"] })({
      ...change,
      ...more,
    });
  const old = { ...change, after: { ...print, mtime: "500" } };
  expect(moves({})).toBe(true);
  expect(moves({ after: { ...print, nlink: 2 } })).toBe(false);
  expect(moves({ op: "modify" })).toBe(false);
  expect(moves({}, [{ root: 0, path: "b", op: "delete" }])).toBe(false);
  expect(moves({}, [{ root: 1, path: "b", op: "delete" }])).toBe(true);
  expect(moves({}, [{ root: 0, path: "b", op: "modify" }])).toBe(true);
  expect(moves(old)).toBe(true);
  expect(moves(old, [{ root: 0, path: "b", op: "modify" }])).toBe(false);
});

it("W3: a file with a second name is copied out of its layer, the others of its folder one by one", async () => {
  const at = place();
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wantedAt(at));
  const inLayer = join(set.stepFolder, "u0/new/b/3");
  linkSync(inLayer, join(set.stepFolder, "second"));
  const { ino } = statSync(inLayer);
  const changes = set.changes.map((c) =>
    c.path === "new/b/3" && c.after !== undefined ? { ...c, after: { ...c.after, nlink: 2 } } : c,
  );
  expect(await ws.land({ ...set, changes })).toMatchObject({ ok: true });
  expect(statSync(join(at.folder, "new/b/3")).ino).not.toBe(ino);
});
