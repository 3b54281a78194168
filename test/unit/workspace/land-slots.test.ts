import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Root } from "../../../src/events/event.ts";
import type { Draft } from "../../../src/workspace/conflict.ts";
import type { Door } from "../../../src/workspace/door.ts";
import { fingerprint, treePrint } from "../../../src/workspace/fingerprint.ts";
import { openJournal } from "../../../src/workspace/journal.ts";
import { type Disk, systemDisk } from "../../../src/workspace/land-disk.ts";
import { fillSlots, foldersOf, inOrder, planSlots } from "../../../src/workspace/land-slots.ts";
import type { Op } from "../../../src/workspace/plan.ts";
import { print } from "../../support/check-changes.ts";
import { scratch } from "../../support/scratch.ts";

interface Scene {
  root: string;
  /** The step's layer. */
  layer: string;
  plan: (drafts: readonly Draft[], more?: { apart?: boolean; uid?: number }) => ReturnType<typeof planSlots>;
  ops: (drafts: readonly Draft[], more?: Partial<Door>) => Promise<Op[]>;
  short: (path: string | undefined) => string | undefined;
  before: (path: string) => Draft;
  upper: (path: string, mode?: number) => Draft;
}

function scene(): Scene {
  const dir = scratch();
  const [root, layer] = [join(dir, "work"), join(dir, "layer")];
  mkdirSync(join(root, "d/e"), { recursive: true });
  mkdirSync(layer);
  for (const path of ["f", "d/g", "d/e/h"]) writeFileSync(join(root, path), path);
  const roots: Root[] = [{ path: root, kind: "folder" }];
  const journal = openJournal(systemDisk, join(dir, "state"), root);
  const entry = journal.add("op_1");
  const foldersDir = join(dir, "state");
  const some: Partial<Door> = {
    disk: systemDisk,
    state: systemDisk,
    roots,
    foldersDir,
    journal,
    uid: 0,
    syncFs: undefined,
  };
  const door = some as Door;
  const options = (apart: boolean) => ({
    entry,
    number: 3,
    roots: [root],
    apart,
    copySmall: true,
    moves: () => false,
  });
  return {
    root,
    layer,
    plan: (drafts, { apart = false, uid = 0 } = {}) => planSlots({ ...door, uid }, options(apart), drafts),
    ops: (drafts, more = {}) => fillSlots({ ...door, ...more }, planSlots(door, options(false), drafts)),
    short: (path) => path?.replace(entry.folder, "E").replace(root, "R").replace(layer, "L"),
    before: (path) => ({ root: 0, path, before: print(fingerprint(systemDisk, join(root, path))) }),
    upper: (path, mode) => {
      const from = join(layer, path);
      const found = print(fingerprint(systemDisk, from));
      return { root: 0, path, source: { kind: "upper", from, print: found, mode: mode ?? found.mode } };
    },
  };
}

