import { chmodSync, copyFileSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ChangeSet } from "../../../src/workspace/change.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { EXPIRED } from "../../../src/workspace/undo.ts";
import { changesTo, stepTo } from "../../support/change-set.ts";
import { Dead, mortal } from "../../support/disk-faults.ts";
import { openAt, otherDisk, missingOtherDisk, place } from "../../support/door.ts";
import { needs } from "../../support/runnable.ts";
import { treeLines } from "../../support/tree.ts";

const bytes = (text: string) => Buffer.from(text);

describe("roots", () => {
  it("W8: a landing over two roots is one step: all or nothing, told in both journals, recovered from either", async (ctx) => {
    needs(ctx, missingOtherDisk());
    const at = place();
    const added = { path: otherDisk(), kind: "added" as const };
    writeFileSync(join(added.path, "b"), "b\n");
    const more = [added];
    for (const killAt of [8, 14, 20, 26]) {
      const id = `op_${killAt}`;
      const faulty = mortal(systemDisk, killAt);
      const ws = await openAt(at, { disk: faulty.disk, pid: 999_999_999 }, more);
      const stage = await ws.stage(id, ws.view([]));
      await stage.put(join(at.folder, id), bytes(id));
      await stage.put(join(added.path, "b"), bytes(`${id}\n`));
      const set = await stage.finish();
      faulty.arm();
      await expect(ws.land(set)).rejects.toBeInstanceOf(Dead);
      // Somebody opens the added folder as his own.
      const other = await openAt({ ...at, folder: added.path });
      const done = readFileSync(join(added.path, "b"), "utf8") === `${id}\n`;
      expect(lstatSync(join(at.folder, id), { throwIfNoEntry: false })?.isFile() === true).toBe(done);
      const again = await openAt(at, {}, more);
      expect(await again.land(set)).toMatchObject({ ok: true });
      const told = (await other.journal()).filter((step) => step.operationId === id);
      expect(told).toMatchObject([{ status: "landed", changes: [{ root: 0, path: "b" }] }]);
    }
    const other = await openAt({ ...at, folder: added.path });
    expect(await other.undo("op_26")).toMatchObject({ ok: true });
    expect(lstatSync(join(at.folder, "op_26"), { throwIfNoEntry: false })).toBeUndefined();
    expect(readFileSync(join(added.path, "b"), "utf8")).toBe("op_20\n");
  });
});

