import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/util/system.ts";
import { type Disk, systemDisk } from "../../src/workspace/land-disk.ts";
import { copyTree, stepTo, textAt } from "../support/change-set.ts";
import { deep } from "../support/deep.ts";
import type { Saves, Task } from "../support/door-child.ts";
import { missingOtherDisk, openAt, place } from "../support/door.ts";
import { treeLines } from "../support/tree.ts";

const node = join(import.meta.dirname, "../../node_modules/.bin/node");
const program = join(import.meta.dirname, "../support/door-child.ts");

function start(task: Task): ChildProcess {
  return spawn(node, [program, JSON.stringify(task)], { stdio: ["ignore", "pipe", "inherit", "ipc"] });
}
function ended(child: ChildProcess): Promise<string> {
  let out = "";
  child.stdout?.on("data", (bytes: Buffer) => (out += bytes.toString()));
  return new Promise((resolve) => child.on("close", () => resolve(out)));
}

describe("the door and other processes", () => {
  it.each([false, true])(
    "W5: SIGKILL in the midst of a landing, apart %s: the next start completes it",
    async (apart) => {
      for (let n = 3; n < deep(60, 120); n += deep(19, 1)) {
        const at = place(apart && missingOtherDisk() === undefined);
        const wanted = join(at.folder, "../wanted");
        mkdirSync(join(at.folder, "d"));
        for (const name of ["a", "b", "d/c"]) writeFileSync(join(at.folder, name), name);
        copyTree(at.folder, wanted);
        for (const name of ["a", "b", "d/new"]) writeFileSync(join(wanted, name), "changed");
        const [from, to] = [treeLines(at.folder), treeLines(wanted)];
        const ws = await openAt(at);
        await ws.saveProposal(await stepTo(ws, "op_1", at.folder, wanted));
        const task: Task = { role: "land", ...at, operationId: "op_1", killAt: n };
        const run = spawnSync(node, [program, JSON.stringify(task)]);
        const end = { signal: run.signal, status: run.status, said: run.stderr.toString() };
        expect([
          { signal: "SIGKILL", status: null, said: "" },
          { signal: null, status: 0, said: "" },
        ]).toContainEqual(end);
        const next = await openAt(at);
        expect([from, to], `killed at ${n}: ${next.recovered.join()}`).toContainEqual(treeLines(at.folder));
        const set = await next.readProposal("op_1");
        expect(set).toBeDefined();
        if (set !== undefined) expect(await next.land(set)).toMatchObject({ ok: true });
        expect(treeLines(at.folder)).toEqual(to);
      }
    },
  );

  it("E4 W8: two processes land in one folder at once: one after the other, every step whole", async () => {
    const at = place();
    writeFileSync(join(at.folder, "shared"), "start\n");
    const count = 6;
    const outs = await Promise.all(["p", "q"].map((name) => ended(start({ role: "many", ...at, name, count }))));
    const said = outs.map((out) => out.trim().split("\n"));
    expect(said.map((lines) => lines.length)).toEqual([count, count]);
    const landed = ["p", "q"].flatMap(
      (name, i) => said[i]?.flatMap((l, n) => (l === "ok" ? [`${name}-${n}`] : [])) ?? [],
    );
    expect(readdirSync(at.folder).toSorted()).toEqual([...landed, "shared"].toSorted());
    const steps = (await (await openAt(at)).journal()).filter((s) => s.status === "landed");
    expect(steps).toHaveLength(landed.length);
    expect(`${steps.at(-1)?.operationId.replace("_", " ")}\n`).toBe(textAt(join(at.folder, "shared")));
  });

  const styles = ["in place", "rename over", "unlink and create"] as const;
  it.each(styles)(
    "W3 W4 SANDBOX-H18: an editor that saves %s while we land and undo loses no save",
    async (style) => {
      const seen = await race(style, deep(1000, 30_000));
      console.log(`${style}: ${JSON.stringify(seen)}`);
      expect(seen.lost).toEqual([]);
      // In a second on a busy machine not every moment comes up.
      const moments = [seen.landed, seen.refused, seen.undone, seen.notUndone].slice(0, deep(1, 4));
      for (const count of moments) expect(count).toBeGreaterThan(0);
    },
    120_000,
  );
});

interface Seen {
  saves: number;
  landed: number;
  refused: number;
  undone: number;
  notUndone: number;
  /** Saves that one of ours took the place of. */
  replaced: number;
  /** Of those, and the last one, what is neither in the file, nor kept for undo, nor came back into the file, where the next save may write over it. */
  lost: number[];
}

/** Lands, and undoes every other landing, while an editor saves. */
async function race(style: "in place" | "rename over" | "unlink and create", ms: number): Promise<Seen> {
  const at = place();
  const file = join(at.folder, "f");
  writeFileSync(file, "start\n");
  const returned = new Set<string>();
  // What comes back is read at that very moment: until then an open file of the editor's may have written into what was kept.
  const bringing =
    (move: Disk["link"]): Disk["link"] =>
    (from, to) => {
      const text = to === file ? readOrEmpty(from) : "";
      move(from, to);
      returned.add(text);
    };
  const disk: Disk = {
    ...systemDisk,
    link: bringing((from, to) => systemDisk.link(from, to)),
    rename: bringing((from, to) => systemDisk.rename(from, to)),
  };
  const ws = await openAt(at, { disk, keep: { steps: 1e6, bytes: 1e12 } });
  const child = start({ role: "edit", file, style, ms, seed: 1 });
  const done = ended(child);
  await once(child, "message");
  let open = true;
  void done.then(() => (open = false));
  const seen: Seen = { saves: 0, landed: 0, refused: 0, undone: 0, notUndone: 0, replaced: 0, lost: [] };
  for (let n = 0; open; n++) {
    const stage = await ws.stage(`op_${n}`, ws.view([]));
    const tried = await stage.put(file, Buffer.from(`ours ${n}\n`)).then(
      () => true,
      () => false,
    );
    if (!tried) continue;
    const landing = await ws.land(await stage.finish());
    if (landing.ok) seen.landed += 1;
    else seen.refused += 1;
    await systemClock.sleep(n % 4);
    if (!landing.ok || n % 2 === 0) continue;
    if ((await ws.undo(`op_${n}`)).ok) seen.undone += 1;
    else seen.notUndone += 1;
  }
  const { count, replaced } = JSON.parse(await done) as Saves;
  const kept = new Set([readOrEmpty(file), ...everything(at.foldersDir), ...returned]);
  const lost = [...replaced, count - 1].filter((save) => !kept.has(`person ${save}\n`));
  return { ...seen, saves: count, replaced: replaced.length, lost };
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Every text of the person's that the journal keeps. */
function everything(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return names
    .filter((n) => /slots\/[^/]+$/.test(n))
    .map((n) => readOrEmpty(join(dir, n)))
    .filter((text) => text.startsWith("person "));
}
