import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogEvent, LogEventOf } from "../../src/events/event.ts";
import { verifyLog } from "../../src/session/verify.ts";
import { checked, recorded, RECORDINGS } from "../support/recorded.ts";
import { CASES } from "../support/recording-cases.ts";
import { runAgent } from "../support/run-agent.ts";
import { filesBelow } from "../support/event-log.ts";
import { place } from "../support/session.ts";

const names = readdirSync(RECORDINGS);

describe("E5: the recorded sessions", () => {
  it("E5: are the ten that the recorder knows", () => {
    expect(names.toSorted()).toEqual(CASES.map(({ name }) => name).toSorted());
    expect(names).toHaveLength(10);
  });

  it.each(names)("E5: %s: the same comes of it when its tools run again", async (name) => {
    const { events, start } = await recorded(name);
    const report = await checked(events, start);
    expect(report).toEqual({ facts: expect.any(Number) as number, calls: expect.any(Number) as number });
    expect(report.facts).toBeGreaterThan(7);
  });

  it("E6: each proves its chain and its decisions, and none names the machine it was made on", async () => {
    for (const name of names) {
      const { start: _, ...loaded } = await recorded(name);
      const claims = verifyLog(loaded, loaded.state.id, "not here");
      expect([name, claims.flatMap((claim) => claim.breaches)]).toEqual([name, []]);
      const log = readFileSync(join(RECORDINGS, name, "log.jsonl"), "utf8");
      const paths = [...log.matchAll(/\/(?:tmp|home|root|work|Users|var)\/[\w.-]+/g)].map((m) => m[0]);
      expect([name, [...new Set(paths)].filter((path) => path !== "/tmp/understudy-demo")]).toEqual([name, []]);
      for (const own of [resolve(import.meta.dirname, "../.."), homedir(), hostname()]) {
        if (own.length > 3) expect(log.includes(own)).toBe(false);
      }
    }
  });
});

/** Of the calls that run together any may be first. */
const isRead = ({ callId }: LogEventOf<"call.finished">): boolean => callId === "toolu_script_1_2";

