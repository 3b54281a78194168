import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileSystemSync } from "../../../src/sandbox/sync-fs.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { MAX_SYNCS } from "../../../src/workspace/land-pass.ts";
import { stepTo } from "../../support/change-set.ts";
import { openAt, place } from "../../support/door.ts";

/** Lands `files` new files; how often single files were made durable, and which file systems as a whole. */
async function landed(files: number, apart: boolean): Promise<{ single: number; folders: number; whole: string[] }> {
  const at = place(apart);
  const wanted = join(at.folder, "../wanted");
  mkdirSync(wanted);
  for (let n = 0; n < files; n++) writeFileSync(join(wanted, `f${n}`), `${n}\n`);
  const count = { single: 0, folders: 0, whole: [] as string[] };
  const sync = (path: string): void => {
    count.single++;
    if (path === at.folder) count.folders++;
    systemDisk.sync(path);
  };
  const disk = { ...systemDisk, sync };
  const syncFs = (folder: string): Promise<void> => (count.whole.push(folder), Promise.resolve());
  const ws = await openAt(at, { disk, syncFs });
  const set = await stepTo(ws, "op_1", at.folder, wanted);
  count.single = 0;
  expect(await ws.land(set)).toMatchObject({ ok: true });
  expect(await ws.undo("op_1")).toMatchObject({ ok: true });
  const name = (path: string): string => (path === at.folder ? "folder" : path === at.foldersDir ? "state" : path);
  return { ...count, whole: count.whole.map(name) };
}

describe.each([false, true])("state on another file system: %s", (apart) => {
  it("W3: few files are made durable one by one, many with their whole file system, before the plan and before the end", async () => {
    const few = await landed(3, apart);
    expect(few.whole).toEqual([]);
    const many = await landed(MAX_SYNCS + 1, apart);
    // The undo fills nothing; copies of what it took away lie in the state folder. Folders are few, and synced by themselves.
    expect(many.whole).toEqual(apart ? ["state", "folder", "state"] : ["state"]);
    expect(many.folders).toEqual(few.folders);
    // The journal's own files, however many files there are.
    expect(many.single).toBeLessThan(few.single + 10);
  });
});

it("W3: a file system is made durable by the machine's own sync, and a folder that is gone is no reason to fail", async () => {
  const at = place();
  const sync = fileSystemSync([at.folder]);
  await expect(sync?.(at.folder)).resolves.toBeUndefined();
  await expect(sync?.(join(at.folder, "none"))).resolves.toBeUndefined();
  expect(fileSystemSync(["/usr", "/bin", "/sbin"])).toBeUndefined();
});
