import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/workspace/change.ts";
import { checkId, folderHash, makeFolders, openJournal, parsed, writeWhole } from "../../../src/workspace/journal.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import { watched } from "../../support/disk-faults.ts";
import { endOf, passOf, record } from "../../support/passes.ts";
import { scratch } from "../../support/scratch.ts";

function open(root = "/r") {
  const dir = scratch();
  return { dir, journal: openJournal(systemDisk, dir, root) };
}

describe("state files", () => {
  it("E4: a root's folder is named by its hash, and ids that are no names are refused", () => {
    expect(folderHash("/r")).toBe(createHash("sha256").update("/r").digest("hex").slice(0, 24));
    for (const id of ["a", "_", "0", "A.b-c_d", "op_1", "x".repeat(128)]) expect(checkId(id)).toBe(id);
    for (const id of ["", ".", "..", ".a", "-a", "a/b", "a b", "a\n", "ä", "x".repeat(129), "/a", "é1"])
      expect(() => checkId(id)).toThrow(`not an operation id: ${id}`);
  });
  it("W5: a file is whole or not there: written beside, made durable, renamed, its folder made durable", () => {
    const dir = scratch();
    const file = join(dir, "f");
    writeFileSync(`${file}.new`, "left by a dead process");
    const calls: string[] = [];
    const disk = watched(systemDisk, (name) => calls.push(name));
    writeWhole(disk, file, "text");
    expect(readFileSync(file, "utf8")).toBe("text");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(["f"]);
    expect(calls).toEqual(["lstat", "unlink", "write", "sync", "rename", "sync"]);
    const synced: string[] = [];
    writeWhole({ ...systemDisk, sync: (path) => void synced.push(path) }, file, "next");
    expect(synced).toEqual([`${file}.new`, dir]);
    expect(readFileSync(file, "utf8")).toBe("next");
  });
  it("E4: folders are made for their owner alone; what can't be made is no silence", () => {
    const dir = scratch();
    makeFolders(systemDisk, join(dir, "a/b"));
    for (const path of ["a", "a/b"]) expect(statSync(join(dir, path)).mode & 0o777).toBe(0o700);
    makeFolders(systemDisk, join(dir, "a/b"));
    const mkdir = () => {
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    };
    expect(() => makeFolders({ ...systemDisk, mkdir }, join(dir, "c"))).toThrow("ENOSPC");
    const tried: string[] = [];
    const none = { ...systemDisk, lstat: () => undefined, mkdir: (path: string) => void tried.push(path) };
    makeFolders(none, "/a/b");
    expect(tried).toEqual(["/a", "/a/b"]);
  });
  it("E4: a file that can't be read is named, with the reason and what to do", () => {
    const file = join(scratch(), "f.json");
    writeFileSync(file, '"text"');
    const other = {
      parse: (value: unknown) => {
        throw value;
      },
    };
    const advice = "Move it away to go on without this step's undo.";
    expect(() => parsed(systemDisk, file, other)).toThrow(`the journal file ${file} can't be read: text. ${advice}`);
    writeFileSync(file, "{");
    expect(() => parsed(systemDisk, file, { parse: (v) => v })).toThrow(/f\.json can't be read: .*JSON.*Move it away/);
  });
});

describe("openJournal", () => {
  it("W4: steps are listed in their order, each with a folder of its own; other files are none of them", () => {
    const { dir, journal } = open();
    expect(journal.folder).toBe(`${dir}/${folderHash("/r")}/journal`);
    expect(journal.entries()).toEqual([]);
    const [a, b, again] = [journal.add("op_b"), journal.add("op_a"), journal.add("op_b")];
    expect(a).toEqual({ operationId: "op_b", order: 1, folder: `${journal.folder}/00000001-op_b` });
    expect(existsSync(`${a.folder}/slots`)).toBe(true);
    for (const name of ["x00000009-op", "0000009-op", "00000009-", "000000009-op", "00000009_op", "open-x"])
      mkdirSync(`${journal.folder}/${name}`);
    expect(journal.entries()).toEqual([a, b, again]);
    expect(journal.find("op_b")).toEqual(again);
    expect(journal.find("op_c")).toBeUndefined();
    expect(() => journal.add("../x")).toThrow("not an operation id");
    mkdirSync(`${journal.folder}/00000041-op_z`);
    expect(journal.add("op_y")).toMatchObject({ order: 42, folder: `${journal.folder}/00000042-op_y` });
  });
  it("W5: of a step's passes the newest is read, or the one that is asked for; what is half written is not there", () => {
    const { journal } = open();
    const entry = journal.add("op_1");
    expect(journal.read(entry)).toBeUndefined();
    for (let number = 0; number <= 10; number++) record(journal, entry, [], { number, at: `at ${number}` });
    writeFileSync(`${entry.folder}/pass-11.json.new`, "{");
    writeFileSync(`${entry.folder}/xpass-12.json`, "{");
    writeFileSync(`${entry.folder}/pass-.json`, "{");
    expect(journal.read(entry)).toMatchObject({ pass: { number: 10 }, end: { done: true }, settled: undefined });
    expect(journal.read(entry, 9)).toMatchObject({ entry, pass: { at: "at 9" } });
    expect(journal.read(entry, 0)?.pass.at).toBe("at 0");
    expect([journal.read(entry, -1), journal.read(entry, 11)]).toEqual([undefined, undefined]);
    expect(journal.read({ ...entry, folder: `${entry.folder}x` })).toBeUndefined();
  });
  it("W5: where a pass stands: planned, settled either way, ended", () => {
    const { journal } = open();
    const entry = journal.add("op_1");
    const [first, next] = [passOf(entry), passOf(entry, { number: 1 })];
    journal.writePass(entry, first);
    expect(journal.read(entry)).toEqual({ entry, pass: first, end: undefined, settled: undefined });
    journal.markSettled(entry, first, "done");
    expect(journal.read(entry)?.settled).toBe("done");
    journal.writeEnd(entry, first, endOf({ done: false, bytes: 3 }));
    expect(journal.read(entry)).toMatchObject({ end: endOf({ done: false, bytes: 3 }), settled: "done" });
    journal.writePass(entry, next);
    expect(journal.read(entry)).toMatchObject({ pass: next, end: undefined, settled: undefined });
    journal.markSettled(entry, next, "back");
    expect(journal.read(entry)?.settled).toBe("back");
    expect(readdirSync(entry.folder).toSorted()).toEqual([
      "back-1.json",
      "done-0.json",
      "end-0.json",
      "pass-0.json",
      "pass-1.json",
      "slots",
    ]);
    expect(readFileSync(`${entry.folder}/done-0.json`, "utf8")).toBe("{}");
  });
  it("W5: changes are saved once: an end names what came out otherwise, a turn the pass that lists them; all is read back whole", () => {
    const { dir, journal } = open();
    const entry = journal.add("op_1");
    const change = (path: string, size = 1): Change => ({
      root: 0,
      path,
      op: "create",
      after: { type: "file", mode: 0o644, size, mtime: "1", ctime: "1", ino: "1", nlink: 1 },
    });
    const changes = [change("a"), change("b"), change("c")];
    const first = passOf(entry, { changes });
    journal.writePass(entry, first);
    const landed = changes.with(1, change("b", 2));
    journal.writeEnd(entry, first, endOf({ changes: landed }));
    const turn = passOf(entry, { number: 1, kind: "undo", changes: landed, listed: 0 });
    journal.writePass(entry, turn);
    journal.writeEnd(entry, turn, endOf({ changes: landed }));
    const saved = (name: string): unknown => JSON.parse(readFileSync(`${entry.folder}/${name}.json`, "utf8"));
    expect(saved("end-0")).toMatchObject({ changed: [[1, change("b", 2)]] });
    expect(saved("pass-1")).toMatchObject({ changes: [], listed: 0 });
    expect(saved("end-1")).toMatchObject({ changed: [] });
    for (const name of ["end-0", "end-1"]) expect(saved(name)).not.toHaveProperty("changes");
    for (const each of [journal, openJournal(systemDisk, dir, "/r")]) {
      expect(each.read(entry, 0)).toMatchObject({ pass: { changes }, end: { changes: landed } });
      expect(each.read(entry)).toMatchObject({ pass: { number: 1, changes: landed }, end: { changes: landed } });
    }
    // Fewer than the pass had, and as an older version saved them.
    journal.writeEnd(entry, first, endOf({ changes: [change("z")] }));
    expect(saved("end-0")).toMatchObject({ changes: [change("z")] });
    expect(openJournal(systemDisk, dir, "/r").read(entry, 0)?.end?.changes).toEqual([change("z")]);
    rmSync(`${entry.folder}/end-0.json`);
    expect(() => openJournal(systemDisk, dir, "/r").read(entry)).toThrow(/pass 0 of .*op_1 is gone, which lists/);
  });
  it("W4: turns are counted in their journal, whoever counts, and their count is no step", () => {
    const { dir, journal } = open();
    expect([journal.nextTurn(), journal.nextTurn()]).toEqual([1, 2]);
    const again = openJournal(systemDisk, dir, "/r");
    expect([again.nextTurn(), journal.nextTurn()]).toEqual([3, 4]);
    expect(readdirSync(journal.folder)).toEqual(["turn-00000004"]);
    for (const name of ["turn-9", "turn-000000009", "xturn-00000009"]) writeFileSync(`${journal.folder}/${name}`, "");
    expect(journal.nextTurn()).toBe(5);
    expect(journal.entries()).toEqual([]);
  });
  it("W4: what a step occupies is looked up once", () => {
    const { dir, journal } = open();
    const entry = journal.add("op_1");
    const pass = passOf(entry);
    journal.writePass(entry, pass);
    expect(openJournal(systemDisk, dir, "/r").bytesOf(entry)).toBe(0);
    expect(journal.bytesOf(entry)).toBe(0);
    journal.writeEnd(entry, pass, endOf({ bytes: 7 }));
    expect(journal.bytesOf(entry)).toBe(7);
    const other = openJournal(systemDisk, dir, "/r");
    expect(other.bytesOf(entry)).toBe(7);
    journal.writeEnd(entry, pass, endOf({ bytes: 8 }));
    expect([journal.bytesOf(entry), other.bytesOf(entry)]).toEqual([8, 7]);
    expect(other.bytesOf({ ...entry, folder: `${entry.folder}x` })).toBe(0);
  });
  it("W4: a step that is removed is gone with all it kept", async () => {
    const { journal } = open();
    const [one, two] = [journal.add("op_1"), journal.add("op_2")];
    mkdirSync(`${one.folder}/slots/d`);
    chmodSync(`${one.folder}/slots/d`, 0);
    await journal.remove(one);
    expect(journal.entries()).toEqual([two]);
  });
  it("W8: other roots' journals point to a step that touches them, from before its plan until for good", () => {
    const { dir, journal } = open("/r");
    const mine = { operationId: "op_1", home: "/r" };
    const theirs = { operationId: "op_2", home: "/q" };
    expect([journal.open(), journal.pointers()]).toEqual([[], []]);
    for (const { operationId, home } of [mine, theirs]) journal.markOpen(operationId, home);
    writeFileSync(`${journal.folder}/open-op_3.json.new`, "{");
    writeFileSync(`${journal.folder}/xopen-op_3.json`, "{");
    expect(openJournal(systemDisk, dir, "/r").open()).toEqual([mine, theirs]);
    for (const { operationId } of [mine, theirs, { operationId: "op_9" }]) journal.markEnded(operationId);
    expect([journal.open(), journal.pointers()]).toEqual([[], [theirs]]);
    expect(existsSync(`${journal.folder}/at-op_2.json`)).toBe(true);
    journal.markOpen("op_4", "/q");
    for (const id of ["op_4", "op_9"]) journal.dropOpen(id);
    expect([journal.open(), journal.pointers()]).toEqual([[], [theirs]]);
    for (const act of [
      () => journal.markOpen("../x", "/q"),
      () => journal.markEnded("../x"),
      () => journal.dropOpen("../x"),
    ])
      expect(act).toThrow("not an operation id");
    writeFileSync(`${journal.folder}/open-op_5.json`, "{}");
    expect(() => journal.open()).toThrow("open-op_5.json can't be read");
  });
});
