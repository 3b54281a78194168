import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolders } from "../../../src/workspace/journal.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { scratch } from "../../support/scratch.ts";

describe("makeFolders", () => {
  it("E4: a folder that another process makes at the same moment is there, and no error", () => {
    const wanted = join(scratch(), "state", "deep");
    const made: string[] = [];
    const disk = {
      ...systemDisk,
      mkdir(path: string, mode: number) {
        // The other one is always a moment ahead.
        mkdirSync(path);
        made.push(path);
        systemDisk.mkdir(path, mode);
      },
    };
    makeFolders(disk, wanted);
    expect(made).toEqual([join(wanted, ".."), wanted]);
    expect(systemDisk.lstat(wanted)?.isDirectory()).toBe(true);
  });
});
