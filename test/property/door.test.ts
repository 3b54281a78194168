import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stepTo } from "../support/change-set.ts";
import { deepRuns } from "../support/deep.ts";
import { missingOtherDisk, openAt, place } from "../support/door.ts";
import { needs } from "../support/runnable.ts";
import { treeLines } from "../support/tree.ts";

/** A small tree; names repeat between two of them, so that types and contents clash. */
type Tree = { [name: string]: Node };
type Node =
  | { kind: "file"; text: string; mode: number }
  | { kind: "big"; seed: number }
  | { kind: "twin"; text: string }
  | { kind: "link"; to: string }
  | { kind: "folder"; mode: number; tree: Tree };

const name = fc.constantFrom("a", "b", "c", "\xff\n", "d e");
const leaf = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("file" as const),
      text: fc.constantFrom("", "x\n", "y\nz\n", "w"),
      mode: fc.constantFrom(0o644, 0o755, 0o400),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("big" as const), seed: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("twin" as const), text: fc.constantFrom("t", "u") }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("link" as const), to: fc.constantFrom("a", "../b", "/nowhere") }),
  },
);
const { tree } = fc.letrec<{ node: Node; tree: Tree }>((tie) => ({
  tree: fc.dictionary(name, tie("node"), { maxKeys: 4 }),
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ kind: fc.constant("folder" as const), mode: fc.constantFrom(0o755, 0o700, 0o555), tree: tie("tree") }),
  ),
}));

/** What long runs found: a link that leads to itself, replaced by a folder with something below. */
const LOOPS: [Tree, Tree, boolean][] = [
  [
    { a: { kind: "link", to: "a" } },
    { a: { kind: "folder", mode: 0o755, tree: { a: { kind: "folder", mode: 0o755, tree: {} } } } },
    false,
  ],
];

function build(dir: string, of: Tree): void {
  for (const [key, node] of Object.entries(of)) {
    const at = Buffer.from(`${dir}/${key}`, "latin1");
    if (node.kind === "file") {
      writeFileSync(at, node.text);
      chmodSync(at, node.mode);
    } else if (node.kind === "big") writeFileSync(at, Buffer.alloc((1 << 20) + 1 + node.seed, node.seed));
    else if (node.kind === "link") symlinkSync(node.to, at);
    else if (node.kind === "twin") {
      writeFileSync(at, node.text);
      linkSync(at, Buffer.concat([at, Buffer.from("2")]));
    } else {
      mkdirSync(at);
      build(at.toString("latin1"), node.tree);
      chmodSync(at, node.mode);
    }
  }
}

describe.each([false, true])("the door, state on another file system: %s", (apart) => {
  it("W3 W4: any change set lands to the tree it was made for; undo gives the tree of before, redo the one of after", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    await fc.assert(
      fc.asyncProperty(tree, tree, fc.boolean(), async (from, to, whole) => {
        const at = place(apart);
        const wanted = join(at.folder, "../wanted");
        mkdirSync(wanted);
        build(at.folder, from);
        build(wanted, to);
        const before = treeLines(at.folder);
        const after = treeLines(wanted);
        const ws = await openAt(at);
        const set = await stepTo(ws, "op_1", at.folder, wanted, { whole });
        expect(treeLines(at.folder)).toEqual(before);
        expect(await ws.land(set)).toMatchObject({ ok: true });
        expect(treeLines(at.folder)).toEqual(after);
        expect(await ws.undo("op_1")).toMatchObject({ conflicts: [] });
        expect(treeLines(at.folder)).toEqual(before);
        expect(await (await openAt(at)).redo("op_1")).toMatchObject({ ok: true, conflicts: [] });
        expect(treeLines(at.folder)).toEqual(after);
      }),
      { ...deepRuns(40, 1000), examples: LOOPS },
    );
  });
});
