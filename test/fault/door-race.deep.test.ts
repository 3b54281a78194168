import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Disk, systemDisk } from "../../src/workspace/land-disk.ts";
import { watched } from "../support/disk-faults.ts";
import { missingOtherDisk, openAt, place } from "../support/door.ts";

const MINE = "the person's\n";
const saves: Readonly<Record<string, (file: string) => void>> = {
  "in place": (file) => writeFileSync(file, MINE),
  "rename over": (file) => {
    writeFileSync(`${file}~`, MINE);
    renameSync(`${file}~`, file);
  },
  "unlink and create": (file) => {
    rmSync(file, { force: true });
    writeFileSync(file, MINE);
  },
};

interface Race {
  file: string;
  foldersDir: string;
  landed: boolean;
  calls: number;
}

/** Lands an edit (or a deletion, or a new file) while `at` runs ahead of each of the door's calls. */
async function race(
  what: "edit" | "delete" | "create",
  apart: boolean,
  at: (n: number, file: string, name: keyof Disk) => void,
): Promise<Race> {
  const where = place(apart);
  const file = join(where.folder, "f");
  if (what !== "create") writeFileSync(file, "old\n");
  let [armed, calls] = [false, 0];
  const disk = watched(systemDisk, (name) => {
    if (armed) at(++calls, file, name);
  });
  const ws = await openAt(where, { disk });
  const stage = await ws.stage("op_1", ws.view([]));
  if (what === "delete") await stage.remove(file);
  else await stage.put(file, Buffer.from("ours\n"));
  const set = await stage.finish();
  armed = true;
  const landing = await ws.land(set);
  armed = false;
  expect(readdirSync(where.folder).filter((name) => name.startsWith(".understudy"))).toEqual([]);
  return { file, foldersDir: where.foldersDir, landed: landing.ok, calls };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

describe.each([false, true])("a save at any moment of a landing, apart %s", (apart) => {
  const far = apart && missingOtherDisk() === undefined;
  it.each(
    Object.keys(saves).flatMap((style) =>
      (["edit", "delete", "create"] as const).map((what) => [what, style] as const),
    ),
  )("W3: %s, the person saves %s: what they saved lies in the folder", async (what, style) => {
    const ends = new Set<boolean>();
    for (let n = 1; ; n++) {
      const run = await race(what, far, (call, file) => (call === n ? saves[style]?.(file) : undefined));
      if (run.calls < n) break;
      expect(textOf(run.file), `saved ahead of call ${n}`).toBe(MINE);
      ends.add(run.landed);
    }
    expect(ends).toEqual(new Set([true, false]));
  });

  it("SANDBOX-H18: a save through a file that was opened before and written later is in the folder or in what undo keeps", async () => {
    for (let n = 1; ; n += 2) {
      let fd = -1;
      const run = await race("edit", far, (call, file) => {
        if (call === n) fd = openSync(file, "r+");
        if (call !== n + 4 || fd < 0) return;
        ftruncateSync(fd);
        writeSync(fd, MINE);
      }).catch((error: unknown) => {
        // The moment at which the name is free.
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      });
      if (fd >= 0) closeSync(fd);
      if (run === undefined) continue;
      if (run.calls < n + 4) break;
      const names = readdirSync(run.foldersDir, { recursive: true, encoding: "utf8" });
      const kept = names.map((name) => textOf(join(run.foldersDir, name)));
      expect([textOf(run.file), ...kept], `opened ahead of call ${n}`).toContain(MINE);
    }
  });
});
