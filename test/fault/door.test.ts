import { chmodSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import type { ChangeSet } from "../../src/workspace/change.ts";
import type { WorkspaceDeps } from "../../src/workspace/open.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { stepTo } from "../support/change-set.ts";
import { Dead, failing, mortal, watched } from "../support/disk-faults.ts";
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

/** A folder, and a step that would change it. `landed`: it has landed already. */
async function scene(apart: boolean, whole: boolean, landed: boolean): Promise<Scene> {
  const at = place(apart);
  const wanted = join(at.folder, "../wanted");
  mkdirSync(wanted);
  before(at.folder);
  after(wanted);
  const from = treeLines(at.folder);
  const ws = await openAt(at, { disk: quick });
  const set = await stepTo(ws, "op_1", at.folder, wanted, { whole });
  if (landed) await ws.land(set);
  return { at, from, to: treeLines(wanted), set };
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
  { apart: false, whole: true, undo: false, recover: "forward" },
  { apart: false, whole: false, undo: false, recover: "back" },
  { apart: true, whole: true, undo: false, recover: "back" },
  { apart: true, whole: false, undo: false, recover: "forward" },
  { apart: false, whole: false, undo: true, recover: "forward" },
  { apart: false, whole: true, undo: true, recover: "back" },
  { apart: true, whole: true, undo: true, recover: "forward" },
  { apart: true, whole: false, undo: true, recover: "back" },
] as const;

/** Every call with DEEP=1, else every n-th, from another one on for each case. */
const stride = process.env["DEEP"] === "1" ? 1 : 23;
function firstOf(of: object): number {
  return stride === 1 ? 1 : 1 + (cases.findIndex((c) => JSON.stringify(c) === JSON.stringify(of)) % stride);
}

describe.each(cases)(
  "door, apart $apart, whole $whole, undo $undo, recovery $recover",
  ({ apart, whole, undo, recover }) => {
    it("W5: dead at any writing call, the next start makes it all or nothing, says so, and the step can be repeated", async (ctx) => {
      if (apart) needs(ctx, missingOtherDisk());
      const ends = new Set<string>();
      for (let n = firstOf({ apart, whole, undo, recover }); ; n += stride) {
        const { at, from, to, set } = await scene(apart, whole, undo);
        const run = await act(at, mortal(systemDisk, n), (ws) => (undo ? ws.undo("op_1") : ws.land(set)), {
          pid: deadPid,
        });
        if (run.error === undefined) break;
        expect(run.error, `call ${n}`).toBeInstanceOf(Dead);
        const ws = await openAt(at, { disk: quick, recover });
        const [start, end] = undo ? [to, from] : [from, to];
        const now = treeLines(at.folder);
        expect([start, end], `dead at call ${n}: ${ws.recovered.join()}`).toContainEqual(now);
        const done = JSON.stringify(now) === JSON.stringify(end);
        const story = ws.recovered.map((note) => note.split(" ")[0]).join() || "nothing";
        ends.add(`${story} ${done ? "end" : "start"}`);
        expect((await openAt(at, { disk: quick })).recovered).toEqual([]);
        expect(await (undo ? ws.undo("op_1") : ws.land(set))).toMatchObject({ ok: true });
        expect(treeLines(at.folder)).toEqual(end);
        expect(await (undo ? ws.redo("op_1") : ws.undo("op_1"))).toMatchObject({ ok: true, conflicts: [] });
        expect(treeLines(at.folder)).toEqual(start);
        expect(temps(at.folder)).toEqual([]);
      }
      expect([...ends]).toContain(recover === "forward" ? "completed end" : "rolled start");
    });

    it("W3: whichever call fails, nothing is half done and nothing lost", async (ctx) => {
      if (apart) needs(ctx, missingOtherDisk());
      for (let n = firstOf({ apart, whole, undo, recover }); ; n += stride) {
        const { at, from, to, set } = await scene(apart, whole, undo);
        const run = await act(at, failing(systemDisk, n), (ws) => (undo ? ws.undo("op_1") : ws.land(set)), {});
        if (run.calls < n) break;
        const ws = await openAt(at, { disk: quick, recover });
        const [start, end] = undo ? [to, from] : [from, to];
        expect([start, end], `failed at call ${n}: ${run.error} ${ws.recovered.join()}`).toContainEqual(
          treeLines(at.folder),
        );
        expect(await (undo ? ws.undo("op_1") : ws.land(set))).toMatchObject({ ok: true });
        expect(treeLines(at.folder)).toEqual(end);
        expect(temps(at.folder)).toEqual([]);
      }
    });
  },
);
