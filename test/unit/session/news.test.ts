import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadKey } from "../../../src/events/key.ts";
import { type EventLog } from "../../../src/events/log.ts";
import { openLog } from "../../../src/events/open-log.ts";
import { watchSteps } from "../../../src/session/news.ts";
import { systemClock } from "../../../src/util/system.ts";
import { openAt, place } from "../../support/door.ts";
import { NO_CHANGES } from "../../support/event-log.ts";

async function logAt(dir: string, folder: string): Promise<EventLog> {
  const dirs = { sessionsDir: join(dir, "sessions"), contentDir: join(dir, "content") };
  const log = await openLog({
    ...dirs,
    sessionId: "s_test",
    key: loadKey(join(dir, "key")),
    clock: systemClock,
    create: true,
  });
  onTestFinished(() => log.close());
  const roots = [{ path: folder, kind: "folder" as const }];
  await log.append({
    type: "session.opened",
    sessionId: "s_test",
    folder,
    roots,
    program: "t",
    mode: "ask",
    model: "m",
  });
  return log;
}

describe("watchSteps", () => {
  it("W8: says once what can no longer be undone, and what somebody else undid; of its own doing nothing", async () => {
    const at = place();
    const log = await logAt(join(at.folder, ".."), at.folder);
    const door = await openAt(at, { keep: { steps: 2, bytes: 1e9 } });
    let reads = 0;
    const journal: typeof door.journal = () => {
      reads += 1;
      return door.journal();
    };
    const { workspace, news } = watchSteps(log, { ...door, journal });
    for (const n of [1, 2, 3]) {
      const operationId = `op_${n}`;
      const stage = await workspace.stage(operationId, workspace.view([]));
      await stage.put(join(at.folder, `f${n}`), Buffer.from(`${n}\n`));
      expect(await workspace.land(await stage.finish())).toMatchObject({ ok: true });
      await log.append({ type: "changes.landed", operationId, summary: NO_CHANGES, by: "person", touched: [] });
    }
    const facts = await news();
    expect(facts).toMatchObject([{ type: "limit.warned", limit: "undo" }]);
    expect(JSON.stringify(facts)).toContain("(op_1) can no longer be undone: undo keeps the newest 2 steps");
    await workspace.turn({ kind: "undo", steps: ["op_3"] });
    await log.append({ type: "changes.undone", operationId: "op_3", by: "person", paths: [] });
    expect(await news()).toEqual([]);
    // Only its own hand was in it: the journal need not be read.
    expect(reads).toBe(0);

    const other = await openAt(at);
    expect(await other.turn({ kind: "undo", steps: ["op_2"] })).toMatchObject({ ok: true });
    expect(await other.turn({ kind: "redo", steps: ["op_3"] })).toMatchObject({ ok: true });
    const told = await news();
    expect(told.map((e) => [e.type, "operationId" in e ? e.operationId : ""])).toEqual([
      ["changes.undone", "op_2"],
      ["changes.redone", "op_3"],
      ["note.added", ""],
      ["note.added", ""],
    ]);
    expect(told.flatMap((e) => (e.type === "note.added" ? [e.text] : []))).toEqual([
      "The person undid a step of this session: f2 is as before. Read again before you change them.",
      "The person redid a step of this session that had been undone: f3 is changed again. Read again before you change them.",
    ]);
    expect(await news()).toEqual([]);
    writeFileSync(join(at.folder, "f9"), "mine");
    expect(await news()).toEqual([]);
  });
});
