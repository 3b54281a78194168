import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scan } from "../../../src/sandbox/scan.ts";
import { readOpaque } from "../../../src/workspace/opaque.ts";
import { needs } from "../../support/runnable.ts";
import { scratch } from "../../support/scratch.ts";
import {
  file,
  folder,
  type Layers,
  link,
  missingLayer,
  node,
  opaque,
  scanned,
  TAR,
  told,
  touched,
  whiteout,
} from "../../support/upper-layer.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const tree = [file("d/a"), file("d/e/b", "four"), link("d/l", "a")];
const cases: readonly [string, Layers, string[]][] = [
  ["nothing", { lower: tree, upper: [] }, []],
  ["a new file", { lower: [], upper: [file("a", "x", 0o640)] }, ["create a: - > file 640"]],
  [
    "a new folder, entry by entry",
    { lower: [], upper: [folder("d", 0o750), file("d/b"), file("d/a/c"), link("d/l", "q")] },
    [
      "create d: - > folder 750",
      "create d/a: - > folder 755",
      "create d/a/c: - > file 644",
      "create d/b: - > file 644",
      "create d/l: - > link 777 to q",
    ],
  ],
  [
    "new regenerable output, as one",
    {
      lower: [],
      upper: [file("node_modules/m/x", "12345"), file("node_modules/y", "12"), link("node_modules/l", "abc")],
    },
    ["create node_modules: - > folder 755 (3 files, 10 bytes)"],
  ],
  [
    "regenerable output that was there, entry by entry",
    { lower: [file("node_modules/a")], upper: [file("node_modules/b")] },
    ["create node_modules/b: - > file 644"],
  ],
  ["a file of such a name", { lower: [], upper: [file("node_modules")] }, ["create node_modules: - > file 644"]],
  ["a new pipe", { lower: [], upper: [node("p", "p")] }, ["create p: - > fifo 644"]],
  ["other bytes", { lower: [file("a", "one")], upper: [file("a", "two")] }, ["modify a: file 644 > file 644"]],
  ["more bytes", { lower: [file("a", "one")], upper: [file("a", "one1")] }, ["modify a: file 644 > file 644"]],
  [
    "other bytes and mode",
    { lower: [file("a", "one")], upper: [file("a", "two", 0o755)] },
    ["modify a: file 644 > file 755"],
  ],
  ["another mode", { lower: [file("a")], upper: [file("a", "a", 0o755)] }, ["chmod a: file 644 > file 755"]],
  ["another time alone", { lower: [file("a")], upper: [file("a"), touched("a")] }, []],
  ["an empty file again", { lower: [file("a", "")], upper: [file("a", "")] }, []],
  ["another target", { lower: [link("l", "a")], upper: [link("l", "b")] }, ["modify l: link 777 to a > link 777 to b"]],
  ["the same target", { lower: [link("l", "a")], upper: [link("l", "a")] }, []],
  ["the same pipe", { lower: [node("p", "p")], upper: [node("p", "p")] }, []],
  [
    "another device",
    { lower: [node("c", "c", "1", "3")], upper: [node("c", "c", "1", "5")] },
    ["modify c: char 644 > char 644"],
  ],
  ["a folder's mode", { lower: [folder("d")], upper: [folder("d", 0o700)] }, ["chmod d: folder 755 > folder 700"]],
  [
    "a folder's mode and what is in it",
    { lower: [file("d/a")], upper: [folder("d", 0o700), file("d/b")] },
    ["chmod d: folder 755 > folder 700", "create d/b: - > file 644"],
  ],
  ["deep in what was there", { lower: tree, upper: [file("d/e/b", "5")] }, ["modify d/e/b: file 644 > file 644"]],
  ["a deleted file", { lower: [file("a")], upper: [whiteout("a")] }, ["delete a: file 644 > -"]],
  ["a deleted link", { lower: [link("l", "a")], upper: [whiteout("l")] }, ["delete l: link 777 to a > -"]],
  [
    "a deleted folder, as one",
    { lower: tree, upper: [whiteout("d")] },
    ["delete d: folder 755 > - (3 files, 8 bytes)"],
  ],
  [
    "a deletion of what is not there",
    { lower: [], upper: [whiteout("a"), folder("n"), whiteout("n/b")] },
    ["create n: - > folder 755"],
  ],
  [
    "a device that is no mark",
    { lower: [file("a")], upper: [node("a", "c", "1", "3")] },
    ["type a: file 644 > char 644"],
  ],
  ["a file in place of a link", { lower: [link("l", "a")], upper: [file("l")] }, ["type l: link 777 to a > file 644"]],
  [
    "a folder in place of a file, with marks of before",
    { lower: [file("a")], upper: [file("a/b"), whiteout("a/c"), folder("a/d")] },
    ["type a: file 644 > folder 755", "create a/b: - > file 644", "create a/d: - > folder 755"],
  ],
  [
    "a file in place of a folder",
    { lower: tree, upper: [file("d")] },
    ["type d: folder 755 > file 644 (3 files, 8 bytes)"],
  ],
  [
    "a folder that was made anew: what it doesn't name is gone",
    { lower: [...tree, file("d/z/y")], upper: [opaque("d"), file("d/a"), file("d/n")] },
    [
      "create d/n: - > file 644",
      "delete d/e: folder 755 > - (1 files, 4 bytes)",
      "delete d/l: link 777 to a > -",
      "delete d/z: folder 755 > - (1 files, 5 bytes)",
    ],
  ],
  [
    "what lies in a folder made anew is made anew",
    { lower: tree, upper: [opaque("d"), folder("d/e"), file("d/a"), link("d/l", "a")] },
    ["delete d/e/b: file 644 > -"],
  ],
  ["a mark that says no", { lower: tree, upper: [opaque("d", "trusted", "n")] }, []],
  ["a mark of a user's mount", { lower: tree, upper: [opaque("d", "user")] }, []],
  [
    "a mark in a folder that is new",
    { lower: [], upper: [opaque("d"), opaque("d/e"), file("d/e/x")] },
    ["create d: - > folder 755", "create d/e: - > folder 755", "create d/e/x: - > file 644"],
  ],
  [
    "deleted without a mark",
    { lower: [...tree, file("b")], upper: [folder("d")], options: { gone: [["d/a", "b", "none", "d/none"]] } },
    ["delete d/a: file 644 > -", "delete b: file 644 > -"],
  ],
];

