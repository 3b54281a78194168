import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChangeSet } from "../../../src/workspace/change.ts";
import { folderHash, openJournal } from "../../../src/workspace/journal.ts";
import { type Disk, systemDisk } from "../../../src/workspace/land-disk.ts";
import type { WorkspaceDeps } from "../../../src/workspace/open.ts";
import { stepTo } from "../../support/change-set.ts";
import { missingOtherDisk, openAt, otherDisk, place } from "../../support/door.ts";
import { needs } from "../../support/runnable.ts";
import { treeLines } from "../../support/tree.ts";

const fail = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

/** A folder with `f` and `d/g`, and a step that edits the one, deletes the other and makes `n` and `m/x`. */
async function scene(deps: Partial<WorkspaceDeps> = {}) {
  const at = place();
  const wanted = join(at.folder, "../wanted");
  for (const dir of [at.folder, wanted]) {
    mkdirSync(join(dir, "d"), { recursive: true });
    writeFileSync(join(dir, "f"), "old\n");
  }
  writeFileSync(join(at.folder, "d/g"), "g\n");
  writeFileSync(join(wanted, "f"), "new\n");
  writeFileSync(join(wanted, "n"), "n\n");
  mkdirSync(join(wanted, "m"));
  writeFileSync(join(wanted, "m/x"), "x\n");
  const ws = await openAt(at, deps);
  const set = await stepTo(ws, "op_1", at.folder, wanted);
  const text = (path: string): string | undefined =>
    existsSync(join(at.folder, path)) ? readFileSync(join(at.folder, path), "utf8") : undefined;
  return { at, ws, set, text, all: () => ["f", "d/g", "n", "m/x"].map(text) };
}

const OLD = ["old\n", "g\n", undefined, undefined];
const NEW = ["new\n", undefined, "n\n", "x\n"];

