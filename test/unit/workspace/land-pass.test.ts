import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
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
import type { Draft } from "../../../src/workspace/conflict.ts";
import type { Door } from "../../../src/workspace/door.ts";
import { fingerprint, treePrint } from "../../../src/workspace/fingerprint.ts";
import { type Entry, openJournal } from "../../../src/workspace/journal.ts";
import { perform } from "../../../src/workspace/land.ts";
import { type Disk, stateDisk, systemDisk } from "../../../src/workspace/land-disk.ts";
import { dropPass, MAX_SYNCS, runPass, takeBack } from "../../../src/workspace/land-pass.ts";
import type { Pass } from "../../../src/workspace/plan.ts";
import { print } from "../../support/check-changes.ts";
import { passOf } from "../../support/passes.ts";
import { scratch } from "../../support/scratch.ts";
import { treeLines } from "../../support/tree.ts";
import { turnsOf } from "../../support/turns.ts";

type Acts = Partial<Record<keyof Disk, (path: string, ...more: string[]) => void>>;

/** A disk on which something happens ahead of some calls. */
function ahead(acts: Acts): Disk {
  return new Proxy(systemDisk, {
    get: (of, name: keyof Disk) => {
      const call = of[name].bind(of) as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        acts[name]?.(...(args.map(String) as [string]));
        return name === "sync" ? undefined : call(...args);
      };
    },
  });
}
const fail = (code: string): never => {
  throw Object.assign(new Error(code), { code });
};

function scene(acts: Acts = {}, more: Partial<Door> = {}) {
  const dir = scratch();
  const [root, layer, foldersDir] = [join(dir, "work"), join(dir, "layer"), join(dir, "state")];
  mkdirSync(join(root, "d/e"), { recursive: true });
  for (const path of [layer, foldersDir]) mkdirSync(path);
  for (const path of ["f", "g", "d/h", "d/e/i"]) writeFileSync(join(root, path), path);
  for (const path of ["f", "n", "m"]) writeFileSync(join(layer, path), `new ${path}`);
  const disk = ahead(acts);
  const state = stateDisk(disk, foldersDir);
  const door: Door = {
    disk,
    state,
    roots: [{ path: root, kind: "folder" }],
    foldersDir,
    sessionId: "s_test",
    clock: { now: () => 0, sleep: async () => undefined },
    pid: 7,
    uid: 0,
    home: root,
    journal: openJournal(state, foldersDir, root),
    recover: "forward",
    keep: { steps: 9, bytes: 1e9 },
    ...more,
  };
  const at = (path: string) => print(fingerprint(systemDisk, join(root, path)));
  const goes = (path: string): Draft => ({ root: 0, path, before: at(path) });
  const folderGoes = async (path: string): Promise<Draft> => ({
    root: 0,
    path,
    before: { ...at(path), hash: (await treePrint(systemDisk, join(root, path))).hash },
  });
  const comes = (path: string, from = path): Draft => {
    const source = {
      kind: "upper",
      from: join(layer, from),
      print: print(fingerprint(systemDisk, join(layer, from))),
    } as const;
    return { root: 0, path, source: { ...source, mode: source.print.mode } };
  };
  const mode = (path: string, to: number): Draft => ({
    root: 0,
    path,
    before: at(path),
    mode: { from: at(path).mode, to },
  });
  const entry = door.journal.add("op_1");
  const land = (drafts: readonly Draft[], { apart = false, number = 0, kind = "land" as Pass["kind"] } = {}) => {
    const options = { entry, number, roots: [root], apart, copySmall: true, moves: () => false };
    const changes = drafts.map((d) => ({ root: 0, path: d.path, op: "modify", after: at("f") }) as const);
    return perform(door, options, { drafts: [...drafts] }, { kind, changes, merged: [] });
  };
  const temps = (): string[] =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).filter((n) => n.includes(".understudy"));
  const text = (path: string): string => readFileSync(join(root, path), "utf8");
  const slots = (): string[] => readdirSync(join(entry.folder, "slots")).toSorted();
  return { root, layer, door, entry, at, goes, folderGoes, comes, mode, land, temps, text, slots, foldersDir };
}

