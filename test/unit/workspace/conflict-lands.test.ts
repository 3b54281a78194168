import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/workspace/change.ts";
import type { Drafts } from "../../../src/workspace/conflict.ts";
import { fingerprint, treePrint } from "../../../src/workspace/fingerprint.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
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
import { scratch } from "../../support/scratch.ts";

const CHANGED = "it was changed meanwhile";
const ELSE = "it became something else meanwhile";
const UNKNOWN = "it was changed meanwhile, and what it was before is not known";

/** What lands: `path kind mode[: text]`, with what it takes away in brackets. */
function landing({ drafts, merged }: Drafts): string {
  const lines = drafts.map(({ path, before, source, mode: bits, plain }) => {
    const old = before === undefined ? "" : ` [${before.type}${plain === true ? ", empty" : ""}]`;
    if (bits !== undefined) return `${path} ${bits.from.toString(8)} to ${bits.to.toString(8)}${old}`;
    const text = source?.kind === "bytes" ? `: ${JSON.stringify(Buffer.from(source.bytes).toString())}` : "";
    const what = source === undefined ? "goes" : `${source.kind} ${source.mode.toString(8)}`;
    return `${path} ${what}${text}${old}`;
  });
  return [...lines, ...merged.map((m) => `${m.path} merged`)].join("; ");
}

const six = TEXT.replace("six", "VI");
const both = JSON.stringify(OURS.replace("six", "VI"));
const landings: readonly [string, Act, Act, string, More?][] = [
  ["a new file", all(put("n", "a"), mode("n", 0o640)), none, "n upper 640"],
  ["a new file, the same", put("n", "a"), put("n", "a"), ""],
  ["a new link, the same", link("n", "f"), link("n", "f"), ""],
  ["a new folder by itself", all(folder("n"), put("n/a", "a")), none, "n folder 755; n/a upper 644"],
  ["a new folder whole", all(folder("n"), put("n/a", "a")), none, "n upper 755", { whole: true }],
  ["a new folder, the same", all(folder("n"), put("n/a", "a")), folder("n"), "n/a upper 644"],
  [
    "a new folder whole, one of the same name with other files",
    all(folder("n"), put("n/a", "a"), put("n/b", "b")),
    all(folder("n"), put("n/b", "b"), put("n/c", "c")),
    "n/a upper 644",
    { whole: true },
  ],
  ["a deletion", del("f"), none, "f goes [file]"],
  ["a deletion, deleted too", del("f"), del("f"), ""],
  ["a deletion of a folder, deleted too", del("d"), del("d"), ""],
  ["a deletion, saved with the same bytes", del("f"), put("f", TEXT), "f goes [file]"],
  ["a deletion of a folder", del("d"), none, "d goes [folder]"],
  ["a deletion of a folder alone", del("d"), none, "d goes [folder, empty]", { as: lacking("tree") }],
  ["a file becomes a link", link("f", "d"), none, "f upper 777 [file]"],
  ["a file becomes a folder", all(folder("f"), put("f/a", "a")), none, "f folder 755 [file]; f/a upper 644"],
  ["a link becomes a folder", all(folder("l"), put("l/x", "a")), none, "l folder 755 [link]; l/x upper 644"],
  ["a mode", mode("f", 0o700), none, "f 644 to 700 [file]"],
  ["a mode, edited", mode("f", 0o700), put("f", six), "f 644 to 700 [file]"],
  ["a mode, the same", mode("f", 0o700), mode("f", 0o700), ""],
  ["an edit", put("f", OURS), none, "f upper 644 [file]"],
  ["an edit, saved with the same bytes", put("f", OURS), put("f", TEXT), "f upper 644 [file]"],
  ["an edit, the same edit", put("f", OURS), put("f", OURS), ""],
  ["an edit and a mode, the same edit", all(put("f", OURS), mode("f", 0o700)), put("f", OURS), "f 644 to 700 [file]"],
  ["an edit, another mode", put("f", OURS), mode("f", 0o600), "f upper 600 [file]"],
  ["an edit and a mode, the same mode", all(put("f", OURS), mode("f", 0o700)), mode("f", 0o700), "f upper 700 [file]"],
  ["an edit of a link", link("l", "d"), none, "l upper 777 [link]"],
  ["an edit of a large file", (dir) => appendFileSync(join(dir, "big"), "y"), none, "big upper 644 [file]"],
  [
    "an edit, an edit of other lines",
    put("f", OURS),
    put("f", six),
    `f bytes 644: ${both} [file]; f merged`,
    { base: TEXT },
  ],
  [
    "an edit and a mode, an edit of other lines",
    all(put("f", OURS), mode("f", 0o700)),
    put("f", six),
    `f bytes 700: ${both} [file]; f merged`,
    { base: TEXT },
  ],
  ["an edit without its hunk", put("f", OURS), none, "", { without: [0] }],
  [
    "a mode without the edit's hunk",
    all(put("f", OURS), mode("f", 0o700)),
    none,
    `f bytes 700: ${JSON.stringify(TEXT)} [file]`,
    { without: [0] },
  ],
  [
    "an edit with its hunks named, none left out",
    put("f", OURS),
    none,
    `f bytes 644: ${JSON.stringify(OURS)} [file]`,
    { without: [] },
  ],
  ["an edit without its hunk, an edit of other lines", put("f", OURS), put("f", six), "", { base: TEXT, without: [0] }],
  ["an edit with its hunks named, the same edit", put("f", OURS), put("f", OURS), "", { base: TEXT, without: [] }],
];

