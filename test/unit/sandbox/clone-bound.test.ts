import { lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { boundFor, PLAIN_BOUND } from "../../../src/sandbox/clone-bound.ts";
import { toRaw } from "../../../src/util/bytes.ts";
import type { Node, Tree } from "../../../src/workspace/tree.ts";
import { scratch } from "../../support/scratch.ts";

/** One folder with so many names of one file in it. */
function treeOf(files: number, file: string): Tree {
  const stat = lstatSync(file, { bigint: true });
  const root: Node = { root: 0, path: "", type: "folder", stat, places: [] };
  const names = Array.from({ length: files }, (_, n) => [`f${n}`, "file"] as const);
  const child = (name: string): Node => ({
    ...root,
    path: name,
    type: "file",
    places: [{ real: toRaw(file), layer: 0 }],
  });
  return {
    root: () => Promise.resolve(root),
    child: (_, name) => Promise.resolve(child(name)),
    find: () => Promise.resolve(undefined),
    names: () => Promise.resolve(names),
  };
}

describe("how large a folder may be to be copied for a command", () => {
  it("SANDBOX-0.7: so many entries, no more; where copies share content, more", async () => {
    const dir = scratch("bound");
    const file = join(dir, "file");
    writeFileSync(file, "text");
    const bound = (files: number, leftOut: string[] = []) => boundFor(treeOf(files, file), 1, [new Set(leftOut)], dir);
    const most = await bound(1);
    if (typeof most === "string") throw new Error(most);
    expect(most.entries).toBeGreaterThanOrEqual(PLAIN_BOUND.entries);
    expect(await bound(most.entries)).toEqual(most);
    expect(await bound(most.entries + 1)).toContain(`more than ${most.entries.toLocaleString("en")} files`);
    expect(await bound(most.entries + 1, ["f7"])).toEqual(most);
  });
});
