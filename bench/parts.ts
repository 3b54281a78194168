import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { LogBody } from "../src/events/event.ts";
import { openAt } from "../test/support/door.ts";
import { finished, load, logFile, place, prompt, reply, started, toolUse, written } from "../test/support/event-log.ts";
import { sandboxBench } from "../test/support/sandbox-bench.ts";
import { type Group, type Row, timed, timedProgram } from "./measure.ts";

/** A command in the copy, set up and scanned, against the shell alone. */
export async function shellRows(): Promise<Group> {
  const bench = await sandboxBench();
  const row: Row = {
    name: `shell turn (${bench.sandbox.kind})`,
    floorName: "bash -c true",
    n: 11,
    run: () => timed(() => bench.run("true")),
    floor: () => timedProgram(["-c", "true"], { file: "bash" }),
  };
  return { rows: [row], close: () => bench.close() };
}

const TEXT = Buffer.from("a line of text that is landed\n".repeat(40));

/** Staged files into the folder through the door, against the same files written safely by hand. */
export async function landRows(base: string): Promise<Group> {
  const at = { folder: join(base, "work"), foldersDir: join(base, "state", "folders") };
  mkdirSync(at.folder, { recursive: true });
  const workspace = await openAt(at);
  let go = 0;
  async function land(count: number): Promise<number> {
    const stage = await workspace.stage(`op_${++go}`, workspace.view([]));
    for (let i = 0; i < count; i++) await stage.put(join(at.folder, `go${go}`, `${i}.txt`), TEXT);
    const set = await stage.finish();
    return timed(async () => {
      const landing = await workspace.land(set);
      if (!landing.ok) throw new Error("it did not land");
    });
  }
  function plain(count: number): Promise<number> {
    const dir = join(base, `plain${++go}`);
    return timed(() => {
      mkdirSync(dir);
      for (let i = 0; i < count; i++) writeSafely(join(dir, `${i}.txt`));
    });
  }
  const row = (count: number, n: number): Row => ({
    name: `landing ${count} file${count === 1 ? "" : "s"}`,
    floorName: "write, fsync, rename",
    n,
    run: () => land(count),
    floor: () => plain(count),
  });
  return { rows: [row(1, 11), row(200, 5)], close: () => workspace.close() };
}

function writeSafely(file: string): void {
  const fd = openSync(`${file}.new`, "wx");
  writeSync(fd, TEXT);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(`${file}.new`, file);
}

const EVENTS = 20_000;

/** A long session's log read, verified and folded, against reading and parsing its lines. */
export async function logRows(base: string): Promise<Group> {
  const at = place(join(base, "log"));
  const bodies = Array.from({ length: EVENTS / 4 }, (_, i) => talk(i)).flat();
  await written(at, bodies.slice(1));
  const row: Row = {
    name: `load of ${EVENTS / 1000}k events`,
    floorName: "read, JSON.parse",
    n: 5,
    run: () =>
      timed(async () => {
        const { events } = await load(at);
        if (events.length !== EVENTS) throw new Error(`${events.length} events were loaded`);
      }),
    floor: () =>
      timed(() => {
        const lines = readFileSync(logFile(at), "utf8").trimEnd().split("\n");
        if (lines.map((line): unknown => JSON.parse(line)).length !== EVENTS) throw new Error("events are missing");
      }),
  };
  return { rows: [row], close: () => undefined };
}

function talk(i: number): LogBody[] {
  const id = `call_${i}`;
  const words = `line ${i} of what was said, as long as a person writes\n`.repeat(4);
  return [
    prompt(words),
    reply([{ type: "text", text: words }, toolUse(id, "Read", { file_path: `src/${i}.ts` })]),
    started(id),
    finished(id, words),
  ];
}
