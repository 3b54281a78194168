import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Fingerprint } from "../../../src/workspace/change.ts";
import { type Journal, openJournal } from "../../../src/workspace/journal.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import type { MoveOp, Op } from "../../../src/workspace/plan.ts";
import {
  passKey,
  returnedBy,
  sameOrReturned,
  sameThroughTurns,
  type Turns,
  turnsIn,
} from "../../../src/workspace/returned.ts";
import { passOf, printed, record } from "../../support/passes.ts";
import { scratch } from "../../support/scratch.ts";

function journals(count = 1): { dir: string; all: Journal[]; first: Journal } {
  const dir = scratch();
  const all = Array.from({ length: count }, (_, n) => openJournal(systemDisk, dir, `/r${n}`));
  const [first] = all;
  if (first === undefined) throw new Error("no journal");
  return { dir, all, first };
}

const move = (path: string, more: Partial<MoveOp> = {}): MoveOp => ({ kind: "move", root: 0, path, ...more });
const mode = (path: string, more: Partial<Extract<Op, { kind: "mode" }>> = {}): Op => ({
  kind: "mode",
  root: 0,
  path,
  type: "file",
  from: 0o644,
  to: 0o755,
  ...more,
});
/** The same bytes put back: another ctime. */
const again = (print: Fingerprint, ctime: number, more: Partial<Fingerprint> = {}): Fingerprint => ({
  ...print,
  ctime: String(ctime),
  ...more,
});

describe("what a rolled-back try of the step itself put back", () => {
  const was = printed(1);
  const is = again(was, 99);
  const state = (ops: readonly [Op, Fingerprint | null][], done = false) => {
    const { first } = journals();
    const entry = first.add("op_1");
    record(first, entry, ops, { done });
    return first.read(entry);
  };
  it("W3: counts as what it was, by root and path", () => {
    const returned = returnedBy(state([[move("f", { before: was }), is]]));
    expect([...returned]).toEqual([["0/f", { was, is }]]);
    expect(sameOrReturned(is, was, "0/f", returned)).toBe(true);
    expect(sameOrReturned(is, was, "0/g", returned)).toBe(false);
    expect(sameOrReturned(again(is, 100), was, "0/f", returned)).toBe(false);
    expect(sameOrReturned(is, again(was, 2), "0/f", returned)).toBe(false);
    expect(sameOrReturned(was, was, "0/g", new Map())).toBe(true);
  });
  it.each<[string, readonly [Op, Fingerprint | null][], boolean?]>([
    ["what landed", [[move("f", { before: was }), is]], true],
    ["what is gone", [[move("f", { before: was }), null]]],
    ["what was new", [[move("f"), is]]],
    ["a mode", [[mode("f", { before: was }), is]]],
    ["another file", [[move("f", { before: was }), printed(2)]]],
  ])("W3: but not %s", (_name, ops, done = false) => {
    expect(returnedBy(state(ops, done)).size).toBe(0);
  });
  it("W3: and nothing without a try, or with one that has not ended", () => {
    const { first } = journals();
    const entry = first.add("op_1");
    expect(returnedBy(undefined).size).toBe(0);
    first.writePass(entry, passOf(entry, { ops: [move("f", { before: was })] }));
    expect(returnedBy(first.read(entry)).size).toBe(0);
  });
});

/** Turns as `path was→is` by ino and ctime, in their order. */
function told(turns: Turns): string[] {
  return [...turns].flatMap(([path, list]) => list.map((t) => `${path} ${t.was.ctime}→${t.is.ctime} by ${t.by}`));
}

