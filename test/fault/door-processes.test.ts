import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/util/system.ts";
import { copyTree, stepTo, textAt } from "../support/change-set.ts";
import type { Task } from "../support/door-child.ts";
import { missingOtherDisk, openAt, place } from "../support/door.ts";
import { treeLines } from "../support/tree.ts";

const node = join(import.meta.dirname, "../../node_modules/.bin/node");
const program = join(import.meta.dirname, "../support/door-child.ts");
const deep = process.env["DEEP"] === "1";

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
      for (let n = 3; n < (deep ? 120 : 60); n += deep ? 1 : 19) {
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

  it.each(["in place", "rename over", "unlink and create"] as const)(
    "W3 SANDBOX-H18: an editor that saves %s while we land loses no save",
    async (style) => {
      const seen = { landed: 0, refused: 0 };
      for (let burst = 0; burst < (deep ? 100 : 5); burst++) await race(style, burst, seen);
      expect(seen.landed).toBeGreaterThan(0);
      expect(seen.refused).toBeGreaterThan(0);
    },
  );
});

/** Whatever was landed over the person's last save, that save is in the file or kept for undo. */
async function race(
  style: "in place" | "rename over" | "unlink and create",
  seed: number,
  seen: { landed: number; refused: number },
): Promise<void> {
  const at = place();
  const file = join(at.folder, "f");
  writeFileSync(file, "start\n");
  const ws = await openAt(at, { keep: { steps: 1e6, bytes: 1e12 } });
  const count = 40;
  const child = start({ role: "edit", file, style, count, seed });
  const done = ended(child);
  await once(child, "message");
  let open = true;
  void done.then(() => (open = false));
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
  }
  expect([readOrEmpty(file), ...everything(at.foldersDir)]).toContain(`person ${count - 1}\n`);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Every text that the journal keeps. */
function everything(dir: string): string[] {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((n) => /slots\/[^/]+$/.test(n));
  return names.map((n) => readOrEmpty(join(dir, n)));
}
