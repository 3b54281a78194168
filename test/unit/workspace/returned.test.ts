import { appendFileSync, chmodSync, cpSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { stepTo } from "../../support/change-set.ts";
import { missingOtherDisk, openAt, place } from "../../support/door.ts";
import { needs } from "../../support/runnable.ts";
import { treeHash } from "../../support/tree.ts";

/** Too large to be hashed when it is fingerprinted. */
const BIG = Buffer.alloc((1 << 20) + 1, "x");

type Edit = (folder: string) => void;
const create: Edit = (dir) => writeFileSync(join(dir, "big"), BIG);
const edits: [string, Edit[]][] = [
  ["changed", [create, (dir) => appendFileSync(join(dir, "big"), "y")]],
  ["deleted", [create, (dir) => rmSync(join(dir, "big"))]],
  ["made executable", [create, (dir) => chmodSync(join(dir, "big"), 0o755)]],
  ["moved", [create, (dir) => renameSync(join(dir, "big"), join(dir, "big2"))]],
  [
    "changed, deleted and made again",
    [
      create,
      (dir) => appendFileSync(join(dir, "big"), "y"),
      (dir) => rmSync(join(dir, "big")),
      (dir) => writeFileSync(join(dir, "big"), "small"),
    ],
  ],
];

async function landAll(ws: Workspace, folder: string, steps: readonly Edit[]): Promise<string[]> {
  const hashes = [treeHash(folder)];
  for (const [n, edit] of steps.entries()) {
    const wanted = join(folder, `../wanted-${n}`);
    cpSync(folder, wanted, { recursive: true, preserveTimestamps: true });
    edit(wanted);
    expect(await ws.land(await stepTo(ws, `op_${n}`, folder, wanted))).toMatchObject({ ok: true });
    hashes.push(treeHash(folder));
  }
  return hashes;
}

describe.each([false, true])("undo of several steps, state on another file system: %s", (apart) => {
  it.each(edits)("W4: a large file %s: all undone, all redone, all undone", async (_, steps) => {
    const at = place(apart);
    const ws = await openAt(at);
    const hashes = await landAll(ws, at.folder, steps);
    const back = steps.map((_step, n) => n).toReversed();
    for (let round = 0; round < 2; round++) {
      for (const n of back) {
        expect(await ws.undo(`op_${n}`)).toMatchObject({ ok: true });
        expect(treeHash(at.folder)).toBe(hashes[n]);
      }
      for (const n of steps.keys()) {
        expect(await ws.redo(`op_${n}`)).toMatchObject({ ok: true });
        expect(treeHash(at.folder)).toBe(hashes[n + 1]);
      }
    }
  });
  it("W4: what the person changed in a large file between two undos stays, times set back or not", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const at = place(apart);
    const ws = await openAt(at);
    await landAll(ws, at.folder, edits[0]?.[1] ?? []);
    expect(await ws.undo("op_1")).toMatchObject({ ok: true });
    const file = join(at.folder, "big");
    const { atime, mtime } = statSync(file);
    writeFileSync(file, Buffer.alloc(BIG.length, "z"));
    utimesSync(file, atime, mtime);
    const mine = treeHash(at.folder);
    expect(await ws.undo("op_0")).toMatchObject({
      ok: false,
      conflicts: [{ path: "big", why: "it was changed since" }],
    });
    expect(treeHash(at.folder)).toBe(mine);
  });
});