describe("keep", () => {
  it("P9: the layer holds what is kept and nothing that landed or was dropped; drop removes folders without rights", async () => {
    const at = place();
    writeFileSync(join(at.folder, "src"), "old\n");
    const wanted = join(at.folder, "../wanted");
    mkdirSync(join(wanted, "node_modules/m"), { recursive: true });
    writeFileSync(join(wanted, "node_modules/m/index.js"), "12345");
    writeFileSync(join(wanted, "src"), "new\n");
    mkdirSync(join(wanted, "lib/deep"), { recursive: true });
    writeFileSync(join(wanted, "lib/deep/x"), "x");
    const ws = await openAt(at);
    const set = await stepTo(ws, "op_1", at.folder, wanted);
    await ws.saveProposal(set);
    expect(await (await openAt(at)).readProposal("op_1")).toEqual(set);
    expect(await ws.readProposal("op_2")).toBeUndefined();
    const isKept = (path: string) => path.split("/")[0] === "node_modules";
    const left = [{ root: 0, path: "node_modules" }];
    expect(await ws.land(set, left)).toMatchObject({ ok: true });
    expect(await ws.keep(set, (change) => isKept(change.path))).toEqual({ files: 1, bytes: 5 });
    expect(treeLines(`${set.stepFolder}/u0`).map((l) => l.split(" ")[2])).toEqual(
      ["", "node_modules", "node_modules/m", "node_modules/m/index.js"].map((p) => JSON.stringify(p)),
    );
    const seen = await ws.view([set.stepFolder]).list(at.folder);
    expect(seen.map((e) => e.name)).toEqual(["lib", "node_modules", "src"]);
    mkdirSync(join(set.stepFolder, "w/work"), { recursive: true });
    chmodSync(join(set.stepFolder, "w/work"), 0);
    await ws.drop("op_1");
    expect(lstatSync(set.stepFolder, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe("what a command only touched", () => {
  it("P9, W6: is no part of a layer that stays: what the person makes of it later is seen", async () => {
    const at = place();
    const wanted = join(at.folder, "../wanted");
    for (const dir of [at.folder, wanted]) {
      mkdirSync(join(dir, "src/deep"), { recursive: true });
      for (const name of ["top", "src/a", "src/b", "src/deep/c"]) writeFileSync(join(dir, name), "old\n");
    }
    mkdirSync(join(wanted, "dist"));
    writeFileSync(join(wanted, "dist/o"), "new\n");
    writeFileSync(join(wanted, "src/b"), "new\n");
    for (const way of ["kept", "pended"]) {
      const ws = await openAt(at);
      const set = await stepTo(ws, `op_${way}`, at.folder, wanted);
      const upper = join(set.stepFolder, "u0");
      mkdirSync(join(upper, "src/deep"), { recursive: true });
      for (const name of ["top", "src/a", "src/deep/c"]) copyFileSync(join(at.folder, name), join(upper, name));
      if (way === "kept") await ws.keep(set, () => true);
      else await ws.pending(() => false).freeze(set, ws.view([]));
      expect(treeLines(upper).map((l) => l.split(" ")[2])).toEqual(
        ["", "dist", "dist/o", "src", "src/b"].map((p) => JSON.stringify(p)),
      );
      const seen = await ws.view([set.stepFolder]).list(join(at.folder, "src"));
      expect(seen.map((e) => e.name)).toEqual(["a", "b", "deep"]);
    }
  });
});

describe("undo's store", () => {
  it("W4: keeps as many steps as it is told, drops the oldest and says so", async () => {
    const at = place();
    const ws = await openAt(at, { keep: { steps: 2, bytes: 1e9 } });
    writeFileSync(join(at.folder, "f"), "0\n");
    const notes: (string | undefined)[] = [];
    for (let n = 1; n <= 3; n++) {
      const stage = await ws.stage(`op_${n}`, ws.view([]));
      await stage.put(join(at.folder, "f"), bytes(`${n}\n`));
      const landing = await ws.land(await stage.finish());
      notes.push(landing.ok ? landing.note : "conflict");
    }
    expect(notes).toEqual([
      undefined,
      undefined,
      expect.stringContaining("(op_1) can no longer be undone: undo keeps the newest 2 steps"),
    ]);
    expect(await ws.undo("op_3")).toMatchObject({ ok: true });
    expect(await ws.undo("op_2")).toMatchObject({ ok: true });
    expect(await ws.undo("op_1")).toMatchObject({ ok: false, conflicts: [{ path: "f", why: EXPIRED }] });
    expect((await ws.journal()).map((s) => [s.operationId, s.kept])).toEqual([
      ["op_1", false],
      ["op_2", true],
      ["op_3", true],
    ]);
    expect(readFileSync(join(at.folder, "f"), "utf8")).toBe("1\n");
  });
});

describe("locks", () => {
  it("E4: a lock of a living process is named when waiting is over; a dead one's is taken over", async () => {
    const at = place();
    const faulty = mortal(systemDisk, 12);
    const dying = await openAt(at, { disk: faulty.disk });
    const stage = await dying.stage("op_1", dying.view([]));
    await stage.put(join(at.folder, "f"), bytes("f"));
    const set = await stage.finish();
    faulty.arm();
    await expect(dying.land(set)).rejects.toBeInstanceOf(Dead);
    // This very process holds it, so it counts as living.
    const other = await openAt(at, { lockWaitMs: 30 });
    await expect(other.land(set)).rejects.toThrow(`process ${process.pid}`);
  });
});

describe(".git", () => {
  it("SANDBOX-H15: an undo never removes objects; an index that says the same is no change", async () => {
    const at = place();
    const index = (mtime: number): Buffer => {
      const entry = Buffer.alloc(72);
      entry.writeUInt32BE(mtime, 8);
      entry.writeUInt32BE(0o100644, 24);
      entry.writeUInt16BE(1, 60);
      entry.write("a", 62);
      const head = Buffer.from("DIRC\0\0\0\x02\0\0\0\x01", "latin1");
      return Buffer.concat([head, entry, Buffer.alloc(20, mtime)]);
    };
    mkdirSync(join(at.folder, ".git/objects"), { recursive: true });
    writeFileSync(join(at.folder, ".git/index"), index(1));
    writeFileSync(join(at.folder, ".git/HEAD"), "one\n");
    const ws = await openAt(at);
    const { stepFolder, since } = await ws.newStep("op_1");
    const wanted = join(at.folder, "../wanted");
    mkdirSync(join(wanted, ".git/objects/ab"), { recursive: true });
    writeFileSync(join(wanted, ".git/objects/ab/cd"), "object");
    writeFileSync(join(wanted, ".git/HEAD.lock"), "lock");
    writeFileSync(join(wanted, ".git/HEAD"), "two\n");
    writeFileSync(join(wanted, ".git/index"), index(3));
    const set: ChangeSet = {
      operationId: "op_1",
      stepFolder,
      since,
      changes: changesTo(stepFolder, at.folder, wanted),
    };
    // The editor runs `git status` meanwhile, and after the landing once more.
    writeFileSync(join(at.folder, ".git/index"), index(2));
    expect(await ws.land(set)).toMatchObject({ ok: true });
    expect(readFileSync(join(at.folder, ".git/index"))).toEqual(index(3));
    expect(lstatSync(join(at.folder, ".git/HEAD.lock"), { throwIfNoEntry: false })).toBeUndefined();
    writeFileSync(join(at.folder, ".git/index"), index(4));
    expect(await ws.undo("op_1")).toMatchObject({ ok: true, conflicts: [] });
    expect(readFileSync(join(at.folder, ".git/HEAD"), "utf8")).toBe("one\n");
    expect(readFileSync(join(at.folder, ".git/objects/ab/cd"), "utf8")).toBe("object");
  });
});
