import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import { copyTree, stepTo } from "../support/change-set.ts";
import { deep } from "../support/deep.ts";
import { Dead, failing, mortal } from "../support/disk-faults.ts";
import type { Task } from "../support/door-child.ts";
import { missingOtherDisk, openAt, place, type Place } from "../support/door.ts";
import { needs } from "../support/runnable.ts";
import { treeLines } from "../support/tree.ts";

const node = join(import.meta.dirname, "../../node_modules/.bin/node");
const program = join(import.meta.dirname, "../support/door-child.ts");
const STEPS = ["op_1", "op_2", "op_3"];

/** Three steps over the same files, a folder that goes as a whole among them; gives the folder before the first and after the last. */
async function threeSteps(at: Place): Promise<{ from: string[]; to: string[] }> {
  mkdirSync(join(at.folder, "d"));
  for (const name of ["a", "b", "d/c", "d/k"]) writeFileSync(join(at.folder, name), `${name} at first\n`);
  const from = treeLines(at.folder);
  const ws = await openAt(at);
  const edits: ((dir: string) => void)[] = [
    (dir) => ["a", "d/c"].forEach((name) => writeFileSync(join(dir, name), "one\n")),
    (dir) => ["a", "b", "new"].forEach((name) => writeFileSync(join(dir, name), "two\n")),
    (dir) => (rmSync(join(dir, "d"), { recursive: true }), writeFileSync(join(dir, "a"), "three\n")),
  ];
  for (const [n, edit] of edits.entries()) {
    const wanted = join(at.folder, `../wanted${n}`);
    copyTree(at.folder, wanted);
    edit(wanted);
    expect(await ws.land(await stepTo(ws, STEPS[n] ?? "", at.folder, wanted))).toMatchObject({ ok: true });
  }
  return { from, to: treeLines(at.folder) };
}

/** What an open plan leaves in a journal: nothing, once it has ended. */
function leftOpen(at: Place): string[] {
  return readdirSync(at.foldersDir, { recursive: true, encoding: "utf8" }).filter((n) =>
    /(open|group)-[^/]*\.json$/.test(n),
  );
}

describe.each([false, true])("an undo of several steps, state on another file system: %s", (apart) => {
  it("W4 W5: SIGKILL in the midst of it: the next start completes it, all or nothing, and says so", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const told: string[] = [];
    for (let n = 2; n < 220; n += deep(67, 3)) {
      const at = place(apart);
      const { from, to } = await threeSteps(at);
      const task: Task = { role: "turn", ...at, steps: STEPS, kind: "undo", killAt: n };
      const run = spawnSync(node, [program, JSON.stringify(task)]);
      expect([run.signal, run.stderr.toString()]).toEqual([run.status === 0 ? null : "SIGKILL", ""]);
      const next = await openAt(at);
      const now = treeLines(at.folder);
      expect([from, to], `killed at ${n}: ${next.recovered.join()}`).toContainEqual(now);
      expect(leftOpen(at)).toEqual([]);
      told.push(...next.recovered);
      const status = new Set((await next.journal()).map((s) => s.status));
      expect([...status]).toEqual([now.join() === from.join() ? "undone" : "landed"]);
      if (status.has("landed")) expect(await next.turn({ kind: "undo", steps: STEPS })).toMatchObject({ ok: true });
      expect(await next.turn({ kind: "redo", steps: STEPS })).toMatchObject({ ok: true });
      expect(treeLines(at.folder)).toEqual(to);
    }
    expect(told.some((note) => note.startsWith("completed an undo of 3 steps"))).toBe(true);
  });

  it("W5: dead at any writing call, taken back instead: all or nothing; any call that fails once leaves no mix", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    for (let n = 1, over = false; !over; n += deep(37, 1)) {
      for (const fault of ["dies", "fails"] as const) {
        const at = place(apart);
        const { from, to } = await threeSteps(at);
        const bad = fault === "dies" ? mortal(systemDisk, n) : failing(systemDisk, n * 5);
        const ws = await openAt(at, { disk: bad.disk, pid: 999_999_999 });
        bad.arm();
        const end = await ws.turn({ kind: "undo", steps: STEPS }).then(
          (report) => report.ok,
          (error: unknown) => error,
        );
        if (fault === "dies") over = !(end instanceof Dead);
        // A lock of this very process, which lives on, is what a machine that lost power leaves.
        for (const name of readdirSync(at.foldersDir, { recursive: true, encoding: "utf8" }))
          if (name.endsWith("/lock")) rmSync(join(at.foldersDir, name));
        await openAt(at, { recover: "back" });
        expect([from, to], `${fault} at ${n}`).toContainEqual(treeLines(at.folder));
        expect(leftOpen(at)).toEqual([]);
      }
    }
  });

  it("W3 W4: what the person saves in the middle of it is kept, and all of it is taken back", async (ctx) => {
    if (apart) needs(ctx, missingOtherDisk());
    const at = place(apart);
    const { to } = await threeSteps(at);
    let calls = 0;
    const disk = new Proxy(systemDisk, {
      get: (target, name: keyof typeof systemDisk) => {
        const call = target[name].bind(target) as (...args: unknown[]) => unknown;
        return (...args: unknown[]): unknown => {
          const result = call(...args);
          // The second step's own plan is durable: its file is changed before it is moved.
          if (name === "rename" && String(args[1]).endsWith("op_2/pass-1.json") && ++calls === 1)
            writeFileSync(join(at.folder, "new"), "the person's\n");
          return result;
        };
      },
    });
    const ws = await openAt(at, { disk });
    const report = await ws.turn({ kind: "undo", steps: STEPS });
    expect(report).toMatchObject({ ok: false, conflicts: [{ path: "new" }] });
    expect(readFileSync(join(at.folder, "new"), "utf8")).toBe("the person's\n");
    writeFileSync(join(at.folder, "new"), "two\n");
    expect(treeLines(at.folder)).toEqual(to);
    expect(leftOpen(at)).toEqual([]);
  });
});