describe("what undo and redo took away and put back", () => {
  const was = printed(1);
  const is = again(was, 99);
  /** A landing with one op and its undo. */
  function undone(landed: [Op, Fingerprint | null], back: [Op, Fingerprint | null], more = {}): string[] {
    const { first } = journals();
    const entry = first.add("op_1");
    record(first, entry, [landed]);
    record(first, entry, [back], { kind: "undo", number: 1, ...more });
    return told(turnsIn([first], systemDisk));
  }
  const there = printed(5);
  const linked = (at: number, target: string) => printed(at, { type: "link", mode: 0o777, target });
  it("W4: is the same file, under the target's absolute path", () => {
    expect(undone([move("f", { before: was }), there], [move("f", { before: there }), is])).toEqual([
      "/r/f 1000000→99 by op_1 1",
    ]);
    expect(undone([mode("f", { before: was }), there], [mode("f"), is])).toEqual(["/r/f 1000000→99 by op_1 1"]);
  });
  it.each<[string, Fingerprint | undefined, Fingerprint | null, number]>([
    ["moved back", was, is, 1],
    ["copied back, its time to the microsecond", was, again(was, 99, { ino: "9", mtime: "1009999" }), 1],
    ["copied back, its time a little earlier", was, again(was, 99, { ino: "9", mtime: "990001" }), 1],
    ["with a time too late", was, again(was, 99, { ino: "9", mtime: "1010000" }), 0],
    ["with a time too early", was, again(was, 99, { ino: "9", mtime: "990000" }), 0],
    ["of another size", was, again(was, 99, { ino: "9", size: 8 }), 0],
    ["of another mode", was, again(was, 99, { ino: "9", mode: 0o600 }), 0],
    ["of another type", was, again(was, 99, { ino: "9", type: "link" }), 0],
    ["nothing", was, null, 0],
    ["new then", undefined, is, 0],
    ["a folder made anew, of others' entries", printed(1, { type: "folder" }), printed(9, { type: "folder" }), 1],
    ["a folder in place of a file", was, again(was, 99, { type: "folder" }), 0],
    ["a link copied back", linked(1, "a"), linked(9, "a"), 1],
    ["a link that leads elsewhere", linked(1, "a"), linked(9, "b"), 0],
    ["a file in place of a link", linked(1, "a"), again(was, 99, { ino: "9" }), 0],
    ["a folder of another mode", printed(1, { type: "folder" }), printed(9, { type: "folder", mode: 0o700 }), 0],
  ])("W4: %s", (_name, then, now, count) => {
    const before = then === undefined ? {} : { before: then };
    const plain = then?.type === "folder" ? { plain: true } : {};
    expect(undone([move("f", { ...before, ...plain }), there], [move("f"), now]).length).toBe(count);
  });
  it("W4: a folder that went whole is told by its entries, not by itself", () => {
    const folder = printed(1, { type: "folder" });
    expect(undone([move("f", { before: folder }), null], [move("f"), again(folder, 99)])).toEqual([]);
    expect(undone([mode("f", { before: folder }), null], [mode("f"), again(folder, 99)])).toEqual([]);
  });
  it("W4: nothing of an undo that never ended, of one at another path, or of a first landing", () => {
    const { first } = journals();
    const entry = first.add("op_1");
    record(first, entry, [[move("f", { before: was }), there]]);
    expect(told(turnsIn([first], systemDisk))).toEqual([]);
    first.writePass(entry, passOf(entry, { kind: "undo", number: 1, ops: [move("f", { before: there })] }));
    expect(told(turnsIn([first], systemDisk))).toEqual([]);
    expect(undone([move("f", { before: was }), there], [move("g", { before: there }), is])).toEqual([]);
    expect(undone([move("f", { before: was }), there], [move("f"), is], { roots: ["/q"] })).toEqual([]);
  });
  it("W4: a try that was rolled back put back what it took itself; what is redone goes by the undo", () => {
    const { first } = journals();
    const entry = first.add("op_1");
    record(first, entry, [[move("f", { before: was }), is]], { done: false });
    expect(told(turnsIn([first], systemDisk))).toEqual(["/r/f 1000000→99 by op_1 0"]);
    const next = first.add("op_1");
    const at = (n: number) => ({ number: n, at: `2026-01-02T00:00:0${n}.000Z` });
    record(first, next, [[move("f", { before: is }), there]], at(0));
    record(first, next, [[move("f", { before: there }), again(is, 100)]], { ...at(1), kind: "undo" });
    record(first, next, [[move("f", { before: again(is, 100) }), again(there, 101)]], { ...at(2), kind: "redo" });
    record(first, next, [[move("f", { before: again(there, 101) }), again(there, 102)]], { ...at(3), done: false });
    expect(told(turnsIn([first], systemDisk))).toEqual([
      "/r/f 1000000→99 by op_1 0",
      "/r/f 99→100 by op_1 1",
      "/r/f 5000000→101 by op_1 2",
      "/r/f 101→102 by op_1 3",
    ]);
  });
  it("W4: oldest first, whichever journal or order they stand in", () => {
    const { all } = journals(3);
    const days = ["2026-01-05", "2026-01-03", "2026-01-04"];
    all.forEach((journal, n) => {
      const entry = journal.add(`op_${n}`);
      record(journal, entry, [[move("f", { before: was }), is]], { done: false, at: `${days[n]}T00:00:00.000Z` });
    });
    expect(told(turnsIn(all, systemDisk)).map((line) => line.split(" by ")[1])).toEqual(["op_1 0", "op_2 0", "op_0 0"]);
    expect(told(turnsIn(all.toReversed(), systemDisk)).map((line) => line.split(" by ")[1])).toEqual([
      "op_1 0",
      "op_2 0",
      "op_0 0",
    ]);
  });
  it("W4: of one time, by their count among the turns; one without a count is the first", () => {
    const { all } = journals(4);
    const counts = [3, 1, undefined, 2];
    all.forEach((journal, n) => {
      const turn = counts[n];
      const entry = journal.add(`op_${n}`);
      const pass = turn === undefined ? {} : { turn };
      record(journal, entry, [[move("f", { before: was }), is]], { done: false, ...pass });
    });
    const order = (of: readonly Journal[]) => told(turnsIn(of, systemDisk)).map((line) => line.split(" by ")[1]);
    const sorted = ["op_2 0", "op_1 0", "op_3 0", "op_0 0"];
    expect([order(all), order(all.toReversed())]).toEqual([sorted, sorted]);
  });
  it("W4: entries of a folder that was copied away and copied back, by the lists of both", () => {
    const { dir, first } = journals();
    const entry = first.add("op_1");
    const folder = printed(1, { type: "folder" });
    const store = join(dir, "store");
    mkdirSync(`${entry.folder}/slots`, { recursive: true });
    const list = (path: string, prints: Record<string, Fingerprint>) =>
      writeFileSync(path, JSON.stringify(Object.entries(prints)));
    const sub = printed(3, { type: "folder" });
    const link = printed(4, { type: "link" });
    list(`${store}.was`, { a: was, b: was, sub, link, file: was, gone: was });
    list(`${entry.folder}/slots/1.0.is`, {
      a: is,
      b: again(was, 98, { size: 8 }),
      sub: printed(33, { type: "folder", mode: 0o700 }),
      link: printed(44, { type: "link" }),
      file: printed(5, { type: "link" }),
      fresh: is,
    });
    record(first, entry, [[move("d", { before: folder, store }), null]]);
    record(first, entry, [[move("d"), again(folder, 99)]], { kind: "undo", number: 1 });
    expect(told(turnsIn([first], systemDisk))).toEqual([
      "/r/d 1000000→99 by op_1 1",
      "/r/d/a 1000000→99 by op_1 1",
      "/r/d/sub 3000000→33000000 by op_1 1",
      "/r/d/link 4000000→44000000 by op_1 1",
    ]);
    // Not the folder itself where it came back with another mode.
    record(first, entry, [[move("d"), again(folder, 99, { mode: 0o700 })]], { kind: "undo", number: 1 });
    expect(told(turnsIn([first], systemDisk))).toHaveLength(3);
    // Not for a folder's mode, a file, or a folder that was never copied.
    for (const [landed, back] of [
      [move("d", { before: folder, store }), mode("d", { type: "folder" })],
      [move("d", { before: printed(7), store }), move("d")],
      [move("d", { before: folder }), move("d")],
      [move("e", { before: folder, store }), move("d")],
      [mode("d", { before: folder }), move("d")],
    ] as const) {
      record(first, entry, [[landed, null]]);
      record(first, entry, [[back, null]], { kind: "undo", number: 1 });
      expect(told(turnsIn([first], systemDisk))).toEqual([]);
    }
  });
  it("W4: through any number of turns; not through one of another path, mode or moment", () => {
    const hop = (from: Fingerprint, to: Fingerprint) => ({ was: from, is: to, at: "", by: "" });
    const [a, b, c, d] = [was, again(was, 10), again(was, 11), again(was, 12)];
    const turns: Turns = new Map([["/r/f", [hop(c, d), hop(a, b), hop(b, c)]]]);
    expect(sameThroughTurns(d, a, "/r/f", turns)).toBe(true);
    expect(sameThroughTurns(a, a, "/r/g", turns)).toBe(true);
    expect(sameThroughTurns(d, a, "/r/g", turns)).toBe(false);
    expect(sameThroughTurns(a, d, "/r/f", turns)).toBe(false);
    expect(sameThroughTurns(again(was, 13), a, "/r/f", turns)).toBe(false);
    expect(sameThroughTurns({ ...d, mode: 0o600 }, a, "/r/f", turns)).toBe(false);
    expect(sameThroughTurns(d, { ...a, mode: 0o600 }, "/r/f", turns)).toBe(false);
    const round: Turns = new Map([["/r/f", [hop(a, b), hop(b, a)]]]);
    expect(sameThroughTurns(a, d, "/r/f", round)).toBe(false);
  });
  it("W4: a pass has a name among all", () => {
    expect(passKey({ operationId: "op_7", number: 3 })).toBe("op_7 3");
  });
});
