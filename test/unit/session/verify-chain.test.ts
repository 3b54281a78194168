import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogBody } from "../../../src/events/event.ts";
import { verifyLog } from "../../../src/session/verify.ts";
import {
  finished,
  headFile,
  lines,
  load,
  logFile,
  type Place,
  place,
  prompt,
  reopened,
  reply,
  started,
  toolUse,
  written,
} from "../../support/event-log.ts";
import { scratch } from "../../support/scratch.ts";

const BODIES: LogBody[] = [
  prompt("go"),
  reply([toolUse("t1")]),
  started("t1"),
  finished("t1"),
  { type: "query.finished", reason: "done", turns: 1, durationMs: 1 },
];

/** What the chain's claim says of a log as it lies on the disk. */
async function chain(at: Place): Promise<string> {
  const [claim] = verifyLog(await load(at), at.sessionId, "no journal");
  const [first] = claim?.breaches ?? [];
  return first === undefined
    ? `holds: ${claim?.text}`
    : `event ${first.seq}: ${first.what.replace(/^\S+\/(?=[^/]+\.)/, "")}`;
}

async function tampered(change: (rows: string[], at: Place) => string[] | void): Promise<string> {
  const at = place();
  await written(at, BODIES);
  const rows = change(lines(logFile(at)), at);
  if (Array.isArray(rows)) writeFileSync(logFile(at), rows.map((row) => `${row}\n`).join(""));
  return chain(at);
}

describe("E6, E1: a log that was tampered with proves nothing, and says from where on", () => {
  it("E6: an untouched one holds", async () => {
    expect(await tampered(() => undefined)).toBe("holds: 6 events, each sealed behind the one before, none missing");
  });
  it("E6: a changed event", async () => {
    const found = await tampered((rows) => rows.map((row, i) => (i === 4 ? row.replace('"fine"', '"well"') : row)));
    expect(found).toMatch(
      /^event 5: \S+, line 5: it was not written by this program with the person's key, or was changed since$/,
    );
  });
  it("E6: two events in the other order", async () => {
    const [a, b] = [2, 3];
    expect(await tampered((rows) => rows.map((row, i) => rows[i === a ? b : i === b ? a : i] ?? row))).toMatch(
      /^event 3: /,
    );
  });
  it("E6: an event taken out, the beginning or the end cut off", async () => {
    expect(await tampered((rows) => rows.filter((_, i) => i !== 3))).toMatch(/^event 4: /);
    expect(await tampered((rows) => rows.slice(1))).toMatch(/^event 1: .*line 1/);
    expect(await tampered((rows) => rows.slice(0, -2))).toMatch(
      /^event 4: .*ends at event 4, but had 6: its end was cut off/,
    );
  });
  it("E6: a last line that was cut short", async () => {
    const found = await tampered((rows, at) => {
      writeFileSync(
        logFile(at),
        rows
          .slice(0, -1)
          .map((row) => `${row}\n`)
          .join("") + (rows.at(-1) ?? "").slice(0, 20),
      );
      return undefined;
    });
    expect(found).toBe("event 6: its line was cut short (20 bytes are left)");
  });
  it("E6: a line of another session's behind it, and a log whose head is gone", async () => {
    const other = place();
    await written(other, BODIES);
    const line = lines(logFile(other)).at(-1) ?? "";
    expect(await tampered((_, at) => appendFileSync(logFile(at), `${line}\n`))).toMatch(/^event 7: /);
    expect(await tampered((_, at) => writeFileSync(headFile(at), ""))).toMatch(
      /tells where the log ends, is missing or damaged/,
    );
  });
  it("E6: a log of another machine's is readable and not proven", async () => {
    const at = place();
    await written(at, BODIES);
    expect(await chain({ ...at, key: new Uint8Array(32).fill(9) })).toMatch(/^event 1: /);
  });
  it("E6: one that was changed before, and went on since", async () => {
    const at = place(join(scratch("x"), "log"));
    await written(at, BODIES);
    writeFileSync(logFile(at), readFileSync(logFile(at), "utf8").replace('"fine"', '"well"'));
    await (await reopened(at)).close();
    expect(await chain(at)).toMatch(/^event 7: what stands before it was changed: /);
  });
});
