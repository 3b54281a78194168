import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { removeAll } from "../../src/workspace/land-copy.ts";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import { stepTo } from "../support/change-set.ts";
import { deep } from "../support/deep.ts";
import { openAt, type Place } from "../support/door.ts";
import { missingTool, needs } from "../support/runnable.ts";
import { said, sandboxBench } from "../support/sandbox-bench.ts";
import { scratch } from "../support/scratch.ts";
import { treeLines } from "../support/tree.ts";

const root = process.getuid?.() === 0;
const notRoot = root ? missingTool("mount") : "this user is not root";

/** A file system of its own with little room. */
function small(name: string, size: string): string {
  const dir = scratch(name);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", dir]);
  onTestFinished(() => void execFileSync("umount", ["-l", dir]));
  return dir;
}

/** Fills a file system but for some pages. */
function fillBut(dir: string, pages: number): string {
  const { bavail, bsize } = statfsSync(dir);
  const file = join(dir, "filler");
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail - pages) * bsize, 1));
  return file;
}

function before(dir: string): void {
  mkdirSync(join(dir, "gone/deep"), { recursive: true });
  for (const name of ["gone/deep/x", "edit", "remove", "becomes-folder"]) {
    writeFileSync(join(dir, name), `${name} at first\n`.repeat(600));
  }
}
function after(dir: string): void {
  writeFileSync(join(dir, "edit"), "other\n".repeat(2000));
  mkdirSync(join(dir, "becomes-folder"));
  mkdirSync(join(dir, "tree/in"), { recursive: true });
  for (const name of ["becomes-folder/z", "tree/in/1", "tree/2"])
    writeFileSync(join(dir, name), `${name}\n`.repeat(800));
  chmodSync(join(dir, "tree/in"), 0o755);
  symlinkSync("edit", join(dir, "link"));
}

type Act = "land" | "undo" | "redo";

/** One landing (or undo, or redo) with that much room left; true when it fitted. */
async function tried(full: string, base: string, at: Place, pages: number, act: Act): Promise<boolean> {
  const wanted = join(base, "wanted");
  for (const dir of [at.folder, wanted]) mkdirSync(dir);
  before(at.folder);
  after(wanted);
  const [was, becomes] = [treeLines(at.folder), treeLines(wanted)];
  const ws = await openAt(at);
  const set = await stepTo(ws, "op_1", at.folder, wanted);
  if (act !== "land") await ws.land(set);
  if (act === "redo") await ws.undo("op_1");
  const [from, to] = act === "undo" ? [becomes, was] : [was, becomes];
  const filler = fillBut(full, pages);
  const perform = (of: typeof ws): Promise<{ ok: boolean }> => (act === "land" ? of.land(set) : of[act]("op_1"));
  const error = await perform(ws).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect([undefined, "ENOSPC"]).toContain(error === undefined ? error : Object(error).code);
  // Also before there is room again; temporary names of the door's own go at the next start.
  const now = treeLines(at.folder).filter((line) => !line.includes('".understudy-'));
  expect([from, to], `${pages} pages left`).toContainEqual(now);
  rmSync(filler);
  const next = await openAt(at);
  expect([from, to], `${pages} pages left: ${next.recovered.join()}`).toContainEqual(treeLines(at.folder));
  expect(await perform(next)).toMatchObject({ ok: true });
  expect(treeLines(at.folder)).toEqual(to);
  expect(await next[act === "undo" ? "redo" : "undo"]("op_1")).toMatchObject({ ok: true });
  expect(treeLines(at.folder)).toEqual(from);
  for (const dir of [wanted, at.folder, at.foldersDir]) await removeAll(systemDisk, dir);
  return error === undefined;
}

describe("a disk that is full in the middle of a landing", () => {
  const layouts = [
    ["folder and state on it", true, true],
    ["the folder on it", true, false],
    ["the state on it", false, true],
  ] as const;
  it.for(layouts)("W3: %s: all or nothing, at every page that it lacks", async ([name, folderOnIt, stateOnIt], ctx) => {
    needs(ctx, notRoot);
    const full = small("full", "4m");
    const base = scratch("roomy");
    const at = { folder: join(folderOnIt ? full : base, "work"), foldersDir: join(stateOnIt ? full : base, "folders") };
    let points = 0;
    for (const act of ["land", "undo", "redo"] as const) {
      let fitted = false;
      for (let pages = 0; !fitted; pages += deep(11, 1)) {
        fitted = await tried(full, base, at, pages, act);
        if (!fitted) points++;
      }
    }
    console.log(`${name}: ${points} points without room`);
    expect(points).toBeGreaterThan(stateOnIt && !folderOnIt ? 0 : 2);
  });
});

describe("a disk that is full under a command", () => {
  it.for(["overlay-root", "overlay-unshare"] as const)(
    "SANDBOX-H13: %s: the command is told, or ended; the folder is as it was, the next command runs",
    async (kind, ctx) => {
      needs(ctx, notRoot ?? missingTool(kind === "overlay-unshare" ? "perl" : "bwrap"));
      const stateDir = small("layer", "6m");
      const bench = await sandboxBench({
        only: [kind],
        stateDir,
        prepare: (folder) => writeFileSync(join(folder, "there"), "there\n"),
      });
      onTestFinished(() => bench.close());
      expect(bench.sandbox.kind).toBe(kind);
      const before = treeLines(bench.folder);
      const ran = await bench.run("head -c 20M /dev/zero > big; echo ended $?; echo more >> there; cat there");
      expect(treeLines(bench.folder)).toEqual(before);
      expect(`${ran.output}${ran.limit}`).toMatch(/No space left on device[^]*ended [1-9]|disk is nearly full/);
      const next = await bench.run("cat there; rm there");
      expect(next.output).toBe("there\n");
      expect(said(next.changes)).toEqual(["delete there"]);
      expect(readdirSync(bench.folder)).toEqual(["there"]);
    },
  );

  it("W7: a folder that does not fit beside its state is not cloned, and that is said", async (ctx) => {
    needs(ctx, notRoot);
    const bench = await sandboxBench({
      only: ["copy-bind"],
      stateDir: small("layer", "6m"),
      prepare: (folder) => writeFileSync(join(folder, "large"), Buffer.alloc(8 << 20, 1)),
    });
    onTestFinished(() => bench.close());
    expect(bench.sandbox).toMatchObject({ kind: "none", contained: false });
    expect(bench.sandbox.why.join()).toMatch(/copy-bind: the disk is too full for a copy of the folder/);
  });
});