describe("land", () => {
  it("W3: gives the same answer again for what has landed, whatever became of it since", async () => {
    const { ws, set, all } = await scene();
    const landing = await ws.land(set);
    expect(landing).toMatchObject({ ok: true, operationId: "op_1", merged: [] });
    expect(Object.keys(landing).toSorted()).toEqual(["changes", "merged", "ok", "operationId"]);
    expect(await ws.land(set)).toEqual(landing);
    await ws.undo("op_1");
    expect(all()).toEqual(OLD);
    expect(await ws.land(set)).toMatchObject({ ok: true, operationId: "op_1" });
    expect(all()).toEqual(OLD);
    const paths = (of: typeof landing): string[] => (of.ok ? of.changes.map((c) => c.path) : []);
    expect(paths(await ws.land(set))).toEqual(paths(landing));
  });
  it("W3: a conflict touches nothing, and the step can land once it is gone", async () => {
    const { at, ws, set, text, all } = await scene();
    writeFileSync(join(at.folder, "n"), "mine\n");
    const why = "somebody else made it meanwhile";
    expect(await ws.land(set)).toEqual({ ok: false, operationId: "op_1", conflicts: [{ root: 0, path: "n", why }] });
    expect([text("n"), text("f")]).toEqual(["mine\n", "old\n"]);
    expect(openJournal(systemDisk, at.foldersDir, at.folder).entries()).toEqual([]);
    rmSync(join(at.folder, "n"));
    expect(await ws.land(set)).toMatchObject({ ok: true });
    expect(all()).toEqual(NEW);
  });
  it("W3: rolled back, it can be tried again, also for files too large for a hash", async () => {
    let armed = true;
    const link: Disk["link"] = (from, to) => {
      if (armed && basename(to) === "n" && basename(dirname(to)) === "work") fail("EIO");
      systemDisk.link(from, to);
    };
    const { at, ws, all } = await scene({ disk: { ...systemDisk, link } });
    const big = Buffer.alloc((1 << 20) + 1, "x");
    writeFileSync(join(at.folder, "big"), big);
    const wanted = join(at.folder, "../wanted");
    const set = await stepTo(ws, "op_2", at.folder, wanted);
    await expect(ws.land(set)).rejects.toThrow("EIO");
    expect(all()).toEqual(OLD);
    expect(await ws.journal()).toMatchObject([{ operationId: "op_2", status: "rolled-back" }]);
    armed = false;
    expect(await ws.land(set)).toMatchObject({ ok: true });
    expect([all(), existsSync(join(at.folder, "big"))]).toEqual([NEW, false]);
  });
  describe("where one number is two file systems", () => {
    const crossing = (more: (to: string) => void = () => undefined) => {
      const refuse = (from: string, to: string): void => {
        const inside = (path: string): boolean => path.includes("/work/");
        if (inside(from) === inside(to)) return;
        more(to);
        fail("EXDEV");
      };
      const disk: Disk = {
        ...systemDisk,
        rename: (from, to) => (refuse(from, to), systemDisk.rename(from, to)),
        link: (from, to) => (refuse(from, to), systemDisk.link(from, to)),
      };
      return { disk };
    };
    it("W3: all is staged beside its target instead, and undone as well", async () => {
      const { at, ws, set, all } = await scene(crossing());
      expect(await ws.land(set)).toMatchObject({ ok: true });
      expect(all()).toEqual(NEW);
      expect(readdirSync(at.folder).filter((name) => name.startsWith(".understudy"))).toEqual([]);
      expect(openJournal(systemDisk, at.foldersDir, at.folder).entries()).toHaveLength(2);
      expect(await ws.undo("op_1")).toMatchObject({ ok: true });
      expect(all()).toEqual(OLD);
    });
    it("W3: what somebody made in between is a conflict", async () => {
      let made = false;
      const { at, ws, set, text } = await scene(
        crossing(() => {
          if (!made) writeFileSync(join(at.folder, "n"), "mine\n");
          made = true;
        }),
      );
      expect(await ws.land(set)).toMatchObject({ ok: false, operationId: "op_1", conflicts: [{ path: "n" }] });
      expect([text("n"), text("f")]).toEqual(["mine\n", "old\n"]);
    });
    it("W3: any other refusal is told", async () => {
      const refuse = (to: string): void => (to.includes("/work/") ? fail("EROFS") : undefined);
      const disk: Disk = {
        ...systemDisk,
        link: (from, to) => (refuse(to), systemDisk.link(from, to)),
        rename: (from, to) => (refuse(to), systemDisk.rename(from, to)),
      };
      const { ws, set, all } = await scene({ disk });
      await expect(ws.land(set)).rejects.toThrow("EROFS");
      expect(all()).toEqual(OLD);
    });
  });
  it("W3: what becomes a folder takes what lies in it, never through the link that was there", async () => {
    const at = place();
    const wanted = join(at.folder, "../wanted");
    for (const dir of [at.folder, wanted]) {
      mkdirSync(join(dir, "d"), { recursive: true });
      writeFileSync(join(dir, "d/x"), "x\n");
    }
    symlinkSync("d", join(at.folder, "l"));
    writeFileSync(join(at.folder, "f"), "f\n");
    for (const path of ["l/x", "f/in/y"]) {
      mkdirSync(join(wanted, path, ".."), { recursive: true });
      writeFileSync(join(wanted, path), "new\n");
    }
    const before = treeLines(at.folder);
    const ws = await openAt(at);
    expect(await ws.land(await stepTo(ws, "op_1", at.folder, wanted))).toMatchObject({ ok: true });
    expect(treeLines(at.folder)).toEqual(treeLines(wanted));
    expect(await ws.undo("op_1")).toMatchObject({ ok: true });
    expect(treeLines(at.folder)).toEqual(before);
  });
  it("W4: says which steps can't be undone any more", async () => {
    const { at, ws, set } = await scene({ keep: { steps: 1, bytes: 1e9 } });
    expect(await ws.land(set)).not.toHaveProperty("note");
    const wanted = join(at.folder, "../wanted");
    writeFileSync(join(wanted, "f"), "newer\n");
    const next = await ws.land(await stepTo(ws, "op_2", at.folder, wanted));
    expect(next).toMatchObject({ ok: true, note: expect.stringContaining("op_1") });
  });
  it("W8: every journal whose root may be touched knows of it before the plan is there, the others don't", async (ctx) => {
    needs(ctx, missingOtherDisk());
    const at = place();
    const more = [otherDisk(), otherDisk()].map((path) => ({ path, kind: "added" as const }));
    const [one = "", two = ""] = more.map((root) => root.path);
    const marks = (root: string): string[] =>
      readdirSync(join(at.foldersDir, folderHash(root), "journal")).filter((name) => name.endsWith(".json"));
    const seen: string[][] = [];
    const rename: Disk["rename"] = (from, to) => {
      if (to.endsWith("pass-0.json"))
        seen.push(
          [at.folder, one, two].flatMap((root) =>
            marks(root).map((m) => `${m} ${[at.folder, one, two].indexOf(root)}`),
          ),
        );
      systemDisk.rename(from, to);
    };
    const ws = await openAt(at, { disk: { ...systemDisk, rename } }, more);
    const stage = await ws.stage("op_1", ws.view([]));
    await stage.put(join(one, "b"), Buffer.from("b"));
    expect(await ws.land(await stage.finish())).toMatchObject({ ok: true });
    expect(seen[0]).toEqual(["open-op_1.json 0", "open-op_1.json 1"]);
    expect([at.folder, one, two].map(marks)).toEqual([[], ["at-op_1.json"], []]);
  });
  it("W3: a step of Write and Edit moves its files as they are; a command's are copied where they may carry marks", async () => {
    const at = place();
    writeFileSync(join(at.folder, "f"), "old\n");
    const copies: string[] = [];
    const disk: Disk = { ...systemDisk, copy: (from, to) => (copies.push(from), systemDisk.copy(from, to)) };
    const ws = await openAt(at, { disk });
    const stage = await ws.stage("op_1", ws.view([]));
    await stage.put(join(at.folder, "n"), Buffer.from("n"));
    const set: ChangeSet = await stage.finish();
    copies.length = 0;
    expect(await ws.land(set)).toMatchObject({ ok: true });
    expect(copies).toEqual([]);
    const wanted = join(at.folder, "../wanted");
    mkdirSync(wanted);
    writeFileSync(join(wanted, "f"), "new\n");
    linkSync(join(wanted, "f"), join(wanted, "twin"));
    writeFileSync(join(wanted, "n"), "n");
    expect(await ws.land(await stepTo(ws, "op_2", at.folder, wanted))).toMatchObject({ ok: true });
    expect(copies.length).toBeGreaterThan(0);
    expect(readFileSync(join(at.folder, "twin"), "utf8")).toBe("new\n");
  });
});
