import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Adopted } from "../../../src/workspace/adopt.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { copyTree, stepTo } from "../../support/change-set.ts";
import { openAt, place, type Place } from "../../support/door.ts";
import { treeLines } from "../../support/tree.ts";

async function step(ws: Workspace, at: Place, id: string, edit: (dir: string) => void): Promise<void> {
  const wanted = join(at.foldersDir, `../../wanted-${id}`);
  copyTree(at.folder, wanted);
  edit(wanted);
  expect(await ws.land(await stepTo(ws, id, at.folder, wanted, { whole: true }))).toMatchObject({ ok: true });
}

/** What a hook does behind a step. */
async function hook(ws: Workspace, id: string, work: () => void): Promise<readonly Adopted[]> {
  const sight = await ws.seeStep(id);
  work();
  return sight === undefined ? [] : ws.adoptStep(sight);
}

const put = (dir: string, path: string, text: string): void => writeFileSync(join(dir, path), text);

describe("what hooks change behind a landing", () => {
  it("H6: is the step's: undo restores the bytes of before it, redo those of behind the hook, also in another process", async () => {
    const at = place();
    mkdirSync(join(at.folder, "d"));
    put(at.folder, "d/f", "one");
    put(at.folder, "gone", "g");
    chmodSync(join(at.folder, "d/f"), 0o644);
    writeFileSync(join(at.folder, "big"), Buffer.alloc((1 << 20) + 1, "b"));
    const before = treeLines(at.folder);
    const ws = await openAt(at);
    await step(ws, at, "op_1", (dir) => {
      put(dir, "d/f", "two");
      put(dir, "gone", "h");
      writeFileSync(join(dir, "big"), Buffer.alloc((1 << 20) + 1, "c"));
      mkdirSync(join(dir, "new"));
      put(dir, "new/a", "a");
    });
    const adopted = await hook(ws, "op_1", () => {
      put(at.folder, "d/f", "TWO");
      chmodSync(join(at.folder, "d/f"), 0o755);
      rmSync(join(at.folder, "gone"));
      writeFileSync(join(at.folder, "big"), Buffer.alloc((1 << 20) + 2, "C"));
      put(at.folder, "new/a", "A");
      put(at.folder, "new/more", "m");
    });
    expect(adopted.map((a) => a.path).toSorted()).toEqual(["big", "d/f", "gone", "new"]);
    expect(adopted.find((a) => a.path === "d/f")).toMatchObject({
      before: Buffer.from("two"),
      after: Buffer.from("TWO"),
    });
    const after = treeLines(at.folder);
    for (let n = 0; n < 2; n++) {
      expect(await (await openAt(at)).undo("op_1")).toMatchObject({ ok: true, conflicts: [] });
      expect(treeLines(at.folder)).toEqual(before);
      expect(await (await openAt(at)).redo("op_1")).toMatchObject({ ok: true, conflicts: [] });
      expect(treeLines(at.folder)).toEqual(after);
    }
    expect(statSync(join(at.folder, "d/f")).mode & 0o777).toBe(0o755);
  });
  it("H6: what the person changed before the hook ran stays theirs, and stands in undo's way", async () => {
    const at = place();
    put(at.folder, "a", "one");
    put(at.folder, "b", "one");
    const ws = await openAt(at);
    await step(ws, at, "op_1", (dir) => {
      put(dir, "a", "two");
      put(dir, "b", "two");
    });
    put(at.folder, "a", "mine");
    expect(
      (await hook(ws, "op_1", () => ["a", "b"].forEach((name) => put(at.folder, name, "formatted")))).map(
        (x) => x.path,
      ),
    ).toEqual(["b"]);
    expect(await ws.undo("op_1")).toMatchObject({ ok: false, conflicts: [{ path: "a" }] });
    expect(readFileSync(join(at.folder, "b"), "utf8")).toBe("formatted");
  });
  it("H6: nothing changed is nothing adopted; a step that did not land or is undone has nothing to look at", async () => {
    const at = place();
    put(at.folder, "a", "one");
    const ws = await openAt(at);
    await step(ws, at, "op_1", (dir) => put(dir, "a", "two"));
    expect(await hook(ws, "op_1", () => put(at.folder, "a", "two"))).toEqual([]);
    await ws.undo("op_1");
    expect(await ws.seeStep("op_1")).toBeUndefined();
    expect(await ws.seeStep("op_none")).toBeUndefined();
  });
});