describe("scan", () => {
  it.for(cases)("W2: %s", async ([_name, layers, lines], ctx) => {
    needs(ctx, missingLayer());
    expect((await scanned(layers)).lines).toEqual(lines);
  });
  it("W2: a socket that was left behind is no change; in place of a file it is a deletion", async (ctx) => {
    needs(ctx, missingLayer());
    const servers: Promise<void>[] = [];
    const listening = (dir: string): void => {
      for (const path of ["new", "old"]) {
        const server = createServer();
        servers.push(new Promise((resolve) => server.listen(join(dir, path), resolve)));
        onTestFinished(() => void server.close());
      }
    };
    const dir = scratch();
    const upper = join(dir, "step/u0");
    for (const at of [upper, join(dir, "work")]) folder(at.slice(dir.length + 1))(dir);
    file("work/old")(dir);
    file("x/y")(upper);
    listening(upper);
    await Promise.all(servers);
    const roots = [{ path: join(dir, "work"), kind: "folder" as const }];
    const of = { operationId: "op_1", stepFolder: join(dir, "step"), since: "", layers: [], tar: TAR, root: true };
    expect(told(await scan({ ...of, since: String(10n ** 30n), roots }))).toEqual([
      "delete old: file 644 > -",
      "create x: - > folder 755",
      "create x/y: - > file 644",
    ]);
  });
  it("W3: what was changed after the step began is late: files, folders whole, what was replaced", async (ctx) => {
    needs(ctx, missingLayer());
    const lower = [...tree, file("f"), file("g"), file("h"), file("i/j")];
    const upper = [whiteout("d"), file("f", "2"), file("g", "g", 0o700), whiteout("h"), file("i"), file("n")];
    const { lines } = await scanned({ lower, upper, since: () => 0n });
    expect(lines.filter((line) => !line.endsWith(" late"))).toEqual(["create n: - > file 644"]);
    expect(lines).toHaveLength(6);
    const early = await scanned({ lower, upper });
    expect(early.lines).toEqual(lines.map((line) => line.replace(" late", "")));
  });
  it("W3: of a folder of before the step, one late entry makes it late", async (ctx) => {
    needs(ctx, missingLayer());
    // Until the clock of the file system has moved on.
    const since = (at: string): bigint => {
      const ctime = (path: string) => lstatSync(join(at, path), { bigint: true }).ctimeNs;
      while (ctime("d/e/b") <= ctime("t")) chmodSync(join(at, "d/e/b"), 0o600);
      chmodSync(join(at, "t/u"), 0o600);
      return ctime("d/e/b");
    };
    const lower = [...tree, file("k/a"), file("t/u")];
    const { lines } = await scanned({ lower, upper: [whiteout("d"), whiteout("k"), file("t")], since });
    expect(lines).toEqual([
      "delete d: folder 755 > - (3 files, 8 bytes) late",
      "delete k: folder 755 > - (1 files, 3 bytes)",
      "type t: folder 755 > file 644 (1 files, 3 bytes) late",
    ]);
  });
  it("P9: kept layers are what the step saw: their files, deletions and folders", async (ctx) => {
    needs(ctx, missingLayer());
    const { lines } = await scanned({
      lower: [file("a"), file("d/x"), file("d/y", "12"), file("q"), file("e/f")],
      kept: [
        [file("a", "kept", 0o600), file("d/z", "123"), whiteout("d/y"), file("made/m")],
        [whiteout("q"), file("d/w", "1234")],
      ],
      upper: [file("a", "mine"), whiteout("d"), file("q", "again"), whiteout("made"), whiteout("e")],
      since: () => 0n,
    });
    expect(lines).toEqual([
      "modify a: file 600 > file 644",
      "delete d: folder 755 > - (3 files, 10 bytes) late",
      "delete e: folder 755 > - (1 files, 3 bytes) late",
      "delete made: folder 755 > - (1 files, 6 bytes)",
      "create q: - > file 644",
    ]);
  });
  it("W2: each root by itself, named where it is gone; folders made anew are written down for later views", async (ctx) => {
    needs(ctx, missingLayer());
    const { stepFolder, at, set } = await scanned({ lower: tree, upper: [opaque("d"), file("d/a")] });
    expect(await readOpaque(stepFolder)).toEqual([new Set(["d"])]);
    expect(set).toMatchObject({ operationId: "op_1", stepFolder });
    const none = await scanned({ lower: tree, upper: [file("d/a")] });
    expect(() => readFileSync(join(none.stepFolder, "opaque.json"))).toThrow("ENOENT");
    const options = { operationId: "op_2", stepFolder, since: "0", layers: [], tar: TAR, root: true };
    const gone = [{ path: join(at, "gone"), kind: "folder" as const }];
    await expect(scan({ ...options, roots: gone })).rejects.toThrow(`${join(at, "gone")} is gone`);
    folder("u1")(stepFolder);
    file("b")(join(stepFolder, "u1"));
    const roots = [at, join(at, "d")].map((path) => ({ path, kind: "folder" as const }));
    const both = await scan({ ...options, roots });
    expect(await readOpaque(stepFolder)).toEqual([new Set(["d"]), new Set()]);
    expect(both.changes.map((c) => `${c.root} ${c.op} ${c.path}`)).toEqual([
      "0 delete d/e",
      "0 delete d/l",
      "1 create b",
    ]);
  });
  it("W2: names in any bytes", async (ctx) => {
    needs(ctx, missingLayer());
    const odd = "caf\xe9 \n\x01 ü";
    const upper = (dir: string): void => file("x")(dir);
    const { set } = await scanned({
      lower: [file(odd), file(`${odd}d/in`)],
      upper: [upper, whiteout(odd), opaque(`${odd}d`)],
    });
    const raw = (path: string) => Buffer.from(path).toString("latin1");
    expect(told(set).toSorted()).toEqual(
      [`delete ${raw(odd)}: file 644 > -`, `delete ${raw(odd)}d/in: file 644 > -`, "create x: - > file 644"].toSorted(),
    );
  });
});

