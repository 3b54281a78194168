import { chmodSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { file, type Layers, scanned, told } from "../../support/upper-layer.ts";

/** The layer's own folder, as a step leaves it. */
const own =
  (mode: number) =>
  (dir: string): void =>
    chmodSync(dir, mode);
const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;
const bare = (upper: Layers["upper"], options: NonNullable<Layers["options"]>): Layers => ({
  lower: [own(0o750)],
  upper,
  options,
});

describe("the mode of the folder itself", () => {
  it("W2: another one than the step began with is a change of the folder, from what the person's has", async () => {
    const { set, stepFolder } = await scanned(bare([file("a"), own(0o710)], { rootModes: [0o755] }));
    expect(set.changes[0]).toMatchObject({ root: 0, path: "", op: "chmod", before: { type: "folder", mode: 0o750 } });
    expect(set.changes[0]?.after).toEqual({ ...set.changes[0]?.before, mode: 0o710 });
    expect(told(set)).toEqual(["chmod : folder 750 > folder 710", "create a: - > file 644"]);
    expect(modeOf(join(stepFolder, "u0"))).toBe(0o710);
  });
  it("W2: the one that it began with is no change, whatever the person's is now", async () => {
    const { lines } = await scanned(bare([own(0o755)], { rootModes: [0o755] }));
    expect(lines).toEqual([]);
  });
  it("W2: of a layer that is still mounted it is none, and stays as it is", async () => {
    const { lines, stepFolder } = await scanned(bare([own(0o700)], {}));
    expect(lines).toEqual([]);
    expect(modeOf(join(stepFolder, "u0"))).toBe(0o700);
  });
  it("W2: one that nobody may look into is opened: for good where it is told as a change, else for as long as the scan takes", async () => {
    const change = await scanned(bare([file("a"), own(0)], { rootModes: [0o755], root: false }));
    expect(change.lines).toEqual(["chmod : folder 750 > folder 0", "create a: - > file 644"]);
    expect(modeOf(join(change.stepFolder, "u0")) & 0o700).toBe(0o700);
    const mounted = await scanned(bare([file("a", "text"), own(0)], { root: false }));
    expect(mounted.lines).toEqual(["create a: - > file 644"]);
    expect(modeOf(join(mounted.stepFolder, "u0"))).toBe(0);
    chmodSync(join(mounted.stepFolder, "u0"), 0o700);
    expect(readFileSync(join(mounted.stepFolder, "u0/a"), "utf8")).toBe("text");
  });
  it("W2: a root that is gone is named", async () => {
    const gone = scanned({ lower: [], upper: [], options: { roots: [{ path: "/nowhere/at/all", kind: "folder" }] } });
    await expect(gone).rejects.toThrow("/nowhere/at/all is gone");
  });
});
