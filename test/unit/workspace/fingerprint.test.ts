import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fingerprint, hashOf } from "../../../src/workspace/fingerprint.ts";
import { systemDisk, type Disk } from "../../../src/workspace/land-disk.ts";
import { scratch } from "../../support/scratch.ts";

/** A disk on which something happens ahead of the first read. */
function disturbed(what: () => void): Disk {
  let done = false;
  return {
    ...systemDisk,
    read(path) {
      if (!done) {
        done = true;
        what();
      }
      return systemDisk.read(path);
    },
  };
}

describe("fingerprint", () => {
  it("W3: a file that goes in the middle of the look is gone", () => {
    const file = join(scratch(), "f");
    writeFileSync(file, "one");
    expect(
      fingerprint(
        disturbed(() => rmSync(file)),
        file,
      ),
    ).toBeUndefined();
  });
  it("W3: stat and hash are of the same file, also when another takes its place in the middle of the look", () => {
    const file = join(scratch(), "f");
    writeFileSync(file, "one");
    writeFileSync(`${file}.new`, "other");
    const print = fingerprint(
      disturbed(() => renameSync(`${file}.new`, file)),
      file,
    );
    expect([print?.size, print?.hash]).toEqual([5, hashOf(Buffer.from("other"))]);
  });
});
