import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Root } from "../../../src/events/event.ts";
import { baseOf, basePath, saveBases } from "../../../src/workspace/base.ts";
import type { Change, ChangeSet, Fingerprint } from "../../../src/workspace/change.ts";
import type { Door } from "../../../src/workspace/door.ts";
import { fingerprint } from "../../../src/workspace/fingerprint.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { scratch } from "../../support/scratch.ts";

function scene() {
  const dir = scratch();
  for (const path of ["work/d", "work/.git", "step"]) mkdirSync(join(dir, path), { recursive: true });
  for (const path of ["f", "d/g", ".git/config"]) writeFileSync(join(dir, "work", path), `text of ${path}`);
  const roots: Root[] = [{ path: join(dir, "work"), kind: "folder" }];
  const stepFolder = join(dir, "step");
  const print = (path: string): Fingerprint => {
    const found = fingerprint(systemDisk, join(dir, "work", path));
    if (found === undefined) throw new Error(`no ${path}`);
    return found;
  };
  const change = (path: string, more: Partial<Change> = {}): Change => ({
    root: 0,
    path,
    op: "modify",
    before: print(path),
    ...more,
  });
  const setOf = (changes: Change[]): ChangeSet => ({ operationId: "op_1", stepFolder, since: "1", changes });
  const save = (...changes: Change[]) => saveBases(systemDisk, roots, setOf(changes));
  // Of a door, a base needs these alone.
  const door = { disk: systemDisk, roots, git: undefined } as Partial<Door> as Door;
  const base = async (of: Change) => (await baseOf(door, setOf([of]), of))?.toString();
  const kept = (path: string) => lstatSync(basePath(stepFolder, 0, path), { throwIfNoEntry: false }) !== undefined;
  return { work: join(dir, "work"), change, save, base, kept, stepFolder, print };
}

describe("the text that a change was made from", () => {
  it("W3: is kept while it is what the step saw, and is given back after the file was changed", async () => {
    const { work, change, save, base, stepFolder } = scene();
    const [f, g] = [change("f"), change("d/g")];
    await save(f, g);
    writeFileSync(join(work, "f"), "mine");
    expect(await base(f)).toBe("text of f");
    expect(await base(g)).toBe("text of d/g");
    expect(basePath(stepFolder, 0, "f")).toBe(`${stepFolder}/b0/f`);
    // Once kept, it stays what it was.
    await save({ ...f, before: { ...(f.before ?? never()), hash: undefined as never } }, change("f"));
    expect(await base(f)).toBe("text of f");
  });
  it.each<[string, (s: ReturnType<typeof scene>) => Change]>([
    [
      "changed before it could be kept",
      (s) => {
        const change = s.change("f");
        writeFileSync(join(s.work, "f"), "mine");
        return change;
      },
    ],
    [
      "gone before it could be kept",
      (s) => {
        const change = s.change("f");
        rmSync(join(s.work, "f"));
        return change;
      },
    ],
    [
      "a link by now",
      (s) => {
        const change = s.change("f");
        rmSync(join(s.work, "f"));
        symlinkSync("d/g", join(s.work, "f"));
        return change;
      },
    ],
    ["changed while the step ran", (s) => s.change("f", { late: true })],
    ["no edit", (s) => s.change("f", { op: "delete" })],
    ["no edit of a file", (s) => s.change("f", { before: { ...s.print("f"), type: "link" } })],
    [
      "without a hash",
      (s) => {
        const { hash: _, ...before } = s.print("f");
        return s.change("f", { before });
      },
    ],
    ["git's own", (s) => s.change(".git/config")],
    ["of no root", (s) => s.change("f", { root: 1 })],
  ])("W3: is not kept where it is %s", async (_name, make) => {
    const s = scene();
    const change = make(s);
    await s.save(change);
    expect(s.kept(change.path)).toBe(false);
    expect(await s.base(change)).toBe(undefined);
    expect(readFileSync(join(s.work, "d/g"), "utf8")).toBe("text of d/g");
  });
});

function never(): never {
  throw new Error("no fingerprint");
}