describe("scan of a user's layer", () => {
  const upper = [
    file("a", "two", 0o000),
    file("d/x", "x", 0o200),
    folder("d", 0o000),
    file("n/m", "m"),
    folder("n", 0o100),
    file("s", "s", 0o444),
  ];
  it("W2: what the command took the rights from is read all the same, told as it left it, and put back", async () => {
    const lower = [file("a", "one"), file("d/x", "x"), file("s")];
    const { lines, set, stepFolder } = await scanned({ lower, upper, options: { root: false } });
    expect(lines).toEqual([
      "modify a: file 644 > file 0",
      "chmod d: folder 755 > folder 0",
      "chmod d/x: file 644 > file 200",
      "create n: - > folder 100",
      "create n/m: - > file 644",
      "chmod s: file 644 > file 444",
    ]);
    for (const { path, after } of set.changes) {
      const stat = lstatSync(join(stepFolder, "u0", path), { bigint: true });
      expect([path, Number(stat.mode) & 0o7777, String(stat.ctimeNs)]).toEqual([path, after?.mode, after?.ctime]);
    }
  });
  it("W2: its own marks count, those of a mount by root don't", async (ctx) => {
    needs(ctx, missingLayer());
    const options = { root: false };
    const mine = await scanned({ lower: tree, upper: [opaque("d", "user")], options });
    expect(mine.lines).toHaveLength(3);
    expect((await scanned({ lower: tree, upper: [opaque("d")], options })).lines).toEqual([]);
  });
});

