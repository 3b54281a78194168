import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { upperOf } from "../../../src/workspace/change.ts";
import { hasEntry, treeStamp } from "../../../src/workspace/stamp.ts";
import { scratch } from "../../support/scratch.ts";

const never = () => new AbortController().signal;

function tree(): { folder: string; stamp: (layers?: string[]) => Promise<string> } {
  const folder = join(scratch("stamp"), "p");
  mkdirSync(join(folder, "src", ".git"), { recursive: true });
  mkdirSync(join(folder, "node_modules", "x"), { recursive: true });
  writeFileSync(join(folder, "src", "a.ts"), "a");
  writeFileSync(join(folder, "node_modules", "x", "i.js"), "i");
  const roots = [{ path: folder, kind: "folder" as const }];
  return { folder, stamp: (layers = []) => treeStamp(roots, layers, () => true, never()) };
}

describe("the hash of a tree", () => {
  it("S9: stays while nothing changes, and not for what builds write or git keeps", async () => {
    const { folder, stamp } = tree();
    const before = await stamp();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(await stamp()).toBe(before);
    writeFileSync(join(folder, "node_modules", "x", "new.js"), "n");
    writeFileSync(join(folder, "src", ".git", "HEAD"), "x");
    expect(await stamp()).toBe(before);
  });

  it.each<[string, (folder: string) => void]>([
    ["a new file", (f) => writeFileSync(join(f, "b"), "")],
    ["an empty folder", (f) => mkdirSync(join(f, "d"))],
    ["a deleted file", (f) => rmSync(join(f, "src", "a.ts"))],
    ["a link", (f) => symlinkSync("a.ts", join(f, "src", "l"))],
    ["a mode", (f) => chmodSync(join(f, "src", "a.ts"), 0o700)],
    [
      "other bytes of the same size, with the old time put back",
      (f) => {
        const file = join(f, "src", "a.ts");
        utimesSync(file, 1, 1);
        writeFileSync(file, "b");
        utimesSync(file, 1, 1);
      },
    ],
  ])("S9: %s makes another tree", async (_name, change) => {
    const { folder, stamp } = tree();
    const before = await stamp();
    change(folder);
    expect(await stamp()).not.toBe(before);
  });

  it("S9: layers over the folder count as what they make of it", async () => {
    const { stamp } = tree();
    const step = scratch("layer");
    mkdirSync(join(upperOf(step, 0), "src"), { recursive: true });
    const before = await stamp();
    writeFileSync(join(upperOf(step, 0), "src", "b.ts"), "b");
    const pending = await stamp([step]);
    expect(pending).not.toBe(before);
    expect(await stamp([step])).toBe(pending);
  });

  it("S9: a folder that is gone, or an end by the person, gives no hash", async () => {
    const { folder, stamp } = tree();
    rmSync(folder, { recursive: true });
    const gone = await stamp();
    expect(gone === "" || gone.length === 64).toBe(true);
    expect(await treeStamp([{ path: "/", kind: "folder" }], [], () => true, AbortSignal.abort())).toBe("");
  });

  it("S9: entries are found below folders that may hold them, and no others are looked at", async () => {
    const { folder } = tree();
    const looked: string[] = [];
    const roots = [{ path: folder, kind: "folder" as const }];
    const found = (name: string) =>
      hasEntry(roots, [], never(), (path) => {
        looked.push(path);
        return path === name ? "yes" : name.startsWith(`${path}/`) ? "below" : "no";
      });
    expect(await found("src/a.ts")).toBe(true);
    expect(await found("src/none")).toBe(false);
    expect(looked.filter((path) => path.startsWith("node_modules/"))).toEqual([]);
  });
});
