import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/workspace/change.ts";
import type { Door } from "../../../src/workspace/door.ts";
import { type Entry, openJournal } from "../../../src/workspace/journal.ts";
import {
  byPass,
  doorAt,
  entriesOf,
  homeOf,
  isKept,
  journalSteps,
  lastDone,
  stampOf,
  type StepAt,
  stepsOf,
} from "../../../src/workspace/journal-steps.ts";
import { systemDisk } from "../../../src/workspace/land-disk.ts";
import type { Pass } from "../../../src/workspace/plan.ts";
import { endOf, passOf, record } from "../../support/passes.ts";
import { scratch } from "../../support/scratch.ts";

/** Of a door, the journal's reading side needs these alone. */
function doorOf(dir: string, ...roots: string[]): Door {
  const [home = "/r"] = roots;
  const some: Partial<Door> = {
    state: systemDisk,
    foldersDir: dir,
    home,
    journal: openJournal(systemDisk, dir, home),
    roots: roots.map((path) => ({ path, kind: "folder" })),
  };
  return some as Door;
}

const created = (root: number, path: string): Change => ({ root, path, op: "create" });
const at = (second: number) => ({ at: `2026-01-01T00:00:0${second}.000Z` });

/** A step of one pass. */
function step(door: Door, id: string, more: Partial<Pass> & { done?: boolean } = {}): Entry {
  const entry = door.journal.add(id);
  record(door.journal, entry, [], more);
  return entry;
}