const mixed = async (s: ReturnType<typeof scene>): Promise<Draft[]> => [
  { ...s.goes("f"), ...s.comes("f") },
  s.comes("d/n", "n"),
  s.goes("g"),
  await s.folderGoes("d/e"),
];

describe("a pass", () => {
  it.each([false, true])(
    "W3: moves all, keeps what it took away, says what lies there now; beside the targets: %s",
    async (apart) => {
      const s = scene();
      const result = await s.land(await mixed(s), { apart });
      expect([s.text("f"), s.text("d/n"), existsSync(join(s.root, "g")), existsSync(join(s.root, "d/e"))]).toEqual([
        "new f",
        "new n",
        false,
        false,
      ]);
      expect(s.temps()).toEqual([]);
      expect(s.slots()).toEqual(apart ? ["0.0", "0.2", "0.3", "0.3.was"] : ["0.0", "0.2", "0.3"]);
      expect(readFileSync(join(s.entry.folder, "slots/0.0"), "utf8")).toBe("f");
      expect(readFileSync(join(s.entry.folder, "slots/0.3/i"), "utf8")).toBe("d/e/i");
      const { end, settled } = s.door.journal.read(s.entry) ?? {};
      expect(result).toEqual({ done: true, end });
      expect(settled).toBe(apart ? "done" : undefined);
      expect(end).toMatchObject({ done: true, at: "1970-01-01T00:00:00.000Z", bytes: 1 + 1 + 5 });
      expect(end?.prints).toEqual([s.at("f"), s.at("d/n"), null, null]);
      expect(end?.changes.map((c) => c.after?.ino)).toEqual([
        s.at("f").ino,
        s.at("d/n").ino,
        expect.any(String),
        expect.any(String),
      ]);
      expect(end?.changes[2]?.after).toEqual(end?.changes[3]?.after);
      expect([s.door.journal.open(), s.door.journal.pointers()]).toEqual([[], []]);
    },
  );
  it.each([false, true])(
    "W3: one that meets somebody else is taken back whole; they keep what they made: %s",
    async (apart) => {
      let [s, armed] = [scene(), false];
      const person = (_from: string, to = ""): void => {
        if (armed && to === join(s.root, "n2")) {
          armed = false;
          writeFileSync(to, "mine");
        }
      };
      s = scene({ link: person });
      const before = treeLines(s.root);
      armed = true;
      const result = await s.land([...(await mixed(s)), s.comes("n2", "n")], { apart });
      expect(result).toEqual({
        done: false,
        conflicts: expect.arrayContaining([{ root: 0, path: "n2", why: "somebody made it meanwhile" }]),
      });
      expect(s.text("n2")).toBe("mine");
      rmSync(join(s.root, "n2"));
      expect(treeLines(s.root)).toEqual(before);
      expect(s.temps()).toEqual([]);
      expect(s.door.journal.read(s.entry)).toMatchObject({ end: { done: false }, settled: apart ? "back" : undefined });
      expect(s.door.journal.open()).toEqual([]);
    },
  );
  it.each([false, true])("W3: what the machine refuses is taken back and thrown: %s", async (apart) => {
    let [s, armed] = [scene(), true];
    s = scene({
      link: (_from, to = "") => {
        if (armed && to === join(s.root, "d/n")) fail("EIO");
      },
    });
    const before = treeLines(s.root);
    await expect(mixed(s).then((drafts) => s.land(drafts, { apart }))).rejects.toThrow("EIO");
    expect(treeLines(s.root)).toEqual(before);
    expect(s.door.journal.read(s.entry)).toMatchObject({ end: { done: false } });
    armed = false;
    const next = await s.land(await mixed(s), { apart, number: 1, kind: "redo" });
    expect(next.done).toBe(true);
    expect(s.door.journal.read(s.entry)?.pass).toMatchObject({
      number: 1,
      kind: "redo",
      behind: 1,
      pid: 7,
      sessionId: "s_test",
      ready: true,
    });
  });
  it("W5: where even that fails it stays open, for the next recovery to end it", async () => {
    let s = scene();
    let dead = false;
    const act = (path: string, to = ""): void => {
      if (to === join(s.root, "d/n")) dead = true;
      if (dead && path !== "") fail("EIO");
    };
    s = scene({ link: act, rename: act, unlink: act });
    const before = treeLines(s.root);
    await expect(mixed(s).then((drafts) => s.land(drafts))).rejects.toThrow("EIO");
    dead = false;
    expect(s.door.journal.read(s.entry)?.end).toBeUndefined();
    expect(s.door.journal.open()).toEqual([{ operationId: "op_1", home: s.root }]);
    const state = s.door.journal.read(s.entry);
    if (state === undefined) throw new Error("no pass");
    const running = {
      door: { ...s.door, disk: systemDisk },
      journal: s.door.journal,
      entry: s.entry,
      pass: state.pass,
    };
    expect(await takeBack(running)).toEqual([]);
    expect(treeLines(s.root)).toEqual(before);
    expect(s.door.journal.read(s.entry)?.end?.done).toBe(false);
  });
  it("W5: what was staged goes where the plan can't be written; what the step brought, and what undo needs, stays", async () => {
    let s = scene();
    s = scene({
      rename: (_from, to = "") => {
        if (/pass-\d+\.json$/.test(to) && !to.includes("pass-0")) fail("ENOSPC");
      },
    });
    writeFileSync(join(s.layer, "big"), Buffer.alloc((1 << 20) + 1));
    expect((await s.land([s.goes("g")])).done).toBe(true);
    await expect(s.land([s.comes("n"), s.comes("big")], { number: 1, kind: "undo" })).rejects.toThrow("ENOSPC");
    expect(s.slots()).toEqual(["0.0"]);
    expect([existsSync(join(s.layer, "big")), existsSync(join(s.layer, "n"))]).toEqual([true, true]);
    expect(s.door.journal.read(s.entry)?.pass.number).toBe(0);
    expect(JSON.parse(readFileSync(join(s.entry.folder, "end-1.json"), "utf8"))).toMatchObject({
      done: false,
      bytes: 0,
      prints: [],
    });
    expect(s.door.journal.open()).toEqual([]);
  });
  it("W5: all is durable before the plan, and the moves before the end", async () => {
    const log: string[] = [];
    let s = scene();
    const short = (path: string): string => path.replace(s.entry.folder, "E").replace(s.root, "R");
    s = scene({
      sync: (path) => log.push(`sync ${short(path)}`),
      rename: (_from, to = "") => log.push(`rename ${short(to)}`),
    });
    await s.land([s.comes("d/n", "n"), s.goes("g")]);
    const order = (what: string): number => log.findIndex((line) => line.includes(what));
    const marks = [
      "sync E/slots/0.0-in",
      "rename E/pass-0.json",
      "rename E/slots/0.1",
      "sync R/d",
      "rename E/end-0.json",
    ];
    expect(marks.map(order)).toEqual(marks.map(order).toSorted((a, b) => a - b));
    expect(marks.map(order)).not.toContain(-1);
    expect(log).toContain("sync R");
  });
  it.each(["EACCES", "EINVAL"])(
    "W5: a folder that can't be made durable (%s) is no reason to fail, a broken disk is",
    async (code) => {
      let s = scene();
      let wrong = code;
      s = scene({
        sync: (path) => {
          if (path === s.root) fail(wrong);
        },
      });
      expect((await s.land([s.goes("g")])).done).toBe(true);
      wrong = "EIO";
      await expect(s.land([s.goes("f")], { number: 1, kind: "redo" })).rejects.toThrow("EIO");
      expect(s.text("f")).toBe("f");
    },
  );
  it("W5: of very many folders the first are made durable one by one, or the file system at once", async () => {
    const synced = new Set<string>();
    for (const at of ["one by one", "at once"] as const) {
      const whole: string[] = [];
      let s = scene();
      s = scene(
        { sync: (path) => void (path.startsWith(join(s.root, "d")) && synced.add(path)) },
        at === "at once" ? { syncFs: async (folder) => void whole.push(folder) } : {},
      );
      const drafts: Draft[] = Array.from({ length: MAX_SYNCS + 10 }, (_, n) => {
        mkdirSync(join(s.root, `d${n}`));
        return s.comes(`d${n}/n`, "n");
      });
      expect((await s.land(drafts)).done).toBe(true);
      if (at === "at once") expect(whole).toEqual([s.foldersDir, s.root]);
      else expect(synced.size).toBe(MAX_SYNCS);
    }
    expect(synced.size).toBe(MAX_SYNCS);
  });
  it("W5: what is staged beside its targets is durable with its file system, and so is what was stored", async () => {
    const whole: string[] = [];
    const s = scene({}, { syncFs: async (folder) => void whole.push(folder) });
    mkdirSync(join(s.layer, "w"));
    expect((await s.land([s.comes("w"), s.goes("g")], { apart: true })).done).toBe(true);
    expect(whole).toEqual([s.foldersDir, s.root, s.foldersDir]);
    whole.length = 0;
    expect((await s.land([await s.folderGoes("d/e"), s.comes("n")], { number: 1, kind: "redo" })).done).toBe(true);
    expect(whole).toEqual([]);
    mkdirSync(join(s.layer, "v"));
    expect((await s.land([s.comes("v")], { number: 2, kind: "redo" })).done).toBe(true);
    expect(whole).toEqual([s.foldersDir]);
  });
  it("W5: a pass readies folders that are there: one that is gone, or no folder, is left alone", async () => {
    const s = scene();
    const lifts = ["d", "gone", "f"].map((path) => ({ root: 0, path, mode: s.at(path === "gone" ? "d" : path).mode }));
    const op = { kind: "move", root: 0, path: "g", before: s.at("g"), out: join(s.entry.folder, "slots/0.0") } as const;
    const pass = passOf(s.entry, { roots: [s.root], ops: [op], lifts });
    s.door.journal.writePass(s.entry, pass);
    const running = { door: s.door, journal: s.door.journal, entry: s.entry, pass };
    expect((await runPass(running)).done).toBe(true);
    expect([s.at("d").mode, s.at("f").mode]).toEqual([0o755, 0o644]);
  });
  it("W3: what was written through an open file after it was copied away is kept too", async () => {
    let s = scene();
    let fd = -1;
    s = scene({
      write: (path) => {
        if (path.includes("done-0.json") && fd >= 0) writeSync(fd, " and more");
      },
    });
    fd = openSync(join(s.root, "g"), "a");
    expect((await s.land([s.goes("g"), s.goes("f")], { apart: true })).done).toBe(true);
    closeSync(fd);
    expect(readFileSync(join(s.entry.folder, "slots/0.0"), "utf8")).toBe("g and more");
    expect(readFileSync(join(s.entry.folder, "slots/0.1"), "utf8")).toBe("f");
  });
  it("W4: an undo that copies a whole folder back lists what its files are now", async () => {
    const s = scene();
    mkdirSync(join(s.layer, "w"));
    writeFileSync(join(s.layer, "w/x"), "x");
    await s.land([s.comes("w"), s.comes("n")], { apart: true, number: 0 });
    expect(s.slots()).toEqual([]);
    rmSync(join(s.root, "w"), { recursive: true });
    rmSync(join(s.root, "n"));
    await s.land([s.comes("w"), s.comes("n")], { apart: true, number: 1, kind: "undo" });
    expect(s.slots()).toEqual(["1.0.is"]);
    const list = JSON.parse(readFileSync(join(s.entry.folder, "slots/1.0.is"), "utf8")) as [string, { ino: string }][];
    expect(list.map(([path, { ino }]) => [path, ino])).toEqual([
      ["x", String(lstatSync(join(s.root, "w/x"), { bigint: true }).ino)],
    ]);
    await s.land([{ root: 0, path: "p", source: { kind: "folder", mode: 0o755 } }], {
      apart: true,
      number: 2,
      kind: "undo",
    });
    expect(s.slots()).toEqual(["1.0.is"]);
  });
});

