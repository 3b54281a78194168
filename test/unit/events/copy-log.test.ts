import { describe, expect, it } from "vitest";
import { writeLog, type TimedFact } from "../../../src/events/copy-log.ts";
import { systemFs, type LogFs } from "../../../src/events/log-fs.ts";
import { peekHead } from "../../../src/events/head.ts";
import {
  filesBelow,
  finished,
  headFile,
  load,
  logFile,
  OPENED,
  place,
  prompt,
  reply,
  toolUse,
  written,
} from "../../support/event-log.ts";
import { existsSync, statSync } from "node:fs";

const facts = (n: number, size = 1): TimedFact[] => [
  { at: "2026-01-01T00:00:00.000Z", body: OPENED },
  ...[...Array(n).keys()].flatMap((i) => [
    { at: "2025-01-01T00:00:00.000Z", body: prompt("x".repeat(size)) },
    { at: "2025-01-01T00:00:01.000Z", body: reply([toolUse(`t${i}`)]) },
    { at: "2025-01-01T00:00:02.000Z", body: finished(`t${i}`) },
  ]),
];

describe("writeLog", () => {
  it("E1: is a log like any other: whole, durable, private, with its own times", async () => {
    const at = place();
    await writeLog(at, facts(3, 100_000));
    const loaded = await load(at);
    expect(loaded).toMatchObject({ notices: [], state: { foreign: false, prompts: 3 } });
    expect(loaded.events.map((e) => e.at)).toEqual(facts(3).map((f) => f.at));
    expect(peekHead(headFile(at))).toMatchObject({ seq: 10, prompts: 3 });
    for (const file of [logFile(at), headFile(at)]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(filesBelow(at.sessionsDir)).toEqual(["ses_a.head", "ses_a.jsonl"]);
  });
  it("E2: a hundred times the facts are a hundred times the work, not more: each is encoded once, in few writes", async () => {
    const counted = { writes: 0, syncs: 0 };
    const fs: LogFs = {
      ...systemFs,
      write: (...args) => (counted.writes++, systemFs.write(...args)),
      datasync: (fd) => (counted.syncs++, systemFs.datasync(fd)),
    };
    const at = place();
    await writeLog({ ...at, fs }, facts(2000, 1000));
    const bytes = statSync(logFile(at)).size;
    expect(counted.writes).toBeLessThan(bytes / (1 << 20) + 3);
    expect(counted.syncs).toBe(1);
    expect((await load(at)).events).toHaveLength(6001);
  });
  it("E4: a full disk leaves nothing, an id that is taken stays what it is", async () => {
    const at = place();
    const full: LogFs = {
      ...systemFs,
      write: () => {
        throw Object.assign(new Error("full"), { code: "ENOSPC" });
      },
    };
    await expect(writeLog({ ...at, fs: full }, facts(1))).rejects.toThrow(/no space left on the device \(ENOSPC\)/);
    expect(filesBelow(at.sessionsDir)).toEqual([]);
    await written(at, [prompt("there")]);
    await expect(writeLog(at, facts(1))).rejects.toMatchObject({ code: "write" });
    expect(existsSync(`${logFile(at)}.new`)).toBe(false);
    expect((await load(at)).events).toHaveLength(2);
  });
});
