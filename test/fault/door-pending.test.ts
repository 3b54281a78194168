import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Layer } from "../../src/events/layers.ts";
import type { ChangeSet } from "../../src/workspace/change.ts";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { copyTree, stepTo } from "../support/change-set.ts";
import { deep } from "../support/deep.ts";
import { Dead, failing, filling, mortal, watched } from "../support/disk-faults.ts";
import { missingOtherDisk, openAt, place, type Place } from "../support/door.ts";
import { needs } from "../support/runnable.ts";
import { treeLines } from "../support/tree.ts";

/** No test cuts the power. */
const quick = watched(systemDisk, () => {});
/** A pid that nobody has: a process that has ended. */
const NOBODY = 999_999_999;
const figures = { killed: 0, failed: 0, full: 0 };
afterAll(() => console.log(`rehearsals, steps as one, kept output: ${JSON.stringify(figures)} points tried`));

function fill(dir: string): void {
  mkdirSync(join(dir, "d/e"), { recursive: true });
  mkdirSync(join(dir, "gone"));
  for (const name of ["a", "b", "c", "d/x", "d/e/y", "gone/g"]) writeFileSync(join(dir, name), `${name}\n`);
}

/** What Write, Edit and Delete do in three steps, each over those before it. */
const STEPS: readonly (readonly [path: string, text: string | undefined])[][] = [
  [
    ["a", "a1\n"],
    ["new/n", "n1\n"],
    ["b", undefined],
  ],
  [
    ["a", "a2\n"],
    ["new/n", undefined],
    ["new/m/o", "o\n"],
    ["gone/g", undefined],
  ],
  [
    ["b", "again\n"],
    ["d/e/y", "y3\n"],
    ["c", undefined],
  ],
];

interface Scene {
  at: Place;
  from: string[];
  layers: Layer[];
}

/** A rehearsal of three steps that wait. */
async function rehearsed(apart: boolean): Promise<Scene> {
  const at = place(apart);
  fill(at.folder);
  const from = treeLines(at.folder);
  const ws = await openAt(at, { disk: quick });
  const layers: Layer[] = [];
  const below: string[] = [];
  for (const [n, edits] of STEPS.entries()) {
    const stage = await ws.stage(`op_${n}`, ws.view(below));
    for (const [path, text] of edits) {
      if (text === undefined) await stage.remove(join(at.folder, path));
      else await stage.put(join(at.folder, path), Buffer.from(text));
    }
    const set = await ws.pending(() => false).freeze(await stage.finish(), ws.view(below));
    layers.push({ operationId: set.operationId, pended: true });
    below.push(set.stepFolder);
  }
  expect(treeLines(at.folder)).toEqual(from);
  return { at, from, layers };
}

async function landSum(ws: Workspace, id: string, layers: readonly Layer[]): Promise<void> {
  const sum = await ws.pending(() => false).sum(id, layers);
  expect(sum.conflicts).toEqual([]);
  if (sum.set.changes.length > 0) expect(await ws.land(sum.set)).toMatchObject({ ok: true });
}

/** What the folder is once it has landed. */
async function wantedOf(apart: boolean): Promise<string[]> {
  const { at, layers } = await rehearsed(apart);
  await landSum(await openAt(at, { disk: quick }), "op_sum", layers);
  const wanted = treeLines(at.folder);
  const names = wanted.map((line) => line.split(" ")[2]?.slice(1, -1));
  expect(names).toEqual(["", "a", "b", "d", "d/e", "d/e/y", "d/x", "gone", "new", "new/m", "new/m/o"]);
  return wanted;
}

const kinds = [
  ["killed", mortal],
  ["failed", failing],
  ["full", filling],
] as const;

describe.each([false, true])("a rehearsal's squashed set, state on another file system: %s", (apart) => {
  it.for(kinds)(
    "W6 W5: %s at any call of its sum and its landing: all or nothing, no layer lost",
    async ([how, make], ctx) => {
      if (apart) needs(ctx, missingOtherDisk());
      const to = await wantedOf(apart);
      const stride = deep(how === "failed" ? 83 : 31, 1);
      for (let n = 1 + (apart ? 5 : 0); ; n += stride) {
        const { at, from, layers } = await rehearsed(apart);
        const bad = make(systemDisk, n);
        const ws = await openAt(at, { disk: bad.disk, ...(how === "killed" ? { pid: NOBODY } : {}) });
        bad.arm();
        const error = await landSum(ws, "op_sum", layers).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error === undefined && bad.calls() < n) break;
        // What only tidies up goes on without.
        if (how === "killed" && error !== undefined) expect(error).toBeInstanceOf(Dead);
        if (how === "full") bad.free();
        figures[how]++;
        const next = await openAt(at, { disk: quick, recover: n % 2 === 0 ? "forward" : "back" });
        expect([from, to], `${how} at ${n}: ${String(error)} ${next.recovered.join()}`).toContainEqual(
          treeLines(at.folder),
        );
        await landSum(next, "op_again", layers);
        expect(treeLines(at.folder)).toEqual(to);
      }
    },
  );
});

