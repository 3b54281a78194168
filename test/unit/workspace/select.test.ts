import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Root } from "../../../src/events/event.ts";
import type { Change, ChangeSet, Left } from "../../../src/workspace/change.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { isAtOrBelow, selectChanges, type Wanted } from "../../../src/workspace/select.ts";
import { changesTo } from "../../support/change-set.ts";
import { scratch } from "../../support/scratch.ts";

function fill(dir: string, files: readonly string[]): void {
  mkdirSync(dir);
  for (const path of files) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    if (path.endsWith("/")) mkdirSync(join(dir, path), { recursive: true });
    else writeFileSync(join(dir, path), path);
  }
}

interface Case {
  old: readonly string[];
  now: readonly string[];
  left: readonly Left[];
  whole?: boolean;
  as?: (changes: Change[]) => Change[];
  /** Done to the folder after the set was made. */
  meanwhile?: (folder: string) => void;
  /** Done to the layer. */
  layer?: (upper: string) => void;
}

function select({ old, now, left, whole = true, as = (c) => c, meanwhile, layer }: Case): Wanted[] {
  const dir = scratch();
  const [folder, wanted, stepFolder] = [join(dir, "work"), join(dir, "wanted"), join(dir, "step")];
  fill(folder, old);
  fill(wanted, now);
  const changes = as(changesTo(stepFolder, folder, wanted, { whole }));
  layer?.(join(stepFolder, "u0"));
  meanwhile?.(folder);
  const since = String(lstatSync(folder, { bigint: true }).ctimeNs - 3_600_000_000_000n);
  const roots: Root[] = [{ path: folder, kind: "folder" }];
  const set: ChangeSet = { operationId: "op_1", stepFolder, since, changes };
  return selectChanges(systemDisk, roots, set, left);
}

/** `op path`, with a star where it is a whole folder, a bang where it is late. */
function told(wanted: readonly Wanted[]): string[] {
  return wanted.map(({ change: c, without }) => {
    const marks = `${c.tree === undefined ? "" : "*"}${c.late === true ? "!" : ""}`;
    return `${c.op} ${c.path}${marks}${without === undefined ? "" : ` without ${without.join()}`}`;
  });
}

const leave = (...paths: string[]): Left[] => paths.map((path) => ({ root: 0, path }));
const cases: readonly [string, Case, string[]][] = [
  ["nothing left out", { old: ["a"], now: ["b"], left: [] }, ["delete a", "create b"]],
  ["one of two", { old: ["a"], now: ["b"], left: leave("a") }, ["create b"]],
  ["of another root", { old: ["a"], now: ["b"], left: [{ root: 1, path: "a" }] }, ["delete a", "create b"]],
  [
    "a folder leaves out what is below it, and not its namesakes",
    { old: [], now: ["d/x", "d2", "e/d"], left: leave("d") },
    ["create d2", "create e*"],
  ],
  [
    "in a whole new folder",
    { old: [], now: ["d/x", "d/y/z", "d/y/w"], left: leave("d/y/w") },
    ["create d", "create d/x", "create d/y", "create d/y/z"],
  ],
  ["all that is in a whole new folder", { old: [], now: ["d/x"], left: leave("d/x") }, ["create d"]],
  [
    "in a new folder that comes by its entries",
    { old: [], now: ["d/x", "d/y"], left: leave("d/x"), whole: false },
    ["create d", "create d/y"],
  ],
  [
    "in a folder that goes",
    { old: ["d/x", "d/y/z", "d/y/w", "d/v/u"], now: [], left: leave("d/y/w") },
    ["delete d/v*", "delete d/x", "delete d/y/z"],
  ],
  ["what is not there in a folder that goes", { old: ["d/x"], now: [], left: leave("d/gone") }, ["delete d/x"]],
  [
    "in a folder that goes, which is gone already",
    { old: ["d/x"], now: [], left: leave("d/x"), meanwhile: (dir) => rmSync(join(dir, "d"), { recursive: true }) },
    [],
  ],
  [
    "in a folder that goes, which is a link now",
    {
      old: ["d/x", "d/y"],
      now: [],
      left: leave("d/x"),
      meanwhile: (dir) => {
        rmSync(join(dir, "d"), { recursive: true });
        symlinkSync(".", join(dir, "d"));
      },
    },
    [],
  ],
  ["in a folder that becomes a file", { old: ["d/x"], now: ["d"], left: leave("d/x") }, ["type d"]],
  [
    "hunks",
    {
      old: ["f"],
      now: ["f"],
      left: [
        { root: 0, path: "f", hunks: [1, 2] },
        { root: 1, path: "f", hunks: [3] },
        { root: 0, path: "g", hunks: [4] },
      ],
      as: edited,
    },
    ["modify f without 1,2"],
  ],
  [
    "hunks of a file in a whole folder",
    { old: [], now: ["d/f"], left: [{ root: 0, path: "d/f", hunks: [0] }] },
    ["create d*"],
  ],
  [
    "git's locks",
    { old: [".git/a", "x.lock"], now: [".git/a", ".git/index.lock", "y.lock", "x.lock"], left: [] },
    ["create y.lock"],
  ],
];

