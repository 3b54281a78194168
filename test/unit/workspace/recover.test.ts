import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Root } from "../../../src/events/event.ts";
import { folderHash } from "../../../src/workspace/journal.ts";
import { type Disk, systemDisk } from "../../../src/workspace/land-disk.ts";
import type { WorkspaceDeps } from "../../../src/workspace/open.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { Dead, watched } from "../../support/disk-faults.ts";
import { missingOtherDisk, openAt, otherDisk, place, type Place } from "../../support/door.ts";
import { needs } from "../../support/runnable.ts";

const gone = Number(spawnSync("/bin/sh", ["-c", "echo $$"], { encoding: "utf8" }).stdout);
const quick = watched(systemDisk, () => {});

/** A disk whose process dies at the n-th call to which `at` says yes, after `arm()`. */
function dying(at: (name: keyof Disk, paths: readonly string[]) => boolean, n = 1) {
  let [armed, dead, seen] = [false, false, 0];
  const writes = new Set(["rename", "link", "unlink", "mkdir", "rmdir", "chmod", "symlink", "copy", "write", "sync"]);
  const disk = new Proxy(systemDisk, {
    get: (target, name: keyof Disk) => {
      const call = target[name].bind(target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        if (armed && writes.has(name)) {
          dead ||=
            at(
              name,
              args.filter((arg) => typeof arg === "string"),
            ) && ++seen >= n;
          if (dead) throw new Dead(`dead at ${name}`);
        }
        return name === "sync" ? undefined : call(...args);
      };
    },
  });
  return { disk, arm: () => (armed = true) };
}

async function put(ws: Workspace, id: string, files: Record<string, string>): Promise<void> {
  const stage = await ws.stage(id, ws.view([]));
  for (const [path, text] of Object.entries(files)) await stage.put(path, Buffer.from(text));
  await ws.land(await stage.finish());
}

/** Does something with a workspace whose process dies on the way. */
async function killed(
  at: Place,
  when: ReturnType<typeof dying>,
  act: (ws: Workspace) => Promise<unknown>,
  more: readonly Root[] = [],
): Promise<void> {
  const ws = await openAt(at, { disk: when.disk, pid: gone }, more);
  when.arm();
  await expect(act(ws)).rejects.toBeInstanceOf(Dead);
}

async function recovered(at: Place, deps: Partial<WorkspaceDeps> = {}, more: readonly Root[] = []) {
  const ws = await openAt(at, { disk: quick, ...deps }, more);
  // All of it is said once, and every lock is let go.
  expect((await openAt(at, { disk: quick }, more)).recovered).toEqual([]);
  for (const root of readdirSync(at.foldersDir))
    expect(readdirSync(join(at.foldersDir, root)).filter((name) => name.startsWith("lock"))).toEqual([]);
  return ws.recovered;
}

const text = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(path, "utf8");
/** The n-th move of something into the person's folder. */
const moveIn = (folder: string, n = 1) => dying((_name, paths) => paths.at(-1)?.startsWith(`${folder}/`) === true, n);
const planned = dying.bind(undefined, (name, paths) => name === "rename" && /pass-\d+\.json$/.test(paths.at(-1) ?? ""));
const ended = dying.bind(undefined, (name, paths) => name === "rename" && /end-\d+\.json$/.test(paths.at(-1) ?? ""));