describe.each([false, true])("three steps as one operation, state on another file system: %s", (apart) => {
  const ways = kinds.flatMap(([how, make]) => (["undo", "redo"] as const).map((kind) => [how, kind, make] as const));
  it.for(ways)("W4 W5: %s at any call of their %s: all of them or none", async ([how, kind, make], ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const steps = STEPS.map((_, n) => `op_${n}`);
    const stride = deep(how === "failed" ? 131 : 47, 1);
    for (let n = 1 + (apart ? 7 : 0); ; n += stride) {
      const { at, from, to } = await landed(apart, kind);
      const bad = make(systemDisk, n);
      const ws = await openAt(at, { disk: bad.disk, ...(how === "killed" ? { pid: NOBODY } : {}) });
      bad.arm();
      const end = await ws.turn({ kind, steps }).then(
        (report) => report.ok,
        (thrown: unknown) => thrown,
      );
      if (end === true && bad.calls() < n) break;
      if (how === "killed" && end !== true) expect(end).toBeInstanceOf(Dead);
      if (how === "full") bad.free();
      figures[how]++;
      // The lock of a process that had this one's id.
      for (const name of readdirSync(at.foldersDir, { recursive: true, encoding: "utf8" }))
        if (name.endsWith("/lock")) rmSync(join(at.foldersDir, name));
      const next = await openAt(at, { disk: quick, recover: n % 2 === 0 ? "forward" : "back" });
      const now = treeLines(at.folder);
      expect([from, to], `${how} at ${n}: ${String(end)} ${next.recovered.join()}`).toContainEqual(now);
      if (now.join() !== to.join()) expect(await next.turn({ kind, steps })).toMatchObject({ ok: true });
      expect(treeLines(at.folder)).toEqual(to);
    }
  });

  /** The three steps landed one by one; to redo them, undone. */
  async function landed(far: boolean, kind: "undo" | "redo"): Promise<{ at: Place; from: string[]; to: string[] }> {
    const at = place(far);
    fill(at.folder);
    const was = treeLines(at.folder);
    const ws = await openAt(at, { disk: quick });
    for (const [n, edits] of STEPS.entries()) {
      const stage = await ws.stage(`op_${n}`, ws.view([]));
      for (const [path, text] of edits) {
        if (text === undefined) await stage.remove(join(at.folder, path));
        else await stage.put(join(at.folder, path), Buffer.from(text));
      }
      expect(await ws.land(await stage.finish())).toMatchObject({ ok: true });
    }
    const is = treeLines(at.folder);
    if (kind === "undo") return { at, from: is, to: was };
    expect(await ws.turn({ kind: "undo", steps: STEPS.map((_, n) => `op_${n}`) })).toMatchObject({ ok: true });
    return { at, from: was, to: is };
  }
});

describe("regenerable output that is kept", () => {
  it.for(kinds)(
    "P9: %s at any call of keeping it: the folder is untouched, and it can be kept and landed again",
    async ([how, make]) => {
      for (let n = 1; ; n += deep(5, 1)) {
        const { at, set, from } = await built();
        const bad = make(systemDisk, n);
        const ws = await openAt(at, { disk: bad.disk });
        bad.arm();
        const error = await ws.keep(set, isOutput).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error === undefined && bad.calls() < n) break;
        if (how === "full") bad.free();
        figures[how]++;
        expect(treeLines(at.folder)).toEqual(from);
        const next = await openAt(at, { disk: quick });
        await next.keep(set, isOutput);
        expect(readdirSync(join(set.stepFolder, "u0"))).toEqual(["node_modules"]);
        expect(await next.land({ ...set, changes: set.changes.filter(isOutput) })).toMatchObject({ ok: true });
        expect(treeLines(join(at.folder, "node_modules"))).toHaveLength(4);
        rmSync(join(at.folder, "node_modules"), { recursive: true });
        expect(treeLines(at.folder)).toEqual(from);
      }
    },
  );

  const isOutput = ({ path }: { path: string }): boolean => path.split("/")[0] === "node_modules";

  async function built(): Promise<{ at: Place; set: ChangeSet; from: string[] }> {
    const at = place();
    fill(at.folder);
    const wanted = join(at.folder, "../wanted");
    copyTree(at.folder, wanted);
    mkdirSync(join(wanted, "node_modules/p"), { recursive: true });
    for (const name of ["a", "node_modules/p/i", "node_modules/k"]) writeFileSync(join(wanted, name), "made\n");
    const ws = await openAt(at, { disk: quick });
    return { at, set: await stepTo(ws, "op_1", at.folder, wanted), from: treeLines(at.folder) };
  }
});