function edited(changes: Change[]): Change[] {
  return [...changes, { root: 0, path: "f", op: "modify" }];
}

describe("selectChanges", () => {
  it.each(cases)("P5: left out: %s", (_name, of, wanted) => {
    expect(told(select(of))).toEqual(wanted);
  });
  it("P5: a whole folder's entries come with what the layer says of them; its marks for deletions are none of them", (ctx) => {
    const of: Case = { old: [], now: ["d/x", "d/y/z"], left: leave("d/q") };
    const [, file, folder] = select(of);
    expect(file?.change).toMatchObject({ root: 0, op: "create", path: "d/x", after: { type: "file", size: 3 } });
    expect(folder?.change).toMatchObject({ after: { type: "folder" }, tree: { files: 0, bytes: 0 } });
    void ctx;
  });
  it("W3: of a folder that goes in part, each entry is what lies there now, late where it came after the step", () => {
    const old = ["d/x", "d/y/z"];
    const [file, folder] = select({ old, now: [], left: leave("d/q") });
    expect(file?.change).toMatchObject({ root: 0, op: "delete", before: { type: "file", size: 3 } });
    expect(file?.change.before?.hash).toBeDefined();
    expect(folder?.change).toMatchObject({ before: { type: "folder" }, tree: { files: 0, bytes: 0 } });
    const hashed = (changes: Change[]): Change[] =>
      changes.map((c) => ({ ...c, before: { ...(c.before ?? never()), hash: "all of it" } }));
    expect(told(select({ old, now: [], left: leave("d/q"), as: hashed }))).toEqual(["delete d/x!", "delete d/y*!"]);
    const late = (changes: Change[]): Change[] => changes.map((c) => ({ ...c, late: true }));
    expect(told(select({ old, now: [], left: leave("d/q"), as: late }))).toEqual(["delete d/x!", "delete d/y*!"]);
  });
  it("W3: what was deleted in a folder that became something else goes with it; elsewhere by itself", () => {
    const as = (changes: Change[]): Change[] => [
      ...changes,
      { root: 0, path: "d/x", op: "delete" },
      { root: 0, path: "d/y", op: "create" },
      { root: 0, path: "e/x", op: "delete" },
    ];
    expect(told(select({ old: ["d/x"], now: ["d"], left: [], as }))).toEqual(["type d", "create d/y", "delete e/x"]);
  });
  it("W8: a set of a root that is not there names it", () => {
    const as = (): Change[] => [{ root: 3, path: "x", op: "create" }];
    expect(() => select({ old: [], now: [], left: [], as })).toThrow(
      "change set op_1 names root 3, which is not there",
    );
  });
  it("P5: at or below, not beside", () => {
    const at = ["a", "a/b", "ab", "b/a", "A"].map((path) => isAtOrBelow("a", path));
    expect(at).toEqual([true, true, false, false, false]);
  });
});

function never(): never {
  throw new Error("no fingerprint");
}