describe("what a dead process left is ended and told", () => {
  it.each(["forward", "back"] as const)("W5: a landing in the middle, %s", async (recover) => {
    const at = place();
    const [a, b] = [join(at.folder, "a"), join(at.folder, "b")];
    await killed(at, moveIn(at.folder, 2), (ws) => put(ws, "op_1", { [a]: "1", [b]: "2" }));
    const what = `a landing of 2 changes (op_1) that process ${gone} had begun`;
    const done = recover === "forward";
    expect(await recovered(at, { recover })).toEqual([done ? `completed ${what}` : `rolled back ${what}`]);
    expect([text(a), text(b)]).toEqual(done ? ["1", "2"] : [undefined, undefined]);
  });
  it.each(["undo", "redo"] as const)("W5: an %s in the middle", async (kind) => {
    const at = place();
    const a = join(at.folder, "a");
    const ws = await openAt(at, { disk: quick });
    writeFileSync(a, "0");
    await put(ws, "op_1", { [a]: "1" });
    if (kind === "redo") await ws.undo("op_1");
    await killed(at, moveIn(at.folder), (dead) => dead[kind]("op_1"));
    const name = kind === "undo" ? "an undo" : "a redo";
    expect(await recovered(at)).toEqual([`completed ${name} of one change (op_1) that process ${gone} had begun`]);
    expect(text(a)).toBe(kind === "undo" ? "0" : "1");
  });
  it("W5: while its content was still being put beside the targets: nothing was touched, none of it stays", async (ctx) => {
    needs(ctx, missingOtherDisk());
    const at = place(true);
    const [a, b] = [join(at.folder, "a"), join(at.folder, "b")];
    const filling = dying.bind(undefined, (_name, paths) => paths.at(-1)?.includes("/.understudy-") === true);
    const temps = () => readdirSync(at.folder).filter((name) => name.startsWith(".understudy-"));
    await killed(at, filling(3), (ws) => put(ws, "op_1", { [a]: "1", [b]: "2" }));
    expect(temps()).toHaveLength(1);
    const what = `a landing of 2 changes (op_1) that process ${gone} had begun: nothing was touched yet`;
    expect(await recovered(at)).toEqual([`rolled back ${what}`]);
    expect([temps(), text(a), text(b)]).toEqual([[], undefined, undefined]);
    const ws = await openAt(at, { disk: quick });
    expect(await ws.journal()).toEqual([]);
    writeFileSync(a, "0");
    await put(ws, "op_2", { [a]: "1" });
    await killed(at, filling(2), (dead) => dead.undo("op_2"));
    expect(await recovered(at)).toEqual([
      `rolled back an undo of one change (op_2) that process ${gone} had begun: nothing was touched yet`,
    ]);
    expect([temps(), text(a)]).toEqual([[], "1"]);
    expect(await ws.undo("op_2")).toMatchObject({ ok: true });
    expect(text(a)).toBe("0");
  });
  it("W5: before its plan nothing is to be told; the step can land", async () => {
    const at = place();
    const a = join(at.folder, "a");
    await killed(at, planned(), (ws) => put(ws, "op_1", { [a]: "1" }));
    expect(await recovered(at)).toEqual([]);
    const ws = await openAt(at, { disk: quick });
    expect(await ws.journal()).toEqual([]);
    expect(readdirSync(join(at.foldersDir, folderHash(at.folder), "journal"))).toEqual([]);
    await put(ws, "op_1", { [a]: "1" });
    expect(text(a)).toBe("1");
  });
  it("W5: all moved and only the end missing: it is completed, also where recovery goes back", async () => {
    const at = place();
    const a = join(at.folder, "a");
    await killed(at, ended(), (ws) => put(ws, "op_1", { [a]: "1" }));
    expect(await recovered(at)).toHaveLength(1);
    expect(text(a)).toBe("1");
  });
  it("W5: after its end was written, nothing is told", async () => {
    const at = place();
    const a = join(at.folder, "a");
    const unmark = dying((name, paths) => name === "unlink" && paths[0]?.includes("/open-") === true);
    await killed(at, unmark, (ws) => put(ws, "op_1", { [a]: "1" }));
    expect(await recovered(at)).toEqual([]);
    expect(readdirSync(join(at.foldersDir, folderHash(at.folder), "journal"))).toEqual(["00000001-op_1"]);
    expect(text(a)).toBe("1");
  });
  it("W3: the person made the file meanwhile: theirs stays, and why it was rolled back is said", async () => {
    const at = place();
    const [a, b] = [join(at.folder, "a"), join(at.folder, "b")];
    await killed(at, moveIn(at.folder), (ws) => put(ws, "op_1", { [a]: "1", [b]: "2" }));
    writeFileSync(a, "mine");
    const what = `rolled back a landing of 2 changes (op_1) that process ${gone} had begun`;
    expect(await recovered(at)).toEqual([`${what}: a: somebody made it meanwhile`]);
    expect([text(a), text(b)]).toEqual(["mine", undefined]);
  });
});

