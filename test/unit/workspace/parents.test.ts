import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Root } from "../../../src/events/event.ts";
import type { ChangeSet } from "../../../src/workspace/change.ts";
import type { Draft } from "../../../src/workspace/conflict.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { addParents, blocked, parentsOf } from "../../../src/workspace/parents.ts";
import { scratch } from "../../support/scratch.ts";

function scene(): { root: Root; set: ChangeSet } {
  const dir = scratch();
  for (const path of ["work/d/e", "step/u0/n/m", "step/u0/d"]) mkdirSync(join(dir, path), { recursive: true });
  writeFileSync(join(dir, "work/f"), "");
  symlinkSync("d", join(dir, "work/l"));
  chmodSync(join(dir, "step/u0/n"), 0o2750);
  writeFileSync(join(dir, "step/u0/odd"), "", { mode: 0o600 });
  const set: ChangeSet = { operationId: "op_1", stepFolder: join(dir, "step"), since: "1", changes: [] };
  return { root: { path: join(dir, "work"), kind: "folder" }, set };
}

describe("the way to a path", () => {
  it("W3: its folders, outermost first", () => {
    expect(parentsOf("a")).toEqual([]);
    expect(parentsOf("a/b/c")).toEqual(["a", "a/b"]);
  });
  it.each<[string, string | undefined, string?]>([
    ["d/x", undefined],
    ["d/e/x", undefined],
    ["d/none/deep/x", undefined],
    ["f", undefined],
    ["l", undefined],
    ["l/x", "its folder l is a link now"],
    ["l/e/x", "its folder l is a link now"],
    ["f/x", "its folder f is no folder now"],
    ["l/x", undefined, "l"],
    ["f/g/x", undefined, "f"],
    ["f/x", "its folder f is no folder now", "l"],
  ])("W3: %s is blocked by: %s", (path, why, made) => {
    const { root } = scene();
    expect(blocked(systemDisk, root, path, (parent) => parent === made)).toBe(why);
  });
});

describe("addParents", () => {
  const comes = (path: string): Draft => ({ root: 0, path, source: { kind: "folder", mode: 0o700 } });
  it("W3: each missing folder comes once, ahead of what lies in it, with the mode of the layer where that has it", () => {
    const { root, set } = scene();
    const drafts = [comes("n/m/x"), comes("n/m/y"), comes("d/e/x"), comes("odd/x"), comes("q/x")];
    const folder = (path: string, mode: number) => ({ root: 0, path, source: { kind: "folder", mode } });
    expect(addParents(systemDisk, [root], set, drafts)).toEqual([
      folder("n", 0o2750),
      folder("n/m", 0o755),
      folder("odd", 0o755),
      folder("q", 0o755),
      ...drafts,
    ]);
  });
  it("W3: none for what goes, and none that the set brings itself", () => {
    const { root, set } = scene();
    const drafts: Draft[] = [{ root: 0, path: "gone/x" }, comes("q"), comes("q/x"), { root: 0, path: "q/y" }];
    expect(addParents(systemDisk, [root], set, drafts)).toEqual(drafts);
  });
  it("W8: of each root by itself", () => {
    const { root, set } = scene();
    const other: Root = { path: join(root.path, "d"), kind: "folder" };
    const drafts = [comes("e/x"), { ...comes("e/x"), root: 1 }, { ...comes("z/x"), root: 1 }, comes("z/x")];
    const added = addParents(systemDisk, [root, other], set, drafts).slice(0, -drafts.length);
    expect(added.map((d) => `${d.root}/${d.path}`)).toEqual(["0/e", "1/z", "0/z"]);
  });
});