describe("inOrder", () => {
  const roots: Root[] = [
    { path: "/r", kind: "folder" },
    { path: "/g", kind: "git" },
  ];
  const door = { roots } as Partial<Door> as Door;
  const file = { type: "file", mode: 0o644, size: 1, mtime: "1", ctime: "1", ino: "1", nlink: 1 } as const;
  const goes = (path: string, root = 0): Draft => ({ root, path, before: file });
  const comes = (path: string, root = 0): Draft => ({
    root,
    path,
    source: { kind: "upper", from: "/x", print: file, mode: 0o644 },
  });
  const folder = (path: string): Draft => ({ root: 0, path, source: { kind: "folder", mode: 0o755 } });
  const whole = (path: string): Draft => ({
    root: 0,
    path,
    source: { kind: "upper", from: "/x", print: { ...file, type: "folder" }, mode: 0o755 },
  });
  const mode = (path: string): Draft => ({ root: 0, path, before: file, mode: { from: 1, to: 2 } });
  const order = (...drafts: Draft[]): string[] =>
    inOrder(door, drafts).map((d) => `${d.mode === undefined ? (d.source === undefined ? "-" : "+") : "m"}${d.path}`);

  it.each<[string, Draft[], string[]]>([
    [
      "folders first, then what goes, then what comes",
      [comes("b"), goes("c"), folder("a"), comes("a/x")],
      ["+a", "-c", "+a/x", "+b"],
    ],
    ["whole folders with the folders", [comes("b"), whole("z")], ["+z", "+b"]],
    [
      "what goes from the inside out, what comes from the outside in",
      [goes("a"), goes("a/b/c"), goes("a/b"), folder("x/y"), folder("x")],
      ["+x", "+x/y", "-a/b/c", "-a/b", "-a"],
    ],
    [
      "modes last, outermost last of what is named so",
      [mode("a"), comes("z"), goes("y"), mode("a/b")],
      ["-y", "+z", "ma/b", "ma"],
    ],
    [
      "a folder in place of a file, then what is in it",
      [comes("a/b/c"), { ...folder("a"), before: file }, folder("a/b")],
      ["+a", "+a/b", "+a/b/c"],
    ],
  ])("W3: %s", (_name, drafts, wanted) => {
    expect(order(...drafts)).toEqual(wanted);
    expect(order(...drafts.toReversed())).toEqual(wanted);
  });
  it("W3: git's objects before refs, those before the index, HEAD, and only then what was deleted of the objects", () => {
    const git = [
      ".git/objects/aa/1",
      ".git/config",
      ".git/refs/heads/m",
      ".git/logs/HEAD",
      ".git/packed-refs",
      ".git/index",
      ".git/HEAD",
    ];
    const drafts = [...git.toReversed().map((path) => comes(path)), goes(".git/objects/bb/2")];
    const wanted = [
      ".git/config",
      ".git/objects/aa/1",
      ".git/logs/HEAD",
      ".git/packed-refs",
      ".git/refs/heads/m",
      ".git/index",
      ".git/HEAD",
    ];
    expect(order(...drafts)).toEqual([...wanted.map((p) => `+${p}`), "-.git/objects/bb/2"]);
    expect(order(comes("HEAD", 1), comes("index", 1), comes("refs/x", 1))).toEqual(["+refs/x", "+index", "+HEAD"]);
    // A folder of refs that comes in place of a file waits for the file to go; what lies in it waits too.
    expect(order(comes(".git/refs/a/objects/x"), { ...comes(".git/refs/a"), before: file })).toEqual([
      "+.git/refs/a",
      "+.git/refs/a/objects/x",
    ]);
  });
  it("W8: the roots by themselves; one that is not there is named", () => {
    expect(inOrder(door, [comes("a", 1), comes("b", 0), comes("a", 0)]).map((d) => `${d.root}/${d.path}`)).toEqual([
      "0/a",
      "0/b",
      "1/a",
    ]);
    expect(() => inOrder(door, [comes("a", 2)])).toThrow("no root 2");
  });
});