describe("what a pass says of what lies there", () => {
  it("W4: a whole folder is as it was brought, whatever somebody puts into it at the end; of a mode the folder alone", async () => {
    let s = scene();
    s = scene({
      sync: (path) =>
        void (path === s.root && existsSync(join(s.root, "w")) && writeFileSync(join(s.root, "w/mine"), "")),
    });
    mkdirSync(join(s.layer, "w"));
    writeFileSync(join(s.layer, "w/x"), "x");
    const brought = (await treePrint(systemDisk, join(s.layer, "w"))).hash;
    const drafts: Draft[] = [
      s.comes("w"),
      { root: 0, path: "p", source: { kind: "folder", mode: 0o755 } },
      s.mode("d", 0o700),
      s.mode("f", 0o600),
    ];
    const result = await s.land(drafts);
    if (!result.done) throw new Error("raced");
    const [whole, plain, folder, file] = result.end.prints;
    expect([whole?.hash, plain?.hash, folder?.hash]).toEqual([brought, undefined, undefined]);
    expect([folder, file]).toEqual([s.at("d"), s.at("f")]);
    expect(existsSync(join(s.root, "w/mine"))).toBe(true);
    expect(result.end.changes[0]?.after).toEqual(whole);
  });
  it("W3: long passes let others in now and then", async () => {
    const s = scene();
    const drafts: Draft[] = Array.from({ length: 210 }, (_, n) => ({
      root: 0,
      path: `p${n}`,
      source: { kind: "folder", mode: 0o755 },
    }));
    const few = await turnsOf(() => s.land(drafts.slice(0, 2)));
    const many = await turnsOf(() => s.land(drafts.slice(2), { number: 1, kind: "redo" }));
    expect(many - few).toBe(4);
  });
  it("W4: what undo occupies: bytes of files and of whole folders, nothing of folders alone", async () => {
    const s = scene();
    mkdirSync(join(s.root, "empty"));
    writeFileSync(join(s.root, "d/e/j"), "12345");
    const drafts: Draft[] = [
      s.goes("g"),
      await s.folderGoes("d/e"),
      { ...s.goes("empty"), plain: true },
      s.mode("f", 0o600),
    ];
    const result = await s.land(drafts);
    expect(result.done && result.end.bytes).toBe(1 + 5 + 5);
    const apart = scene();
    const same = await apart.land([apart.goes("g"), await apart.folderGoes("d/e")], { apart: true });
    expect(same.done && same.end.bytes).toBe(1 + 5);
  });
});

