import { chmodSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it } from "vitest";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import type { ChangeSet } from "../../src/workspace/change.ts";
import type { WorkspaceDeps } from "../../src/workspace/open.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { stepTo } from "../support/change-set.ts";
import { deep } from "../support/deep.ts";
import { Dead, failing, filling, mortal, watched } from "../support/disk-faults.ts";
import { missingOtherDisk, openAt, place, type Place } from "../support/door.ts";
import { needs } from "../support/runnable.ts";
import { treeLines } from "../support/tree.ts";

/** No test cuts the power. */
const quick = watched(systemDisk, () => {});
/** A pid that nobody has: a process that has ended. */
const gone = spawnSync("/bin/sh", ["-c", "echo $$"], { encoding: "utf8" });
const deadPid = Number(gone.stdout);

/** Every kind of change at once. */
function before(dir: string): void {
  mkdirSync(join(dir, "gone/deep"), { recursive: true });
  writeFileSync(join(dir, "gone/deep/x"), "x");
  writeFileSync(join(dir, "edit"), "old\n");
  writeFileSync(join(dir, "big"), Buffer.alloc((1 << 20) + 1, 1));
  writeFileSync(join(dir, "remove"), "r\n");
  writeFileSync(join(dir, "mode"), "m\n", { mode: 0o644 });
  writeFileSync(join(dir, "becomes-folder"), "f\n");
  mkdirSync(join(dir, "becomes-link/in"), { recursive: true });
  writeFileSync(join(dir, "becomes-link/in/y"), "y");
  mkdirSync(join(dir, "held"));
  writeFileSync(join(dir, "held/old"), "o");
  chmodSync(join(dir, "held"), 0o555);
}
function after(dir: string): void {
  writeFileSync(join(dir, "edit"), "new\n");
  writeFileSync(join(dir, "big"), Buffer.alloc((1 << 20) + 1, 2));
  writeFileSync(join(dir, "mode"), "m\n");
  chmodSync(join(dir, "mode"), 0o755);
  mkdirSync(join(dir, "becomes-folder"));
  writeFileSync(join(dir, "becomes-folder/z"), "z");
  symlinkSync("edit", join(dir, "becomes-link"));
  mkdirSync(join(dir, "tree/in"), { recursive: true });
  writeFileSync(join(dir, "tree/in/1"), "1");
  linkSync(join(dir, "tree/in/1"), join(dir, "tree/twin"));
  chmodSync(join(dir, "tree/in"), 0o555);
  mkdirSync(join(dir, "held"));
  writeFileSync(join(dir, "held/new"), "n");
  chmodSync(join(dir, "held"), 0o500);
}

interface Scene {
  at: Place;
  from: string[];
  to: string[];
  set: ChangeSet;
}

type Act = "land" | "undo" | "redo";

/** A folder, and a step that would change it, as far as the act needs it done already. */
async function scene(apart: boolean, whole: boolean, to: Act): Promise<Scene> {
  const at = place(apart);
  const wanted = join(at.folder, "../wanted");
  mkdirSync(wanted);
  before(at.folder);
  after(wanted);
  const [was, becomes] = [treeLines(at.folder), treeLines(wanted)];
  const ws = await openAt(at, { disk: quick });
  const set = await stepTo(ws, "op_1", at.folder, wanted, { whole });
  if (to !== "land") await ws.land(set);
  if (to === "redo") await ws.undo("op_1");
  return { at, set, ...(to === "undo" ? { from: becomes, to: was } : { from: was, to: becomes }) };
}

function perform(ws: Workspace, act: Act, set: ChangeSet): Promise<{ ok: boolean }> {
  return act === "land" ? ws.land(set) : ws[act]("op_1");
}

/** Runs an act on a disk that dies or fails at its n-th call; gives the calls it made and what it threw. */
async function act(
  at: Place,
  faulty: { disk: typeof systemDisk; arm(): void; calls(): number },
  what: (ws: Workspace) => Promise<unknown>,
  deps: Partial<WorkspaceDeps>,
): Promise<{ calls: number; error: unknown }> {
  const ws = await openAt(at, { disk: faulty.disk, ...deps });
  faulty.arm();
  try {
    await what(ws);
    return { calls: faulty.calls(), error: undefined };
  } catch (error) {
    return { calls: faulty.calls(), error };
  }
}

function temps(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((n) => n.includes(".understudy-"));
}