describe("E5: a record that is not what comes", () => {
  /** The record with one event changed, or without it. */
  async function changed<T extends LogEvent["type"]>(
    name: string,
    type: T,
    which: number | ((event: LogEventOf<T>) => boolean),
    change: (event: LogEventOf<T>) => LogEvent | undefined,
  ) {
    const { events, start } = await recorded(name);
    const all = events.filter((e): e is LogEventOf<T> => e.type === type);
    const target = typeof which === "number" ? all[which] : all.find(which);
    if (target === undefined) throw new Error(`no such ${type} in ${name}`);
    const report = await checked(
      events.flatMap((e) => (e === target ? (change(target) ?? []) : e)),
      start,
    );
    return { seq: target.seq, ...report };
  }

  it("E5: a changed tool result is found at its event, with what was expected and what came", async () => {
    const text = (words: string) => [{ type: "text" as const, text: words }];
    const { seq, divergence } = await changed("edit-bash-denial", "call.finished", isRead, (e) => ({
      ...e,
      content: text("1\tmilk\n2\tbeer"),
    }));
    expect(divergence).toEqual({
      seq,
      expected: "call.finished of call toolu_script_1_2 (ok)",
      came: 'content.0.text: expected "1\\tmilk\\n2\\tbeer", came "1\\tmilk\\n2\\tbread"',
    });
  });
  it("E5: a changed status, decision, change set, end are found at their events", async () => {
    const status = await changed("failing-tool", "call.finished", 1, (e) => ({ ...e, status: "ok" }));
    expect(status.divergence).toMatchObject({ seq: status.seq, came: 'status: expected "ok", came "error"' });
    const reason = await changed("plan-mode", "permission.decided", 0, (e) => ({ ...e, reason: "no" }));
    expect(reason.divergence).toMatchObject({
      seq: reason.seq,
      expected: expect.stringContaining("permission.decided"),
    });
    const set = await changed("undo", "changes.proposed", 0, (e) => ({
      ...e,
      summary: { ...e.summary, entries: e.summary.entries.map((entry) => ({ ...entry, path: "b.txt" })) },
    }));
    expect(set.divergence).toMatchObject({
      seq: set.seq,
      came: 'summary.entries.0.path: expected "b.txt", came "a.txt"',
    });
    const end = await changed("failing-tool", "query.finished", 0, (e) => ({ ...e, reason: "done" }));
    expect(end.divergence).toMatchObject({ seq: end.seq, expected: "query.finished (done)" });
  });
  it("E5: an event too few or too many is found", async () => {
    const less = await changed("failing-tool", "call.finished", 1, () => undefined);
    expect(less.divergence?.came).toContain("call.finished");
    const { events, start } = await recorded("failing-tool");
    const [last] = events.slice(-1);
    if (last === undefined) throw new Error("empty");
    const more = [...events, { ...last, seq: last.seq + 1, type: "todo.updated", todos: [] } as LogEvent];
    expect((await checked(more, start)).divergence).toEqual({
      seq: last.seq + 1,
      expected: "todo.updated",
      came: "the end: it never came",
    });
  });
  it("E5: another folder than the one it began with is found where it first shows", async () => {
    const { events, start } = await recorded("edit-bash-denial");
    const other = place("other").folder;
    cpSync(start, other, { recursive: true });
    writeFileSync(join(other, "todo.txt"), "milk\n");
    const read = events.find((e) => e.type === "call.finished" && isRead(e));
    expect((await checked(events, other)).divergence?.seq).toBe(read?.seq);
  });

  it("E3: what left the copy is not run again: the check ends before it and says so", async () => {
    const { events, start } = await recorded("edit-bash-denial");
    const at = events.findIndex((e) => e.type === "call.started" && e.tool === "Bash");
    const call = events[at];
    if (call?.type !== "call.started") throw new Error("no call");
    const yes = {
      ...call,
      type: "permission.decided",
      callId: call.callId,
      gate: "needs",
      outcome: "allow",
      by: "person",
      reason: "r",
      risk: "high",
      effect: {
        tool: "Bash",
        subject: "x",
        contained: true,
        needs: [{ kind: "network", host: "example.com", port: 443 }],
      },
    } as LogEvent;
    const report = await checked([...events.slice(0, at), yes, ...events.slice(at)], start);
    expect(report.divergence).toBeUndefined();
    expect(report.cut).toEqual({ seq: call.seq, why: "what left the copy is not run again" });
  });
});

describe("E5: agent replay --check, as a program", () => {
  it("E5: holds with exit code 0; a changed record fails with 1 and its event; the folder it starts from is not touched", async () => {
    const at = place("replay");
    const copy = join(at.home, "rec");
    cpSync(join(RECORDINGS, "failing-tool"), copy, { recursive: true });
    const before = filesBelow(copy);
    const held = await runAgent(at, ["replay", copy, "--check"]);
    expect([held.code, held.out]).toEqual([
      0,
      expect.stringMatching(/^holds: \d+ facts as recorded, \d+ calls run again\n$/),
    ]);
    expect(filesBelow(copy)).toEqual(before);
    const log = join(copy, "log.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace("1\\tmilk", "1\\tsilk"));
    const broken = await runAgent(at, ["replay", copy, "--check"]);
    expect([broken.code, broken.out]).toEqual([
      1,
      expect.stringMatching(/^diverges at event \d+\n {2}expected call\.finished.*\n {2}came .*silk.*milk/),
    ]);
    expect(broken.err).toContain("was changed since");
    const none = await runAgent(at, ["replay", join(RECORDINGS, "undo"), "--check", "--folder", join(at.home, "gone")]);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("there is no such folder")]);
  });
});