describe("hashes and renames", () => {
  it("W2: a set of few files has hashes of both sides; one of the same bytes under another name is a rename", async (ctx) => {
    needs(ctx, missingLayer());
    const { set, lines } = await scanned({
      lower: [file("a", "old"), file("b", "moved"), file("c", ""), file("k", "1")],
      upper: [
        file("a", "new"),
        whiteout("b"),
        file("b2", "moved"),
        file("b3", "moved"),
        whiteout("c"),
        file("c2", ""),
        file("k", "1", 0o600),
      ],
    });
    expect(lines).toEqual([
      "modify a: file 644 > file 644",
      "delete b: file 644 > - pair b2",
      "create b2: - > file 644 pair b",
      "create b3: - > file 644",
      "delete c: file 644 > -",
      "create c2: - > file 644",
      "chmod k: file 644 > file 600",
    ]);
    expect(set.changes.map((c) => [c.before?.hash, c.after?.hash])).toEqual([
      [sha("old"), sha("new")],
      [sha("moved"), undefined],
      [undefined, sha("moved")],
      [undefined, sha("moved")],
      [sha(""), undefined],
      [undefined, sha("")],
      [sha("1"), sha("1")],
    ]);
  });
  it("W2: the old bytes are the kept layer's", async (ctx) => {
    needs(ctx, missingLayer());
    const { set } = await scanned({
      lower: [file("a", "older")],
      kept: [[file("a", "old")]],
      upper: [file("a", "new")],
    });
    expect(set.changes[0]?.before?.hash).toBe(sha("old"));
  });
  it.each([
    [200, true],
    [201, false],
  ])("W2: %d changes have hashes: %s", async (count, hashed) => {
    const upper = Array.from({ length: count }, (_, n) => file(`f${n}`));
    const { set } = await scanned({ lower: [], upper });
    expect(set.changes.length).toBe(count);
    expect(set.changes.every((c) => (c.after?.hash !== undefined) === hashed)).toBe(true);
  });
  it("W2: neither has a set of more than 20 MB, nor one file of more than 1 MB; both sides count", async () => {
    const part = (size: number) => Buffer.alloc(size, "x");
    const sizes = async (old: number, now: number, more = 0) => {
      const extra = Array.from({ length: 20 }, (_, n) => file(`m${n}`, part(1 << 20)));
      const upper = [file("a", part(now)), ...(more === 0 ? [] : extra)];
      const { set } = await scanned({ lower: [file("a", part(old))], upper });
      return set.changes.map((c) => c.after?.hash !== undefined);
    };
    expect(await sizes(1, 1 << 20)).toEqual([true]);
    expect(await sizes(1, (1 << 20) + 1)).toEqual([false]);
    expect(new Set(await sizes(0, 0, 1))).toEqual(new Set([true]));
    expect(new Set(await sizes(1, 2, 1))).toEqual(new Set([false]));
  });
});