describe("planSlots", () => {
  const told = (s: Scene, { planned }: ReturnType<typeof planSlots>) =>
    planned.map(({ draft, ...slots }) => [
      draft.path,
      ...(["in", "out", "store"] as const).map((name) => s.short(slots[name])),
    ]);
  it("W3: in the journal, numbered by pass and place; a large file or a folder of the layer moves as it is", () => {
    const s = scene();
    writeFileSync(join(s.layer, "small"), "s");
    writeFileSync(join(s.layer, "big"), Buffer.alloc((1 << 20) + 1));
    writeFileSync(join(s.layer, "most"), Buffer.alloc(1 << 20));
    mkdirSync(join(s.layer, "whole"));
    const drafts = [
      s.before("f"),
      s.upper("small"),
      s.upper("big"),
      s.upper("most"),
      s.upper("big", 0o600),
      s.upper("whole"),
      { ...s.before("d/g"), ...s.upper("small"), path: "d/g" },
      { root: 0, path: "n", source: { kind: "folder", mode: 0o755 } },
      { root: 0, path: "d/b", source: { kind: "bytes", bytes: Buffer.from("b"), mode: 0o644, like: "/none" } },
      { ...s.before("f"), mode: { from: 0o644, to: 0o600 } },
    ] satisfies Draft[];
    const slots = s.plan(drafts);
    expect(told(s, slots)).toEqual([
      ["f", undefined, "E/slots/3.0", undefined],
      ["small", "E/slots/3.1-in", undefined, undefined],
      ["big", "L/big", undefined, undefined],
      ["most", "E/slots/3.3-in", undefined, undefined],
      ["big", "E/slots/3.4-in", undefined, undefined],
      ["whole", "L/whole", undefined, undefined],
      ["d/g", "E/slots/3.6-in", "E/slots/3.6", undefined],
      ["n", "E/slots/3.7-in", undefined, undefined],
      ["d/b", "E/slots/3.8-in", undefined, undefined],
      ["f", undefined, undefined, undefined],
    ]);
    expect([slots.temps, slots.lifts]).toEqual([[], []]);
  });
  it("W3: beside the target where that lies on another file system, with a place for what is kept; in a folder that stays", () => {
    const s = scene();
    mkdirSync(join(s.layer, "whole"));
    const at = (n: number, folder = "R") => `${folder}/.understudy-op_1-${n}`;
    const drafts = [
      s.before("f"),
      s.before("d/e"),
      s.upper("whole"),
      { ...s.upper("whole"), path: "d/e/n" },
      { ...s.upper("whole"), path: "no/such/x" },
      { ...s.upper("whole"), path: "d/new" },
    ];
    const slots = s.plan(drafts, { apart: true });
    expect(told(s, slots)).toEqual([
      ["f", undefined, at(1), "E/slots/3.0"],
      ["d/e", undefined, at(3, "R/d"), "E/slots/3.1"],
      ["whole", at(4), undefined, undefined],
      ["d/e/n", at(6, "R/d"), undefined, undefined],
      ["no/such/x", at(8), undefined, undefined],
      ["d/new", at(10, "R/d"), undefined, undefined],
    ]);
    expect(slots.temps.slice(0, 4).map(s.short)).toEqual([at(0), at(1), `${at(1)}-0`, `${at(0)}-0`]);
    expect(slots.temps).toHaveLength(24);
  });
  it("W3: beside the target also where its folder gets another mode, or something in it goes", () => {
    const s = scene();
    mkdirSync(join(s.layer, "whole"));
    const drafts = [
      { ...s.before("d"), mode: { from: 0o755, to: 0o700 } },
      s.before("d/g"),
      { ...s.upper("whole"), path: "d/n" },
    ];
    const { planned } = s.plan(drafts, { apart: true });
    expect([s.short(planned[1]?.out), s.short(planned[2]?.in)]).toEqual([
      "R/d/.understudy-op_1-3",
      "R/d/.understudy-op_1-4",
    ]);
  });
  it("W3: never through a link: what stands below one is put beside it", () => {
    const s = scene();
    symlinkSync("d", join(s.root, "l"));
    const [first] = s.plan([{ ...s.before("f"), path: "l/x" }], { apart: true }).planned;
    expect(s.short(first?.out)).toBe("R/.understudy-op_1-1");
  });
  it("W3: an ordinary user's folders without w bit are lifted, each once, root's never", () => {
    const s = scene();
    for (const path of ["d/e", "d"]) chmodSync(join(s.root, path), 0o555);
    const drafts = [s.before("d/g"), s.before("d/e/h"), s.before("d/e"), s.before("f")];
    const lifts = [
      { root: 0, path: "d", mode: 0o555 },
      { root: 0, path: "d/e", mode: 0o555 },
    ];
    expect(s.plan(drafts, { uid: 1000 }).lifts).toEqual(lifts);
    expect(s.plan(drafts).lifts).toEqual([]);
    // d/e goes, so that what lies in it is put into d; both have to be writable.
    expect(s.plan([s.before("d/e"), s.before("d/e/h")], { uid: 1000 }).lifts).toEqual(lifts);
    chmodSync(join(s.root, "d"), 0o300);
    expect(s.plan([s.before("d/g")], { uid: 1000 }).lifts).toEqual([]);
  });
  it("W3: a folder that gets or loses its w bit is lifted for what is moved in it", () => {
    const s = scene();
    const mode = (from: number, to: number): Draft => ({ ...s.before("d"), mode: { from, to } });
    expect(s.plan([mode(0o755, 0o555)], { uid: 1000 }).lifts).toEqual([{ root: 0, path: "d", mode: 0o755 }]);
    expect(s.plan([mode(0o755, 0o700)], { uid: 1000 }).lifts).toEqual([]);
    chmodSync(join(s.root, "d"), 0o555);
    expect(s.plan([mode(0o555, 0o755)], { uid: 1000 }).lifts).toEqual([{ root: 0, path: "d", mode: 0o555 }]);
    expect(s.plan([{ ...s.before("f"), mode: { from: 0o644, to: 0o400 } }], { uid: 1000 }).lifts).toEqual([]);
  });
});