describe("folders without w bit", () => {
  const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;
  it("W3: are writable for the pass and no longer; a mode that the pass gives is given at its end", async () => {
    let s = scene();
    const seen: number[] = [];
    s = scene({ link: () => void seen.push(modeOf(join(s.root, "d"))) }, { uid: 1000 });
    chmodSync(join(s.root, "d"), 0o555);
    expect((await s.land([s.comes("d/n", "n")])).done).toBe(true);
    expect([seen, modeOf(join(s.root, "d"))]).toEqual([[0o755], 0o555]);
    expect((await s.land([s.comes("d/m", "m"), s.mode("d", 0o511)], { number: 1, kind: "redo" })).done).toBe(true);
    expect([seen, modeOf(join(s.root, "d"))]).toEqual([[0o755, 0o755], 0o511]);
  });
  it("W3: get their old mode back where the pass is taken back; what the person set meanwhile stays", async () => {
    let s = scene();
    let set: number | undefined;
    s = scene(
      {
        link: (_from, to = "") => {
          if (!to.startsWith(s.root)) return;
          if (set !== undefined) chmodSync(join(s.root, "d"), set);
          writeFileSync(to, "mine");
        },
      },
      { uid: 1000 },
    );
    chmodSync(join(s.root, "d"), 0o555);
    expect((await s.land([s.comes("d/n", "n"), s.mode("d", 0o511)])).done).toBe(false);
    expect(modeOf(join(s.root, "d"))).toBe(0o555);
    rmSync(join(s.root, "d/n"));
    set = 0o700;
    expect((await s.land([s.comes("d/n", "n")], { number: 1, kind: "redo" })).done).toBe(false);
    expect(modeOf(join(s.root, "d"))).toBe(0o700);
  });
});