describe("what can land", () => {
  it.each(landings)("W3: %s", async (_name, step, person, lands, more = {}) => {
    const found = await check(step, person, more);
    expect(found.conflicts).toEqual([]);
    expect(landing(found)).toBe(lands);
    for (const draft of found.drafts) {
      const now = fingerprint(systemDisk, join(found.at, draft.path));
      const { hash: _, ...seen } = draft.before ?? {};
      if (draft.before !== undefined) expect(now).toMatchObject(seen);
    }
  });
  it("W4: a folder that goes carries the print of all that was in it", async () => {
    const { drafts, at } = await check(del("d"), none);
    expect(drafts[0]?.before?.hash).toBe((await treePrint(systemDisk, join(at, "d"))).hash);
  });
  it("H15: an index that was only rewritten is what the step saw, one that says something else is not", async () => {
    const step = all((dir) => mkdirSync(join(dir, ".git"), { recursive: true }), put(".git/index", "next"));
    const index = (key: string): More => ({
      as: (change) => change,
      checks: {
        since: {
          marker: undefined,
          snapshots: new Map(),
          indexKeys: new Map([["0/.git/index", "as it was"]]),
          readIndex: () => key,
        },
      },
    });
    for (const op of ["modify", "delete"] as const) {
      const as = (change: Change): Change =>
        change.path.endsWith("index") && change.after !== undefined
          ? { ...change, op, before: { ...change.after, hash: "of before" } }
          : change;
      const person = all((dir) => mkdirSync(join(dir, ".git")), put(".git/index", "rewritten"));
      const same = await check(step, person, { ...index("as it was"), as });
      expect(told(same)).toBe("");
      expect(landing(same)).toContain(".git/index");
      expect(told(await check(step, person, { ...index("staged"), as }))).toContain(`.git/index: ${CHANGED}`);
      const linked = all((dir) => mkdirSync(join(dir, ".git")), link(".git/index", "f"));
      expect(told(await check(step, linked, { ...index("as it was"), as }))).toContain(`.git/index: ${ELSE}`);
    }
  });
  it("W3: what an earlier try took away and put back is what the step saw", async () => {
    const was = { type: "file", mode: 0o644, size: BIG.length, mtime: "1", ctime: "1", ino: "1", nlink: 1 } as const;
    const as = (change: Change): Change => ({ ...change, before: { ...was } });
    const step = (dir: string) => appendFileSync(join(dir, "big"), "y");
    expect(told(await check(step, none, { as }))).toBe(`big: ${UNKNOWN}`);
    const dir = scratch();
    writeFileSync(join(dir, "big"), BIG);
    const is = print(fingerprint(systemDisk, join(dir, "big")));
    const returned = new Map([["0/big", { was, is }]]);
    const person = (at: string): void => {
      rmSync(join(at, "big"));
      linkSync(join(dir, "big"), join(at, "big"));
      rmSync(join(dir, "big"));
    };
    const moved = await check(step, person, { as, checks: { returned } });
    // Linking it there gave it a new ctime: then it is somebody else's doing.
    expect(told(moved)).toBe(`big: ${UNKNOWN}`);
    const back = (at: string): void => {
      rmSync(join(at, "big"));
      writeFileSync(join(dir, "next"), BIG);
      renameSync(join(dir, "next"), join(at, "big"));
      returned.set("0/big", { was, is: print(fingerprint(systemDisk, join(at, "big"))) });
    };
    expect(landing(await check(step, back, { as, checks: { returned } }))).toBe("big upper 644 [file]");
  });
});