describe("fillSlots", () => {
  const shown = (s: Scene, ops: readonly Op[]) =>
    ops.map((op) =>
      op.kind === "mode"
        ? `mode ${op.path} ${op.type} ${op.from.toString(8)} ${op.to.toString(8)}${op.before === undefined ? "" : " before"}`
        : `${op.path} ${op.before?.type ?? "-"} ${op.after?.type ?? "-"} ${op.after?.mode.toString(8) ?? ""} ${s.short(op.in) ?? ""}${op.plain === true ? " plain" : ""}`,
    );
  it("W3: the new content lies there, with the mode it is to have, and its print in the plan", async () => {
    const s = scene();
    writeFileSync(join(s.layer, "a"), "new");
    chmodSync(join(s.layer, "a"), 0o640);
    mkdirSync(join(s.layer, "whole/x"), { recursive: true });
    writeFileSync(join(s.root, "like"), "");
    const bytes: Draft["source"] = { kind: "bytes", bytes: Buffer.from("b"), mode: 0o751, like: join(s.root, "like") };
    const ops = await s.ops([
      s.upper("a"),
      s.upper("a", 0o4711),
      s.upper("whole"),
      { root: 0, path: "b", source: bytes },
      { root: 0, path: "n", source: { kind: "folder", mode: 0o750 } },
      { root: 0, path: "ro", source: { kind: "folder", mode: 0o555 } },
      { root: 0, path: "ro/in", source: { kind: "folder", mode: 0o500 } },
      { ...s.before("d"), plain: true },
      { ...s.before("f"), mode: { from: 0o644, to: 0o600 } },
      { ...s.before("d"), mode: { from: 0o755, to: 0o700 } },
    ]);
    expect(shown(s, ops)).toEqual([
      "a - file 640 E/slots/3.0-in",
      "a - file 4711 E/slots/3.1-in",
      "whole - folder 755 L/whole",
      "b - file 751 E/slots/3.3-in",
      "n - folder 750 E/slots/3.4-in plain",
      "ro - folder 755 E/slots/3.5-in plain",
      "ro/in - folder 700 E/slots/3.6-in plain",
      "d folder -   plain",
      "mode f file 644 600 before",
      "mode d folder 755 700",
      "mode ro/in folder 700 500",
      "mode ro folder 755 555",
    ]);
    for (const op of ops) expect(Object.values(op)).not.toContain(undefined);
    for (const op of ops) {
      if (op.kind === "mode" || op.in === undefined || op.after === undefined) continue;
      const { hash, ...print } = op.after;
      expect(fingerprint(systemDisk, op.in)).toMatchObject(print);
      if (print.type === "folder") expect(hash).toBe((await treePrint(systemDisk, op.in)).hash);
      if (op.path === "b") expect(readFileSync(op.in, "utf8")).toBe("b");
    }
    expect(lstatSync(join(s.layer, "a")).mode & 0o7777).toBe(0o640);
  });
  it("W3: what is known of a whole folder is not looked for again: its hash where it moves as it is, its bytes", async () => {
    const s = scene();
    mkdirSync(join(s.layer, "whole"));
    const known = (mode?: number): Draft => {
      const draft = s.upper("whole", mode);
      if (draft.source?.kind === "upper") draft.source.print.hash = "known";
      return { ...draft, bytes: 7 };
    };
    const [moved, copied, unknown, file] = await s.ops([
      known(),
      known(0o700),
      s.upper("whole"),
      { ...s.before("f"), bytes: 0 },
    ]);
    const real = (await treePrint(systemDisk, join(s.layer, "whole"))).hash;
    expect([moved, copied, unknown].map((op) => op?.kind === "move" && op.after?.hash)).toEqual(["known", real, real]);
    expect([moved, unknown, file].map((op) => op?.kind === "move" && op.bytes)).toEqual([7, undefined, 0]);
  });
  it("W3: bytes that were merged belong to whom the file belonged, where root lands them", async () => {
    const s = scene();
    const calls: string[] = [];
    const lstat: Disk["lstat"] = (path) => {
      const stat = systemDisk.lstat(path);
      if (stat !== undefined && path.endsWith("/f")) [stat.uid, stat.gid] = [7n, 8n];
      return stat;
    };
    const disk: Disk = { ...systemDisk, lstat, chown: (_path, uid, gid) => void calls.push(`${uid} ${gid}`) };
    const source: Draft["source"] = { kind: "bytes", bytes: Buffer.from("b"), mode: 0o644, like: join(s.root, "f") };
    for (const uid of [0, 1000]) {
      const [op] = await s.ops([{ root: 0, path: "f", source }], { disk, uid });
      if (op?.kind === "move" && op.in !== undefined) rmSync(op.in);
      expect(calls).toEqual(["7 8"]);
    }
    const none: Draft["source"] = { ...source, like: join(s.root, "gone") };
    await s.ops([{ root: 0, path: "f", source: none }], { disk });
    expect(calls).toEqual(["7 8"]);
  });
  it("W5: is made durable one by one, unless a whole file system is made so at once", async () => {
    const s = scene();
    writeFileSync(join(s.layer, "a"), "a");
    writeFileSync(join(s.layer, "big"), Buffer.alloc((1 << 20) + 1));
    const bytes: Draft["source"] = { kind: "bytes", bytes: Buffer.from("b"), mode: 0o644, like: "/none" };
    const drafts = [s.upper("a"), s.upper("big"), { root: 0, path: "b", source: bytes }];
    const synced: string[] = [];
    const disk: Disk = { ...systemDisk, sync: (path) => void synced.push(s.short(path) ?? "") };
    for (const op of await s.ops(drafts, { disk })) if (op.kind === "move" && op.path !== "big") rmSync(op.in ?? "");
    expect(synced).toEqual(["E/slots/3.0-in", "L/big", "E/slots/3.2-in"]);
    for (const op of await s.ops(drafts, { disk, syncFs: async () => undefined }))
      if (op.kind === "move" && op.path !== "big") rmSync(op.in ?? "");
    expect(synced).toHaveLength(3);
    chmodSync(join(s.layer, "big"), 0o200);
    const [big] = [s.upper("big")];
    await s.ops([big], { disk, uid: 1000 });
    expect(synced).toHaveLength(3);
    await s.ops([big], { disk });
    expect(synced).toHaveLength(4);
  });
  it("SANDBOX-H15: an index carries what it says", async () => {
    const s = scene();
    mkdirSync(join(s.layer, ".git/index2"), { recursive: true });
    writeFileSync(join(s.layer, ".git/index"), "no index");
    writeFileSync(join(s.layer, ".git/other"), "no index");
    mkdirSync(join(s.root, ".git"));
    const ops = await s.ops([s.upper(".git/index"), s.upper(".git/other")]);
    expect(ops.map((op) => op.kind === "move" && op.indexKey !== undefined)).toEqual([true, false]);
    const folder: Draft = { root: 0, path: ".git/modules/index", source: { kind: "folder", mode: 0o755 } };
    const [op] = await scene().ops([folder]);
    expect(op).toMatchObject({ kind: "move", plain: true });
    expect(op).not.toHaveProperty("indexKey");
  });
});

it("W5: the folders that are made durable at the end are those of the ops", () => {
  const op = (path: string, root = 0): Op => ({ kind: "move", root, path });
  expect(foldersOf(["/r", "/q"], [op("a"), op("d/b"), op("d/c"), op("x", 1)])).toEqual(new Set(["/r", "/r/d", "/q"]));
});