describe("a pass that another process left", () => {
  const running = (s: ReturnType<typeof scene>, pass: Pass, entry: Entry = s.entry) => ({
    door: s.door,
    journal: s.door.journal,
    entry,
    pass,
  });
  it("W5: that had settled either way is only ended", async () => {
    for (const how of ["done", "back"] as const) {
      const s = scene();
      const temp = join(s.root, ".understudy-op_1-0");
      writeFileSync(temp, "left");
      const op = {
        kind: "move",
        root: 0,
        path: "g",
        before: s.at("g"),
        out: join(s.root, ".understudy-op_1-1"),
      } as const;
      const pass = passOf(s.entry, { roots: [s.root], ops: [op], temps: [temp, op.out] });
      s.door.journal.writePass(s.entry, pass);
      s.door.journal.markSettled(s.entry, pass, how);
      if (how === "done") renameSync(join(s.root, "g"), op.out);
      if (how === "done") expect(await takeBack(running(s, pass))).toEqual([]);
      const result = await runPass(running(s, pass));
      expect(result).toMatchObject(how === "done" ? { done: true } : { done: false, conflicts: [] });
      const there = existsSync(join(s.root, "g"));
      expect([there, s.temps(), s.door.journal.read(s.entry)?.end?.done]).toEqual([how === "back", [], how === "done"]);
    }
  });
  it("W5: and taken back once it is not taken back again: what somebody made since is theirs, and is no conflict", async () => {
    const s = scene();
    const temp = join(s.root, ".understudy-op_1-0");
    writeFileSync(temp, "new");
    const op = { kind: "move", root: 0, path: "n", after: print(fingerprint(systemDisk, temp)), in: temp } as const;
    const pass = passOf(s.entry, { roots: [s.root], ops: [op], temps: [temp] });
    s.door.journal.writePass(s.entry, pass);
    s.door.journal.markSettled(s.entry, pass, "back");
    writeFileSync(join(s.root, "n"), "mine");
    expect(await runPass(running(s, pass))).toEqual({ done: false, conflicts: [] });
    expect([s.text("n"), s.temps()]).toEqual(["mine", []]);
    // Its temporary names went already when the process died once more.
    const u = scene();
    const [was, came] = [u.at("g"), print(fingerprint(systemDisk, join(u.layer, "n")))];
    const names = [0, 1].map((n) => join(u.root, `.understudy-op_1-${n}`));
    const [fresh = "", old = ""] = names;
    const replaced = { kind: "move", root: 0, path: "g", before: was, after: came, in: fresh, out: old } as const;
    const ended = passOf(u.entry, { roots: [u.root], ops: [replaced], temps: names });
    u.door.journal.writePass(u.entry, ended);
    u.door.journal.markSettled(u.entry, ended, "back");
    expect(await takeBack(running(u, ended))).toEqual([]);
    expect([u.text("g"), u.door.journal.read(u.entry)?.end?.done]).toEqual(["g", false]);
    const t = scene();
    const from = join(t.entry.folder, "slots/0.0-in");
    writeFileSync(from, "new");
    const brings = { kind: "move", root: 0, path: "n", after: print(fingerprint(systemDisk, from)), in: from } as const;
    const other = passOf(t.entry, { roots: [t.root], ops: [brings] });
    t.door.journal.writePass(t.entry, other);
    expect((await runPass(running(t, other))).done).toBe(true);
    rmSync(join(t.entry.folder, "end-0.json"));
    rmSync(join(t.root, "n"));
    // What they took away themselves is no conflict either.
    expect(await takeBack(running(t, other))).toEqual([]);
  });
  it("W3: tells of each change what lies there now, and of a deletion nothing", async () => {
    const s = scene();
    const [gone, elsewhere] = [
      { root: 0, path: "d", op: "delete" },
      { root: 0, path: "x", op: "create", after: s.at("f") },
    ] as const;
    const op = { kind: "mode", root: 0, path: "d", type: "folder", from: 0o755, to: 0o700 } as const;
    const pass = passOf(s.entry, { roots: [s.root], ops: [op], changes: [gone, elsewhere] });
    s.door.journal.writePass(s.entry, pass);
    const result = await runPass(running(s, pass));
    expect(result.done && result.end.changes).toStrictEqual([gone, elsewhere]);
  });
  it("W5: that never got ready loses its temporary names, and nothing else", async () => {
    for (const number of [0, 1]) {
      const s = scene({}, { uid: 1000 });
      const temp = join(s.root, "d/.understudy-op_1-0");
      mkdirSync(join(temp, "in"), { recursive: true });
      for (const path of ["d", "f"]) chmodSync(join(s.root, path), 0o755);
      const pass = passOf(s.entry, {
        roots: [s.root],
        ready: false,
        number,
        temps: [temp],
        lifts: ["d", "gone", "f"].map((path) => ({ root: 0, path, mode: 0o555 })),
      });
      s.door.journal.writePass(s.entry, pass);
      await dropPass(running(s, pass));
      expect([s.temps(), lstatSync(join(s.root, "d")).mode & 0o777, s.text("d/h")]).toEqual([[], 0o555, "d/h"]);
      expect(lstatSync(join(s.root, "f")).mode & 0o777).toBe(0o755);
      expect(existsSync(s.entry.folder)).toBe(number === 1);
      if (number === 1) expect(s.door.journal.read(s.entry)?.end).toMatchObject({ done: false, bytes: 0, prints: [] });
    }
  });
  it.each(["/f", "/.understudy-op_1", "/.understudy-op_1-0/x", "/x.understudy-op_1-0", "/.understudy--0"])(
    "W3: whose plan names %s as temporary removes nothing",
    async (name) => {
      const s = scene();
      const pass = passOf(s.entry, { roots: [s.root], ready: false, temps: [`${s.root}${name}`] });
      await expect(dropPass(running(s, pass))).rejects.toThrow(`not a temporary name of the door: ${s.root}${name}`);
      expect(s.text("f")).toBe("f");
    },
  );
  it("W3: is taken back from its last op on; what somebody changed since stays and is told, what they took away is not", async () => {
    const s = scene();
    const out = (n: number) => join(s.entry.folder, `slots/0.${n}`);
    const move = (n: number, path: string, more = {}) =>
      ({ kind: "move", root: 0, path, before: s.at(path), out: out(n), ...more }) as const;
    const pass = passOf(s.entry, { roots: [s.root], ops: [move(0, "f"), move(1, "g"), move(2, "d/h")] });
    s.door.journal.writePass(s.entry, pass);
    expect((await runPass(running(s, pass))).done).toBe(true);
    rmSync(join(s.entry.folder, "end-0.json"));
    writeFileSync(join(s.root, "g"), "mine");
    expect(await takeBack(running(s, pass))).toEqual([{ root: 0, path: "g", why: "somebody made it meanwhile" }]);
    expect([s.text("f"), s.text("g"), s.text("d/h")]).toEqual(["f", "mine", "d/h"]);
  });
});
