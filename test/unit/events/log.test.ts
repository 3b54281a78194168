import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogBody } from "../../../src/events/event.ts";
import { type LogFs, systemFs } from "../../../src/events/log-fs.ts";
import { openLog } from "../../../src/events/open-log.ts";
import {
  filesBelow,
  headFile,
  lines,
  load,
  logFile,
  newLog,
  OPENED,
  place,
  prompt,
  reopened,
  reply,
  written,
} from "../../support/event-log.ts";

const note = (text: string): LogBody => ({ type: "note.added", text });

/** Counts syncs, and lets them end only when told. */
function slowSync(): { fs: LogFs; started(): number; go(): void } {
  let started = 0;
  let open: (() => void)[] = [];
  let free = false;
  return {
    fs: {
      ...systemFs,
      datasync: async (fd) => {
        started++;
        if (!free) await new Promise<void>((done) => open.push(done));
        await systemFs.datasync(fd);
      },
    },
    started: () => started,
    go: () => {
      free = true;
      for (const done of open) done();
      open = [];
    },
  };
}
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let is = false;
  void promise.finally(() => (is = true));
  for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
  return is;
};

describe("append", () => {
  it("E1: is kept when it resolves, in call order, one line each", async () => {
    const at = place();
    const log = await newLog(at);
    const events = await Promise.all([note("z".repeat(200_000)), note("b"), note("c")].map((b) => log.append(b)));
    expect(events.map((e) => e.seq)).toEqual([2, 3, 4]);
    expect(lines(logFile(at)).map((l) => (JSON.parse(l) as { seq: number }).seq)).toEqual([1, 2, 3, 4]);
    expect(log.events.slice(1)).toEqual(events);
    expect(log.state.items).toMatchObject([{ text: "z".repeat(200_000) }, { text: "b" }, { text: "c" }]);
    expect(log.state.mac).toBe(events[2]?.mac);
    await log.close();
  });
  it("E1: takes what the body was when it was called", async () => {
    const log = await newLog(place());
    const body = { type: "note.added" as const, text: "before" };
    const done = log.append(body);
    body.text = "after";
    expect(await done).toMatchObject({ text: "before" });
    await log.close();
  });
  it("storage-001: its files are the person's alone, whatever the umask", async () => {
    const at = place();
    const before = process.umask(0);
    try {
      const log = await newLog(at, [note("z".repeat(200_000))]);
      await log.barrier();
      for (const file of filesBelow(at.sessionsDir)) {
        const stat = statSync(join(at.sessionsDir, file));
        expect([file, stat.mode & 0o777]).toEqual([file, stat.isDirectory() ? 0o700 : 0o600]);
      }
      await log.close();
    } finally {
      process.umask(before);
    }
    expect(statSync(at.sessionsDir).mode & 0o777).toBe(0o700);
    expect(statSync(at.contentDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(at.sessionsDir)).toEqual(["ses_a.head", "ses_a.jsonl"]);
  });
  it("refuses what is no event and goes on", async () => {
    const log = await newLog(place());
    await expect(log.append({ type: "note.added", text: 1 } as unknown as LogBody)).rejects.toMatchObject({
      code: "invalid",
    });
    await expect(log.append(OPENED)).rejects.toMatchObject({ code: "invalid" });
    expect((await log.append(note("on"))).seq).toBe(2);
    await log.close();
  });
  it("begins with session.opened", async () => {
    const log = await openLog({ ...place(), create: true });
    await expect(log.append(note("x"))).rejects.toMatchObject({ code: "invalid" });
    await log.close();
  });
  it("is refused behind close, and close may be repeated", async () => {
    const log = await newLog(place());
    const last = log.append(note("last"));
    await log.close();
    await log.close();
    expect((await last).seq).toBe(2);
    await expect(log.append(note("x"))).rejects.toMatchObject({ code: "closed" });
  });
  it("E4: a log that is deleted or written by others meanwhile is noticed, not gone on with", async () => {
    const at = place();
    const log = await newLog(at);
    appendFileSync(logFile(at), "x");
    await expect(log.append(note("x"))).rejects.toThrow(/changed by another program/);
    await expect(log.append(note("y"))).rejects.toThrow(/kept up to event 1/);
    await expect(log.close()).rejects.toThrow(/changed by another/);
    const other = { ...place(), sessionId: "ses_b" };
    const gone = await newLog(other);
    unlinkSync(logFile(other));
    await expect(gone.append(note("x"))).rejects.toThrow(/was deleted/);
    await expect(gone.close()).rejects.toThrow();
    expect(existsSync(join(other.sessionsDir, "ses_b.lock"))).toBe(false);
  });
});

describe("barrier", () => {
  it("E1: waits for a sync that began behind every append before it, and shares it", async () => {
    const slow = slowSync();
    const log = await newLog(place(), [], slow.fs);
    const first = log.barrier();
    await log.append(note("a"));
    await log.append(note("b"));
    const barriers = [1, 2, 3, 4].map(() => log.barrier());
    expect(await settled(first)).toBe(false);
    expect(slow.started()).toBe(1);
    slow.go();
    await Promise.all([first, ...barriers]);
    // The one that was under way, and one for all that came meanwhile.
    expect(slow.started()).toBe(2);
    await log.barrier();
    expect(slow.started()).toBe(2);
    await log.close();
  });
  it("E1: a sync starts at once behind an append, not only at a barrier", async () => {
    const slow = slowSync();
    const log = await newLog(place(), [], slow.fs);
    expect(await settled(log.append(note("a")))).toBe(true);
    expect(slow.started()).toBe(1);
    slow.go();
    await log.close();
  });
  it("E1: the head is never ahead of what is durable", async () => {
    const slow = slowSync();
    const at = place();
    const log = await newLog(at, [note("a")], slow.fs);
    const seq = (): number =>
      (JSON.parse(readFileSync(headFile(at), "utf8").split("\n")[0] ?? "") as { seq: number }).seq;
    expect(seq()).toBe(0);
    slow.go();
    await log.barrier();
    expect(seq()).toBe(2);
    await log.close();
  });
});

describe("openLog", () => {
  it("E1: goes on where it was left", async () => {
    const at = place();
    await written(at, [prompt("hi"), note("z".repeat(100_000))]);
    const log = await reopened(at);
    expect(log.notices).toEqual([]);
    expect(log.state).toMatchObject({ mode: "auto", prompts: 1, foreign: false, seq: 3 });
    await log.append(note("more"));
    await log.close();
    const loaded = await load(at);
    expect(loaded.events).toEqual(log.events);
    expect(loaded.state).toEqual(log.state);
    expect(loaded.foreign).toBeUndefined();
  });
  it("session-003: half a last line is cut, said and recorded", async () => {
    const at = place();
    await written(at, [prompt("hi"), note("last")]);
    const whole = readFileSync(logFile(at), "utf8");
    writeFileSync(logFile(at), whole.slice(0, -40));
    const log = await reopened(at);
    expect(log.notices).toEqual([
      expect.stringMatching(/ses_a\.jsonl, line 3: the last line was cut short \(\d+ bytes\)/),
    ]);
    expect(log.events.map((e) => e.type)).toEqual(["session.opened", "prompt.submitted", "session.repaired"]);
    expect(log.state).toMatchObject({ mode: "auto", foreign: false });
    await log.close();
    expect((await load(at)).notices).toEqual([]);
  });
  it("E4: zeros at the end, as a power failure leaves them, are a line cut short", async () => {
    const at = place();
    await written(at, [prompt("hi")]);
    appendFileSync(logFile(at), Buffer.alloc(5000));
    const log = await reopened(at);
    expect(log.state).toMatchObject({ mode: "auto", foreign: false, prompts: 1 });
    await log.append(note("on"));
    await log.close();
    expect(readFileSync(logFile(at))).not.toContain(0);
    expect(await load(at)).toMatchObject({ notices: [], state: { prompts: 1 } });
  });
  it("E1: a foreign log is opened as such, and what comes behind counts again", async () => {
    const at = place();
    const rule: LogBody = { type: "rule.added", rule: { action: "allow", text: "Bash(x)", source: "session" } };
    await written(at, [prompt("hi"), rule]);
    appendFileSync(
      logFile(at),
      `${JSON.stringify({ v: 1, seq: 4, at: "2026-01-01", type: "mode.changed", mode: "auto", by: "person", mac: "0" })}\n`,
    );
    const log = await reopened(at);
    expect(log.notices).toEqual([expect.stringMatching(/ses_a\.jsonl, line 4: it was not written by this program/)]);
    expect(log.state).toMatchObject({ mode: "ask", rules: [], foreign: true, prompts: 1 });
    await log.append({ ...rule, rule: { ...rule.rule, text: "Bash(y)" } });
    await log.append({ type: "mode.changed", mode: "plan", by: "person" });
    await log.close();
    const loaded = await load(at);
    expect(loaded.foreign).toBeUndefined();
    expect(loaded.state).toMatchObject({ mode: "plan", rules: [{ text: "Bash(y)" }], foreign: true });
    expect(loaded.state).toEqual(log.state);
    expect(loaded.notices).toEqual([expect.stringContaining("was changed from outside before")]);
  });
  it("E4: two new sessions can't share an id, and a missing one is said", async () => {
    const at = place();
    await expect(reopened(at)).rejects.toMatchObject({
      code: "missing",
      message: expect.stringContaining("no session ses_a") as string,
    });
    await written(at, []);
    await expect(openLog({ ...at, create: true })).rejects.toMatchObject({ code: "exists" });
    await (await reopened(at)).close();
  });
  it.each(["../../outside/x", "", ".", "a/b", "-x", "a\0b", "x".repeat(200)])(
    "session-004: %j is no session id",
    async (sessionId) => {
      const at = { ...place(), sessionId };
      await expect(reopened(at)).rejects.toMatchObject({ code: "invalid" });
      await expect(openLog({ ...at, create: true })).rejects.toMatchObject({ code: "invalid" });
      expect(existsSync(at.sessionsDir)).toBe(false);
    },
  );
  it("session-005, session-006: links are not followed", async () => {
    const at = place();
    await written(at, []);
    const outside = join(at.sessionsDir, "..", "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "CANARY-OUTSIDE\n");
    for (const name of ["l.jsonl", "m.head"]) symlinkSync(join(outside, "secret"), join(at.sessionsDir, name));
    symlinkSync(join(outside, "new"), join(at.sessionsDir, "n.jsonl"));
    await expect(reopened({ ...at, sessionId: "l" })).rejects.toMatchObject({ code: "unsafe" });
    for (const sessionId of ["l", "m", "n"])
      await expect(openLog({ ...at, sessionId, create: true })).rejects.toThrow(sessionId);
    symlinkSync(outside, join(outside, "..", "linked"));
    const linked = { ...at, sessionsDir: join(outside, "..", "linked") };
    await expect(openLog({ ...linked, create: true })).rejects.toMatchObject({ code: "unsafe" });
    await expect(reopened(linked)).rejects.toMatchObject({ code: "unsafe" });
    expect(readdirSync(outside)).toEqual(["secret"]);
    expect(readFileSync(join(outside, "secret"), "utf8")).toBe("CANARY-OUTSIDE\n");
  });
  it("session-005: a head that was made a link is neither followed nor written through", async () => {
    const at = place();
    await written(at, []);
    const outside = join(at.sessionsDir, "..", "outside");
    writeFileSync(outside, "x".repeat(5000), { mode: 0o600 });
    unlinkSync(headFile(at));
    symlinkSync(outside, headFile(at));
    await (await reopened(at)).close();
    expect(readFileSync(outside, "utf8")).toBe("x".repeat(5000));
    expect(lstatSync(headFile(at)).isFile()).toBe(true);
  });
  it("session-007: a log that others can write is refused; one that they could read is closed to them", async () => {
    const at = place();
    await written(at, []);
    chmodSync(logFile(at), 0o666);
    await expect(reopened(at)).rejects.toThrow(`chmod 600 ${logFile(at)}`);
    chmodSync(logFile(at), 0o644);
    await (await reopened(at)).close();
    expect(statSync(logFile(at)).mode & 0o777).toBe(0o600);
  });
  it("storage-001: a folder that others could enter is closed to them", async () => {
    const at = place();
    mkdirSync(at.sessionsDir, { mode: 0o755 });
    await written(at, []);
    expect(statSync(at.sessionsDir).mode & 0o777).toBe(0o700);
  });
  it("E1: a head of another length is mended when its log is opened", async () => {
    const at = place();
    await written(at, []);
    appendFileSync(headFile(at), "more");
    const log = await reopened(at);
    expect(log.state.foreign).toBe(true);
    await log.close();
    expect((await load(at)).foreign).toBeUndefined();
  });
  it("holds nothing after it failed", async () => {
    const at = place();
    await written(at, []);
    writeFileSync(logFile(at), "");
    await expect(reopened(at)).rejects.toMatchObject({ code: "damaged" });
    expect(readdirSync(at.sessionsDir)).toEqual(["ses_a.head", "ses_a.jsonl"]);
  });
  it("ses-linear-size: twice the turns are twice the bytes", async () => {
    const size = async (turns: number): Promise<number> => {
      const at = place();
      await written(
        at,
        Array.from({ length: turns }, (_, i) => reply([{ type: "text", text: `${i}`.padEnd(1000) }])),
      );
      return statSync(logFile(at)).size;
    };
    expect((await size(200)) / (await size(100))).toBeLessThan(2.1);
  });
});
