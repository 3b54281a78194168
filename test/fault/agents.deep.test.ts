import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { LogEvent } from "../../src/events/event.ts";
import { loadKey } from "../../src/events/key.ts";
import { loadLog } from "../../src/events/load.ts";
import { threeAgents } from "../support/agents.ts";
import { commandsWith } from "../support/processes.ts";
import { collect, openAt, place, type Place } from "../support/session.ts";

/** Starts three agents in a process of its own and kills it with -9 once each is where it is wanted. Gives the session's id. */
async function killed(at: Place, mark: string): Promise<string> {
  const program = join(import.meta.dirname, "../support/agents-child.ts");
  const child = spawn(process.execPath, [program, at.folder, at.config, at.state, at.home, mark], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((done) => child.on("close", done));
  let out = "";
  child.stdout.on("data", (piece) => (out += String(piece)));
  const begun = () => (out.match(/-a\d turn\.started/g) ?? []).length;
  const ready = () =>
    /-a\d changes\.landed/.test(out) &&
    begun() >= 4 &&
    commandsWith(`120' ${mark}`).length + commandsWith(`120 ${mark}`).length > 0;
  await expect.poll(ready, { timeout: 60_000, interval: 50 }).toBe(true);
  child.kill("SIGKILL");
  await ended;
  return out.split("\n")[0] ?? "";
}

async function eventsOf(at: Place, sessionId: string): Promise<readonly LogEvent[]> {
  const place = { sessionsDir: join(at.state, "sessions"), contentDir: join(at.state, "content"), sessionId };
  return (await loadLog({ ...place, key: loadKey(join(at.config, "key")) })).events;
}

const count = (events: readonly LogEvent[], type: LogEvent["type"]) => events.filter((e) => e.type === type).length;

it("E3, S7: kill -9 among three agents at work leaves no process, and each goes on where it was, nothing twice", async () => {
  const at = place();
  const mark = `agents_${process.pid}_${Date.now()}`;
  const id = await killed(at, mark);
  await expect.poll(() => commandsWith(mark), { timeout: 10_000 }).toEqual([]);
  writeFileSync(join(at.folder, "go-on"), "");
  const session = await openAt(at, { model: threeAgents(mark, false), more: { resume: id } });
  expect(session.unfinished()).toBeDefined();
  const { result } = await collect(session.goOn());
  expect(result.reason).toBe("done");
  for (const name of ["landed", "running", "begun"]) expect(result.text).toContain(`${name} is done`);
  expect(readFileSync(join(at.folder, "landed.txt"), "utf8")).toBe("once\n");
  expect(readFileSync(join(at.folder, "runs.txt"), "utf8")).toBe("run\n");
  const steps = await session.steps();
  await session.close();
  expect(steps.map((s) => s.text)).toEqual(["landed.txt", "runs.txt"]);
  const logs = await Promise.all([1, 2, 3].map((n) => eventsOf(at, `${id}-a${n}`)));
  expect(logs.map((log) => count(log, "prompt.submitted"))).toEqual([1, 1, 1]);
  expect(logs.map((log) => count(log, "changes.landed")).reduce((a, b) => a + b)).toBe(2);
  const own = await eventsOf(at, id);
  expect([count(own, "agent.started"), count(own, "agent.ended"), count(own, "changes.landed")]).toEqual([3, 3, 2]);
  // A second run of a call under the same operation is what the door knows as one.
  expect(session.state().agents.map((a) => a.ended)).toEqual(["done", "done", "done"]);
}, 90_000);

it("E3: where the person goes on with something else, agents that a kill left are settled in their logs and told as interrupted", async () => {
  const at = place();
  const mark = `agents_${process.pid}_${Date.now()}`;
  const id = await killed(at, mark);
  const session = await openAt(at, { model: threeAgents(mark, false), more: { resume: id } });
  const run = session.submit("something else");
  let first: LogEvent | undefined;
  for (let step = await run.next(); step.done !== true; step = await run.next())
    if (step.value.type === "prompt.submitted") first = step.value;
    else if (step.value.type === "turn.started") break;
  await run.return(undefined as never);
  await session.close();
  expect(first).toBeDefined();
  expect(session.state().agents.map((a) => a.ended)).toEqual(["interrupted", "interrupted", "interrupted"]);
  expect(existsSync(join(at.folder, "runs.txt"))).toBe(false);
  const logs = await Promise.all([1, 2, 3].map((n) => eventsOf(at, `${id}-a${n}`)));
  for (const log of logs) expect(count(log, "call.started")).toBeGreaterThanOrEqual(count(log, "call.finished") - 1);
  // What landed before is this session's to undo.
  expect(session.state().steps.map((s) => s.status)).toEqual(["landed"]);
}, 90_000);