const cases = [
  { apart: false, whole: true, act: "land", recover: "forward" },
  { apart: false, whole: false, act: "land", recover: "back" },
  { apart: true, whole: true, act: "land", recover: "back" },
  { apart: true, whole: false, act: "land", recover: "forward" },
  { apart: false, whole: false, act: "undo", recover: "forward" },
  { apart: false, whole: true, act: "undo", recover: "back" },
  { apart: true, whole: true, act: "undo", recover: "forward" },
  { apart: true, whole: false, act: "undo", recover: "back" },
  { apart: false, whole: false, act: "redo", recover: "back" },
  { apart: true, whole: true, act: "redo", recover: "forward" },
] as const;

/** Every call in `npm run deep`, else every n-th, from another one on for each case. */
const stride = deep(29, 1);
/** Of calls that only look there are many more. */
const looks = deep(67, 1);
/** Of calls from which on the disk is full. */
const room = deep(17, 1);
function firstOf(of: object): number {
  return stride === 1 ? 1 : 1 + ((cases.findIndex((c) => JSON.stringify(c) === JSON.stringify(of)) * 7) % stride);
}
const figures = { killed: 0, failed: 0, full: 0 };
afterAll(() => console.log(`the door: ${JSON.stringify(figures)} points tried`));

describe.each(cases)(
  "door, apart $apart, whole $whole, $act, recovery $recover",
  ({ apart, whole, act: what, recover }) => {
    const first = firstOf({ apart, whole, act: what, recover });

    it("W5: dead at any writing call, the next start makes it all or nothing, says so, and the step can be repeated", async (ctx) => {
      if (apart) needs(ctx, missingOtherDisk());
      const ends = new Set<string>();
      for (let n = first; ; n += stride) {
        const { at, from, to, set } = await scene(apart, whole, what);
        const run = await act(at, mortal(systemDisk, n), (ws) => perform(ws, what, set), { pid: deadPid });
        if (run.error === undefined) break;
        figures.killed++;
        expect(run.error, `call ${n}`).toBeInstanceOf(Dead);
        const ws = await openAt(at, { disk: quick, recover });
        const now = treeLines(at.folder);
        expect([from, to], `dead at call ${n}: ${ws.recovered.join()}`).toContainEqual(now);
        const done = JSON.stringify(now) === JSON.stringify(to);
        const story = ws.recovered.map((note) => note.split(" ")[0]).join() || "nothing";
        ends.add(`${story} ${done ? "end" : "start"}`);
        expect((await openAt(at, { disk: quick })).recovered).toEqual([]);
        expect(await perform(ws, what, set)).toMatchObject({ ok: true });
        expect(treeLines(at.folder)).toEqual(to);
        expect(await ws[what === "undo" ? "redo" : "undo"]("op_1")).toMatchObject({ ok: true, conflicts: [] });
        expect(treeLines(at.folder)).toEqual(from);
        expect(temps(at.folder)).toEqual([]);
      }
      expect([...ends]).toContain(recover === "forward" ? "completed end" : "rolled start");
    });

    it("W3: whichever call fails, nothing is half done and nothing lost", async (ctx) => {
      if (apart) needs(ctx, missingOtherDisk());
      for (let n = first; ; n += looks) {
        const { at, from, to, set } = await scene(apart, whole, what);
        const run = await act(at, failing(systemDisk, n), (ws) => perform(ws, what, set), {});
        if (run.calls < n) break;
        figures.failed++;
        const ws = await openAt(at, { disk: quick, recover });
        expect([from, to], `failed at call ${n}: ${run.error} ${ws.recovered.join()}`).toContainEqual(
          treeLines(at.folder),
        );
        expect(await perform(ws, what, set)).toMatchObject({ ok: true });
        expect(treeLines(at.folder)).toEqual(to);
        expect(temps(at.folder)).toEqual([]);
      }
    });

    it("W3: the disk is full from any call on: all or nothing, and with room again the step can be repeated", async (ctx) => {
      if (apart) needs(ctx, missingOtherDisk());
      for (let n = 1 + (first % room); ; n += room) {
        const { at, from, to, set } = await scene(apart, whole, what);
        const disk = filling(systemDisk, n);
        const run = await act(at, disk, (ws) => perform(ws, what, set), {});
        if (run.calls < n) break;
        figures.full++;
        disk.free();
        const ws = await openAt(at, { disk: quick, recover });
        expect([from, to], `full at ${n}: ${run.error} ${ws.recovered.join()}`).toContainEqual(treeLines(at.folder));
        expect(await perform(ws, what, set)).toMatchObject({ ok: true });
        expect(treeLines(at.folder)).toEqual(to);
        expect(temps(at.folder)).toEqual([]);
      }
    });
  },
);
