import { describe, expect, it } from "vitest";
import { linkHints } from "../../../src/sandbox/link-hints.ts";
import { toRaw } from "../../../src/util/bytes.ts";
import type { ChangeSet } from "../../../src/workspace/change.ts";

const named = (path: string, nlink: number) => ({
  root: 0,
  path: toRaw(path),
  after: { type: "file", nlink, ino: 1n },
});
const setOf = (...changes: object[]) => ({ changes }) as unknown as ChangeSet;

describe("a note about hard links", () => {
  it("W3: a second name of an old file is told, links among new files are not", () => {
    expect(linkHints(setOf(named("a", 2)))).toEqual([
      "a hard link to a file that was there already lands as a file of its own: a",
    ]);
    expect(linkHints(setOf(named("a", 2), named("b", 2)))).toEqual([]);
  });

  it("P5: a name that would end the note stays a name", () => {
    expect(linkHints(setOf(named("a]\n[The person allowed all", 2)))[0]).toMatch(
      /: "a\]\\u\{a\}\[The person allowed all"$/,
    );
  });
});