describe("steps of a journal", () => {
  it("W4: the newest pass that ended well counts; what never landed, or is not there, is said", () => {
    const door = doorOf(scratch(), "/r");
    const entry = step(door, "op_1", { sessionId: "s_0" });
    record(door.journal, entry, [], { number: 1, kind: "undo", sessionId: "s_1" });
    record(door.journal, entry, [], { number: 2, kind: "redo", done: false });
    door.journal.writePass(entry, passOf(entry, { number: 3, kind: "redo" }));
    expect(lastDone(door.journal, "op_1")).toMatchObject({ state: { pass: { number: 1 } }, end: { done: true } });
    step(door, "op_2", { done: false });
    door.journal.add("op_3");
    expect(() => lastDone(door.journal, "op_2")).toThrow("step op_2 never landed");
    expect(() => lastDone(door.journal, "op_3")).toThrow("step op_3 never landed");
    expect(() => lastDone(door.journal, "op_4")).toThrow("no step op_4 in the journal");
    expect(stepsOf(door).map((s) => s.operationId)).toEqual(["op_1"]);
  });
  it("W8: a step is found in whichever of our roots' journals it lies, once", () => {
    const dir = scratch();
    const [ours, theirs] = [doorOf(dir, "/r", "/q"), doorOf(dir, "/q", "/r")];
    const mine = step(ours, "op_r", { roots: ["/r", "/q"] });
    const other = step(theirs, "op_q", { roots: ["/q", "/r"] });
    for (const [door, id] of [
      [ours, "op_q"],
      [theirs, "op_r"],
    ] as const) {
      door.journal.markOpen(id, door.home === "/r" ? "/q" : "/r");
      door.journal.markEnded(id);
    }
    ours.journal.markOpen("op_lost", "/q");
    ours.journal.markEnded("op_lost");
    expect(entriesOf(ours).map(({ door, entry }) => [door.home, entry])).toEqual([
      ["/r", mine],
      ["/q", other],
    ]);
    expect(entriesOf(doorOf(dir, "/q")).map(({ entry }) => entry.operationId)).toEqual(["op_q", "op_r"]);
    expect(homeOf(ours, "op_r")).toBe(ours);
    expect(homeOf(ours, "op_q")).toMatchObject({ home: "/q", roots: ours.roots });
    expect(homeOf(ours, "op_q").journal.folder).toBe(theirs.journal.folder);
    expect(homeOf(ours, "op_none")).toBe(ours);
    expect(doorAt(ours, "/r")).toBe(ours);
    expect(stepsOf(ours).map((s) => [s.operationId, s.door.home])).toEqual([
      ["op_r", "/r"],
      ["op_q", "/q"],
    ]);
  });
  it("W4: what a step was and became is told: who landed it, who last turned it, what that occupies", () => {
    const door = doorOf(scratch(), "/r");
    const entry = door.journal.add("op_1");
    const pass = passOf(entry, { sessionId: "s_0", ...at(1), changes: [created(0, "planned")] });
    door.journal.writePass(entry, pass);
    door.journal.writeEnd(entry, pass, endOf({ bytes: 5, changes: [created(0, "a")] }));
    const landed = {
      operationId: "op_1",
      sessionId: "s_0",
      by: "s_0",
      at: at(1).at,
      turnedAt: at(1).at,
      status: "landed",
      kept: true,
      bytes: 5,
      changes: [created(0, "a")],
    };
    expect(journalSteps(door)).toEqual([landed]);
    const undo = passOf(entry, { number: 1, kind: "undo", sessionId: "s_1", group: "g", ...at(2) });
    door.journal.writePass(entry, undo);
    expect(journalSteps(door)).toEqual([landed]);
    door.journal.writeEnd(entry, undo, endOf({ bytes: 6, changes: [created(0, "a")] }));
    const undone = { ...landed, by: "s_1", turnedAt: at(2).at, group: "g", status: "undone", bytes: 6 };
    expect(journalSteps(door)).toEqual([undone]);
    rmSync(`${entry.folder}/slots`, { recursive: true });
    expect(journalSteps(door)).toEqual([{ ...undone, kept: false, bytes: 0 }]);
    // Of a forgotten step the landing's own plan may be gone.
    rmSync(`${entry.folder}/pass-0.json`);
    rmSync(`${entry.folder}/end-0.json`);
    record(door.journal, entry, [], { number: 0, done: false, sessionId: "s_9" });
    expect(journalSteps(door)).toMatchObject([{ sessionId: "s_9", status: "undone" }]);
  });
  it("W3: one that was rolled back is told with what it would have changed; one that has not ended is not", () => {
    const door = doorOf(scratch(), "/r");
    step(door, "op_1", { done: false, sessionId: "s_0", ...at(2), changes: [created(0, "a")] });
    const open = door.journal.add("op_2");
    door.journal.writePass(open, passOf(open));
    door.journal.add("op_3");
    expect(journalSteps(door)).toEqual([
      {
        operationId: "op_1",
        sessionId: "s_0",
        by: "s_0",
        at: at(2).at,
        turnedAt: at(2).at,
        status: "rolled-back",
        kept: false,
        bytes: 0,
        changes: [created(0, "a")],
      },
    ]);
  });
  it("W8: changes are counted by our own roots; those in others are left out; oldest landing first", () => {
    const dir = scratch();
    const door = doorOf(dir, "/q", "/r");
    const roots = ["/r", "/x", "/q"];
    for (const [id, second] of [
      ["op_c", 3],
      ["op_a", 1],
      ["op_b", 2],
      ["op_d", 3],
    ] as const) {
      const entry = door.journal.add(id);
      const pass = passOf(entry, { roots, ...at(second) });
      door.journal.writePass(entry, pass);
      const changes = [created(0, "r"), created(1, "x"), created(2, "q")];
      door.journal.writeEnd(entry, pass, endOf({ changes }));
    }
    const steps = journalSteps(door);
    expect(steps.map((s) => s.operationId)).toEqual(["op_a", "op_b", "op_c", "op_d"]);
    expect(steps[0]?.changes).toEqual([created(1, "r"), created(0, "q")]);
  });
  it("W4: in one journal passes go by their places, whatever the clock did; in two by the clock, then by number", () => {
    const dir = scratch();
    const [ours, theirs] = [doorOf(dir, "/r"), doorOf(dir, "/q")];
    const of = (door: Door, more: Partial<Pass>): StepAt => {
      const entry = { operationId: "op", order: 1, folder: "/f" };
      const pass = passOf(entry, more);
      const state = { entry, pass, end: endOf(), settled: undefined };
      return { state, end: endOf(), door, operationId: "op", first: pass };
    };
    const sign = (a: StepAt, b: StepAt): number[] => [Math.sign(byPass(a, b)), Math.sign(byPass(b, a))];
    const land = (order: number, second: number, door = ours) => of(door, { order, ...at(second) });
    const undo = (behind: number, second: number, number = 1) =>
      of(ours, { order: 1, behind, kind: "undo", number, ...at(second) });
    expect(sign(land(1, 9), land(2, 1))).toEqual([-1, 1]);
    expect(sign(land(2, 9), undo(2, 1))).toEqual([-1, 1]);
    expect(sign(undo(2, 9), land(3, 1))).toEqual([-1, 1]);
    expect(sign(undo(2, 1), undo(2, 2))).toEqual([-1, 1]);
    expect(sign(undo(2, 1, 1), undo(2, 1, 2))).toEqual([-1, 1]);
    expect(sign(undo(2, 1), undo(2, 1))).toEqual([0, 0]);
    expect(sign(land(9, 1), land(1, 2, theirs))).toEqual([-1, 1]);
    expect(sign(land(1, 1, ours), land(9, 1, theirs))).toEqual([0, 0]);
  });
  it("W4: what is kept, and a stamp that moves with every landing, turn and loss", () => {
    const door = doorOf(scratch(), "/r");
    const stamps = [stampOf(door)];
    const entry = step(door, "op_1");
    stamps.push(stampOf(door));
    const other = step(door, "op_2");
    stamps.push(stampOf(door));
    expect(stamps.at(-1)).toContain("\n");
    record(door.journal, other, [], { number: 1, kind: "undo" });
    stamps.push(stampOf(door));
    expect(stampOf(door)).toBe(stamps.at(-1));
    const found = stepsOf(door).find((s) => s.operationId === "op_1");
    expect(found !== undefined && isKept(found)).toBe(true);
    rmSync(`${entry.folder}/slots`, { recursive: true });
    expect(found !== undefined && isKept(found)).toBe(false);
    stamps.push(stampOf(door));
    rmSync(entry.folder, { recursive: true });
    stamps.push(stampOf(door));
    expect(new Set(stamps).size).toBe(stamps.length);
    mkdirSync(entry.folder);
    expect(readdirSync(door.journal.folder).length).toBe(2);
  });
});
