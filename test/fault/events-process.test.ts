import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { thisProcess } from "../../src/events/lock.ts";
import { load, newLog, place, prompt, reopened } from "../support/event-log.ts";
import { scratch } from "../support/scratch.ts";

function child(what: string, dir: string): ChildProcess {
  const script = join(import.meta.dirname, "../support/log-child.ts");
  const process_ = spawn(process.execPath, [script, what, dir], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void process_.kill("SIGKILL"));
  return process_;
}
async function* output(process_: ChildProcess): AsyncGenerator<string> {
  if (process_.stdout === null) return;
  yield* createInterface({ input: process_.stdout });
}
async function collect(process_: ChildProcess): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of output(process_)) lines.push(line);
  return lines;
}
async function ended(process_: ChildProcess): Promise<void> {
  if (process_.exitCode === null && process_.signalCode === null)
    await new Promise((done) => process_.once("exit", done));
}

describe("a killed process", () => {
  it("E1: whatever it said was kept is in the log, and the next one goes on", async () => {
    const dir = scratch("kill");
    const at = place(dir);
    await (await newLog(at, [prompt("hi")])).close();
    for (const lines of [1, 2, 6, 13, 40, 77]) {
      const writer = child("write", dir);
      let last = 0;
      let n = 0;
      for await (const line of output(writer)) {
        last = Number(line);
        if (++n === lines) writer.kill("SIGKILL");
      }
      await ended(writer);
      const loaded = await load(at);
      expect(loaded.foreign).toBeUndefined();
      expect(loaded.state.seq).toBeGreaterThanOrEqual(last);
      const again = await reopened(at);
      expect(again.state.foreign).toBe(false);
      await again.close();
    }
  });
});

describe("two processes on one session", () => {
  it("E4: the second is refused by name of the first's process, and a killed one holds nothing", async () => {
    const dir = scratch("two");
    const at = place(dir);
    await (await newLog(at)).close();
    const holder = child("hold", dir);
    for await (const line of output(holder)) {
      expect(line).toBe("1");
      await expect(reopened(at)).rejects.toMatchObject({
        code: "locked",
        message: expect.stringMatching(new RegExp(`process ${holder.pid}\\b`)) as string,
      });
      holder.kill("SIGKILL");
    }
    await ended(holder);
    const log = await reopened(at);
    await expect(reopened(at)).rejects.toMatchObject({
      code: "locked",
      message: expect.stringContaining(`process ${process.pid}`) as string,
    });
    await log.close();
    await (await reopened(at)).close();
  });
  it("E4: of many that take a lock at once, over stale ones too, never two have it", async () => {
    const dir = scratch("race");
    const lock = join(dir, "a.lock");
    mkdirSync(lock);
    const { boot, space, host } = thisProcess();
    for (const pid of [1, 4_000_000, 4_000_001]) writeFileSync(join(lock, [pid, "1", boot, space, host].join(".")), "");
    const racers = [1, 2, 3, 4].map(() => child("race", dir));
    const said = (await Promise.all(racers.map(collect))).map((lines) => new Set(lines));
    expect(said).toEqual(racers.map(() => new Set(["held"])));
    await Promise.all(racers.map(ended));
  });
});
