/**
 * A process of its own for the door's tests: `node door-child.ts '<json>'`. Roles: `land` lands a saved step and kills itself
 * at the n-th writing call; `turn` does the same with an undo of several steps; `edit` saves a file again and again in one of an editor's ways, for some
 * milliseconds, and tells which of its saves somebody replaced before it saved again; `many` lands a row of edits.
 */
import { closeSync, openSync, readFileSync, renameSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { randomId, systemClock } from "../../src/util/system.ts";
import { systemDisk } from "../../src/workspace/land-disk.ts";
import { openWorkspace } from "../../src/workspace/open.ts";
import { watched, WRITES } from "./disk-faults.ts";

export type Task =
  | { role: "land"; folder: string; foldersDir: string; operationId: string; killAt: number }
  | { role: "turn"; folder: string; foldersDir: string; steps: string[]; kind: "undo" | "redo"; killAt: number }
  | { role: "many"; folder: string; foldersDir: string; name: string; count: number }
  | {
      role: "edit";
      file: string;
      style: "in place" | "rename over" | "unlink and create";
      ms: number;
      seed: number;
    };

/** What the editor says at its end, as JSON. */
export interface Saves {
  count: number;
  replaced: number[];
}

const task = JSON.parse(process.argv[2] ?? "{}") as Task;

function open(at: { folder: string; foldersDir: string }, disk = systemDisk) {
  const options = {
    roots: [{ path: at.folder, kind: "folder" as const }],
    foldersDir: at.foldersDir,
    sessionId: "s_child",
  };
  return openWorkspace(options, { clock: systemClock, makeId: randomId, disk, lockWaitMs: 60_000 });
}

function save(file: string, style: string, text: string): void {
  if (style === "in place") {
    const fd = openSync(file, "w");
    writeSync(fd, text);
    closeSync(fd);
  } else if (style === "rename over") {
    writeFileSync(`${file}~`, text);
    renameSync(`${file}~`, file);
  } else {
    try {
      unlinkSync(file);
    } catch {
      // Moved away at this moment.
    }
    writeFileSync(file, text);
  }
}

/** undefined while the name is free. */
function textNow(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

if (task.role === "land" || task.role === "turn") {
  const writes: readonly string[] = WRITES;
  let [armed, count] = [false, 0];
  const disk = watched(systemDisk, (name) => {
    if (armed && writes.includes(name) && ++count === task.killAt) process.kill(process.pid, "SIGKILL");
  });
  const ws = await open(task, disk);
  if (task.role === "turn") {
    armed = true;
    await ws.turn(task);
    process.exit();
  }
  const set = await ws.readProposal(task.operationId);
  if (set === undefined) throw new Error("no proposal");
  armed = true;
  await ws.land(set);
} else if (task.role === "edit") {
  let seed = task.seed;
  process.send?.({ started: true });
  const end = systemClock.now() + task.ms;
  const saves: Saves = { count: 0, replaced: [] };
  while (systemClock.now() < end) {
    save(task.file, task.style, `person ${saves.count++}\n`);
    seed = (seed * 1103515245 + 12345) % 2147483648;
    await systemClock.sleep(seed % 4);
    const now = textNow(task.file);
    if (now !== undefined && now !== `person ${saves.count - 1}\n`) saves.replaced.push(saves.count - 1);
  }
  process.disconnect();
  process.stdout.write(JSON.stringify(saves));
} else {
  const ws = await open(task);
  for (let n = 0; n < task.count; n++) {
    const stage = await ws.stage(`${task.name}_${n}`, ws.view([]));
    await stage.put(join(task.folder, "shared"), Buffer.from(`${task.name} ${n}\n`));
    await stage.put(join(task.folder, `${task.name}-${n}`), Buffer.from("x"));
    const landing = await ws.land(await stage.finish());
    process.stdout.write(`${landing.ok ? "ok" : "conflict"}\n`);
  }
}
