import { appendFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/workspace/change.ts";
import { type Disk, systemDisk } from "../../../src/workspace/land-disk.ts";
import {
  all,
  type Act,
  BIG,
  check,
  del,
  folder,
  lacking,
  link,
  mode,
  type More,
  none,
  OURS,
  print,
  put,
  TEXT,
  told,
} from "../../support/check-changes.ts";

const MADE = "somebody else made it meanwhile";
const CHANGED = "it was changed meanwhile";
const ELSE = "it became something else meanwhile";
const GONE = "it was deleted meanwhile";
const MODE = "its mode was changed meanwhile";
const UNKNOWN = "it was changed meanwhile, and what it was before is not known";

const conflicts: readonly [string, Act, Act, string, More?][] = [
  ["a new file in what is a link now", put("d/n", "n"), link("d", "."), "d/n: its folder d is a link now"],
  [
    "a new file in what is a file now",
    put("d/n", "n"),
    all(del("d"), put("d", "")),
    "d/n: its folder d is no folder now",
  ],
  ["a new file, another", put("n", "a"), put("n", "b"), `n: ${MADE}`],
  ["a new file, the same with another mode", put("n", "a"), all(put("n", "a"), mode("n", 0o600)), `n: ${MADE}`],
  ["a new file, a folder", put("n", "a"), folder("n"), `n: ${MADE}`],
  ["a new folder, a file", folder("n"), put("n", "a"), `n: ${MADE}`],
  ["a whole new folder, a file", folder("n"), put("n", "a"), `n: ${MADE}`, { whole: true }],
  ["a new link, another", link("n", "f"), link("n", "d"), `n: ${MADE}`],
  ["a new link, a file", link("n", "f"), put("n", "f"), `n: ${MADE}`],
  ["a large new file, which has no hash", put("n", BIG), put("n", BIG), `n: ${MADE}`],
  [
    "a whole new folder, one of the same name with another file inside",
    all(folder("n"), put("n/a", "a"), put("n/b", "b")),
    all(folder("n"), put("n/a", "z")),
    `n/a: ${MADE}`,
    { whole: true },
  ],
  ["a deletion, an edit", del("f"), put("f", "mine"), `f: ${CHANGED}`],
  ["a deletion, another mode", del("f"), mode("f", 0o600), `f: ${CHANGED}`],
  ["a deletion, a link", del("f"), link("f", "d"), `f: ${ELSE}`],
  ["a deletion of a folder, a file", del("d"), all(del("d"), put("d", "")), `d: ${ELSE}`],
  ["a deletion of a link, another link", del("l"), link("l", "d"), `l: ${CHANGED}`],
  ["a deletion that was late when it was seen", del("f"), none, `f: ${CHANGED}`, { as: (c) => ({ ...c, late: true }) }],
  [
    "a deletion of a folder that was late when it was seen",
    del("d"),
    none,
    "d: something in it was changed meanwhile",
    { as: (c) => ({ ...c, late: true }) },
  ],
  [
    "a deletion of a folder with a hash of all that is in it",
    del("d"),
    none,
    "d: something in it was changed meanwhile",
    { as: (c) => ({ ...c, before: { ...print(c.before), hash: "of before" } }) },
  ],
  ["another type, deleted", link("f", "d"), del("f"), `f: ${GONE}`],
  ["another type, edited", link("f", "d"), put("f", "mine"), `f: ${CHANGED}`],
  ["another type, of another type", link("f", "d"), folder("f"), `f: ${ELSE}`],
  ["a mode, deleted", mode("f", 0o700), del("f"), `f: ${GONE}`],
  ["a mode, another type", mode("f", 0o700), link("f", "d"), `f: ${ELSE}`],
  ["a mode, another mode", mode("f", 0o700), mode("f", 0o600), `f: ${MODE}`],
  ["an edit, deleted", put("f", OURS), del("f"), `f: ${GONE}`],
  ["an edit, another type", put("f", OURS), link("f", "d"), `f: ${ELSE}`],
  ["an edit and a mode, another mode", all(put("f", OURS), mode("f", 0o700)), mode("f", 0o600), `f: ${MODE}`],
  ["an edit of a link, another", link("l", "d"), link("l", "big"), `l: ${CHANGED}`],
  ["an edit, an edit on an unknown base", put("f", OURS), put("f", TEXT.replace("six", "VI")), `f: ${UNKNOWN}`],
  [
    "an edit, an edit of the same lines",
    put("f", OURS),
    put("f", TEXT.replace("two", "II")),
    "f: it was changed meanwhile in the same lines",
    { base: TEXT },
  ],
  [
    "a large edit, the same edit, which has no hash",
    (dir) => appendFileSync(join(dir, "big"), "y"),
    (dir) => appendFileSync(join(dir, "big"), "y"),
    `big: ${UNKNOWN}`,
  ],
  [
    "an edit that was late when it was seen",
    put("f", OURS),
    none,
    `f: ${UNKNOWN}`,
    { as: (c) => ({ ...c, late: true }) },
  ],
  ["an edit of a link that was late", link("l", "d"), none, `l: ${CHANGED}`, { as: (c) => ({ ...c, late: true }) }],
];

describe("what is in conflict says why, and nothing of it lands", () => {
  it.each(conflicts)("W3: %s", async (_name, step, person, why, more = {}) => {
    const found = await check(step, person, more);
    expect(told(found)).toBe(why);
    const paths = found.conflicts.map((c) => c.path);
    expect(found.drafts.filter((draft) => paths.includes(draft.path))).toEqual([]);
    expect(found.merged).toEqual([]);
    expect(found.conflicts.every((c) => c.root === 0)).toBe(true);
  });
  it("W3: a folder deleted whole, in which something was made after the step began, names it", async () => {
    const since = { snapshots: new Map([[0, new Map<string, string>()]]), indexKeys: new Map(), marker: undefined };
    const checks = { since: { ...since, readIndex: () => undefined } };
    const found = await check(del("d"), none, { checks });
    expect(told(found)).toBe("d: x in it was changed meanwhile");
    const counted = await check(del("d"), none, {
      checks,
      as: (c) => ({ ...c, late: false, before: { ...print(c.before), hash: "of before" } }),
    });
    expect(told(counted)).toBe("d: something in it was changed meanwhile");
  });
  it("W3: what is late by the step's marker is a conflict, also with the old bytes in it", async () => {
    const since = { snapshots: new Map(), indexKeys: new Map(), marker: 1n, readIndex: () => undefined };
    expect(told(await check(del("f"), none, { checks: { since } }))).toBe(`f: ${CHANGED}`);
    expect(told(await check(put("f", OURS), none, { checks: { since } }))).toBe(`f: ${UNKNOWN}`);
  });
  it("W3: a file that is saved again while it is read is a conflict, not half of each", async () => {
    const disk = (at: string): Disk => ({
      ...systemDisk,
      read: (path) => {
        const bytes = systemDisk.read(path);
        if (path === join(at, "f")) utimesSync(path, 1, bytes.length + reads++);
        return bytes;
      },
    });
    let reads = 0;
    const found = await check(put("f", OURS), put("f", TEXT.replace("six", "VI")), { base: TEXT, disk });
    expect(told(found)).toBe("f: it is being changed right now");
  });
});

describe("a set that can't be right is our fault, not a conflict", () => {
  it.each<[string, Act, (change: Change) => Change, string]>([
    [
      "no fingerprint of what goes",
      del("f"),
      lacking("before"),
      "change of f has no fingerprint of what it takes away",
    ],
    ["no fingerprints of a mode", mode("f", 0o700), lacking("after"), "change of mode of f has no fingerprints"],
    ["no fingerprint of a mode's old", mode("f", 0o700), lacking("before"), "change of mode of f has no fingerprints"],
    ["no fingerprint of an edit", put("f", OURS), lacking("before"), "change of f has no fingerprints"],
    ["no content", put("n", "n"), (c) => ({ ...c, path: "m" }), "the new content of m is not in its step's folder"],
    ["no root", put("n", "n"), (c) => ({ ...c, root: 1 }), "no root 1"],
    [
      "an edit that is a folder",
      folder("n"),
      (c) => ({ ...c, op: "modify", before: print(c.after) }),
      "change of n has no fingerprints",
    ],
  ])("W3: %s", async (_name, step, as, message) => {
    await expect(check(step, none, { as })).rejects.toThrow(message);
  });
});
