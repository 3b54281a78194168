import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { pairingNotes } from "../../../src/events/pairing.ts";
import {
  events,
  finished,
  load,
  logFile,
  OPENED,
  place,
  prompt,
  reopened,
  reply,
  toolUse,
  written,
} from "../../support/event-log.ts";

const talk = [prompt("go"), reply([toolUse("a"), toolUse("b")]), finished("a"), finished("b"), prompt("and?")];

describe("pairingNotes", () => {
  it("L4: a whole log needs none", () => {
    expect(pairingNotes(events([OPENED, ...talk]))).toEqual([]);
  });
  it("L4: says what no conversation may hold, once", () => {
    const wrong = [...talk, finished("x"), finished("a", "again"), reply([toolUse("a"), toolUse("no good")])];
    const notes = pairingNotes(events([OPENED, ...wrong]));
    expect(notes).toEqual([
      'results of calls that no reply made are left out ("x")',
      'of several results of a call the first counts ("a")',
      'calls with an id that was used before, or is none, have new ids ("a", "no good")',
    ]);
    expect(pairingNotes(events([OPENED, ...wrong, { type: "session.repaired", notes }]))).toEqual([]);
    const many = pairingNotes(events([OPENED, ...Array.from({ length: 9 }, (_, i) => finished(`c${i}`))]));
    expect(many).toEqual([
      'results of calls that no reply made are left out ("c0", "c1", "c2", "c3", "c4" and 4 more)',
    ]);
  });
  it("L4, E1: a history that breaks the pairing is repaired when it is loaded, told, and recorded once", async () => {
    const at = place();
    await written(at, talk);
    appendFileSync(logFile(at), `${JSON.stringify({ v: 1, seq: 7, at: "x", ...finished("zz") })}\n`);
    writeFileSync(logFile(at), `${readFileSync(logFile(at), "utf8")}not a line\n`);
    const log = await reopened(at);
    await log.close();
    expect(log.notices.join("\n")).toMatch(/no reply made are left out \("zz"\)/);
    expect(log.events.findLast((e) => e.type === "session.repaired")).toMatchObject({
      notes: [
        "1 damaged line(s) were skipped, the first is line 8",
        'results of calls that no reply made are left out ("zz")',
      ],
    });
    const again = await reopened(at);
    await again.close();
    expect(again.events).toEqual(log.events);
    expect((await load(at)).repaired).toEqual([]);
  });
});