describe("over several roots", () => {
  it("W8: is ended from whichever root is opened, with the locks of all; the other is told where it is its own", async (ctx) => {
    needs(ctx, missingOtherDisk());
    for (const first of ["home", "other"]) {
      const at = place();
      const more: Root[] = [{ path: otherDisk(), kind: "added" }];
      const other = { ...at, folder: more[0]?.path ?? "" };
      const [a, b] = [join(at.folder, "a"), join(other.folder, "b")];
      await killed(at, ended(), (ws) => put(ws, "op_1", { [a]: "1", [b]: "2" }), more);
      const what = `completed a landing of 2 changes (op_1) that process ${gone} had begun`;
      expect(await recovered(first === "home" ? at : other)).toEqual([what]);
      expect([text(a), text(b)]).toEqual(["1", "2"]);
      const journal = (root: string) => readdirSync(join(at.foldersDir, folderHash(root), "journal"));
      expect([journal(at.folder), journal(other.folder)]).toEqual([["00000001-op_1"], ["at-op_1.json"]]);
    }
  });
  it("W8: an open step of a journal that is gone leaves nothing to end", async () => {
    const at = place();
    const ws = await openAt(at, { disk: quick });
    const mark = join(at.foldersDir, folderHash(at.folder), "journal/open-op_7.json");
    writeFileSync(mark, JSON.stringify({ operationId: "op_7", home: at.folder }));
    expect(ws.recovered).toEqual([]);
    expect(await recovered(at)).toEqual([]);
    expect(text(mark)).toBeUndefined();
  });
});

describe("several steps that are undone as one", () => {
  async function three(): Promise<{ at: Place; a: string }> {
    const at = place();
    const a = join(at.folder, "a");
    const ws = await openAt(at, { disk: quick });
    for (const n of [1, 2, 3]) await put(ws, `op_${n}`, { [a]: String(n) });
    return { at, a };
  }
  it.each(["forward", "back"] as const)(
    "W5: killed between two of them, %s: all or none, told as one",
    async (recover) => {
      const { at, a } = await three();
      const between = planned(2);
      await killed(at, between, (ws) => ws.turn({ kind: "undo", steps: ["op_2", "op_3"] }));
      expect(text(a)).toBe("2");
      const notes = await recovered(at, { recover });
      expect(notes).toHaveLength(1);
      const done = recover === "forward" ? "completed" : "rolled back";
      expect(notes[0]).toMatch(new RegExp(`^${done} an undo of 2 steps \\(\\S+\\) that process ${gone} had begun$`));
      expect(text(a)).toBe(recover === "forward" ? "1" : "3");
    },
  );
  it("W5: a redo, and one that the person made impossible meanwhile, say so", async () => {
    const { at, a } = await three();
    const ws = await openAt(at, { disk: quick });
    await ws.turn({ kind: "undo", steps: ["op_2", "op_3"] });
    await killed(at, planned(2), (dead) => dead.turn({ kind: "redo", steps: ["op_2", "op_3"] }));
    expect(text(a)).toBe("2");
    writeFileSync(a, "mine");
    expect((await recovered(at))[0]).toMatch(
      new RegExp(`^rolled back a redo of 2 steps \\(\\S+\\) that process ${gone} had begun: a: .+`),
    );
    expect(text(a)).toBe("mine");
  });
});
