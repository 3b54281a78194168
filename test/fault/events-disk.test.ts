import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { LogBody, LogEvent } from "../../src/events/event.ts";
import { LogError } from "../../src/events/log-error.ts";
import { type LogFs, systemFs } from "../../src/events/log-fs.ts";
import type { EventLog } from "../../src/events/log.ts";
import {
  finished,
  headFile,
  load,
  logFile,
  newLog,
  place,
  prompt,
  reopened,
  reply,
  toolUse,
  written,
} from "../support/event-log.ts";

const BODIES: LogBody[] = [
  prompt("do it"),
  { type: "mode.changed", mode: "auto", by: "person" },
  { type: "rule.added", rule: { action: "allow", text: "Bash(rm:*)", source: "session" } },
  reply([toolUse("t1", "Bash")]),
  finished("t1"),
];

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}

/** An outcome of a load: what was thrown, or what was read. */
async function tryLoad(at: ReturnType<typeof place>) {
  try {
    return { loaded: await load(at) };
  } catch (error) {
    return { error };
  }
}

describe("a damaged log", () => {
  it("E4: cut at any byte it loads what was whole and says so, or says file and why", async () => {
    const at = place();
    const all = await written(at, BODIES);
    const whole = readFileSync(logFile(at));
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(logFile(at), whole.subarray(0, length));
      const { loaded, error } = await tryLoad(at);
      if (error !== undefined) {
        expect(error).toBeInstanceOf(LogError);
        expect(messageOf(error)).toContain(logFile(at));
        expect(whole.subarray(0, length)).not.toContain(10);
        continue;
      }
      const n = loaded?.events.length ?? 0;
      expect(loaded?.events).toEqual(all.slice(0, n));
      const torn = whole[length - 1] !== 10;
      expect(loaded?.notices.some((notice) => notice.includes(`${logFile(at)}, line ${n + 1}`))).toBe(torn);
      // A torn last line explains the loss of one event, nothing explains more (E1).
      expect(loaded?.foreign === undefined).toBe(torn && n === all.length - 1);
    }
  });
  it("E4: cut at any byte behind what is durable, it goes on with nothing lost", async () => {
    const at = place();
    const log = await newLog(at, BODIES.slice(0, 2));
    await log.barrier();
    copyFileSync(headFile(at), `${headFile(at)}.early`);
    const durable = readFileSync(logFile(at)).length;
    for (const body of BODIES.slice(2)) await log.append(body);
    await log.close();
    const whole = readFileSync(logFile(at));
    for (let length = durable; length < whole.length; length += 3) {
      writeFileSync(logFile(at), whole.subarray(0, length));
      copyFileSync(`${headFile(at)}.early`, headFile(at));
      const again = await reopened(at);
      const kept = again.events.filter((e) => e.type !== "session.repaired");
      expect(kept).toEqual(log.events.slice(0, kept.length));
      expect(again.state.foreign).toBe(false);
      expect(again.events.length - kept.length).toBe(whole[length - 1] === 10 ? 0 : 1);
      await again.append({ type: "note.added", text: "on" });
      await again.close();
      expect((await load(at)).notices).toEqual([]);
    }
  });
  it("E1: with any byte flipped it is refused or foreign, never trusted", async () => {
    const at = place();
    const all = await written(at, BODIES);
    const whole = readFileSync(logFile(at));
    for (let i = 0; i < whole.length; i++) {
      const bytes = Buffer.from(whole);
      bytes[i] = (whole[i] ?? 0) ^ (i % 3 === 0 ? 128 : 1);
      writeFileSync(logFile(at), bytes);
      const { loaded, error } = await tryLoad(at);
      if (error !== undefined) {
        expect(error).toBeInstanceOf(LogError);
        expect(messageOf(error)).toContain(logFile(at));
      } else if (i === whole.length - 1) {
        // Without its line end the last line is a torn one.
        expect(loaded?.events).toEqual(all.slice(0, -1));
      } else {
        expect(loaded?.foreign).toContain(`${logFile(at)}, line `);
        expect(loaded?.state).toMatchObject({ foreign: true, mode: "ask", rules: [], trusted: false });
      }
    }
  });
  it("E1: with any byte of its head flipped, or without it, nothing of it is trusted", async () => {
    const at = place();
    await written(at, BODIES);
    const whole = readFileSync(headFile(at));
    for (let i = 0; i < whole.length; i += i < 500 ? 1 : 61) {
      const bytes = Buffer.from(whole);
      bytes[i] = (whole[i] ?? 0) ^ 1;
      writeFileSync(headFile(at), bytes);
      expect((await load(at)).foreign).toContain(headFile(at));
    }
  });
});

type Op = "open" | "write" | "datasync" | "syncFolder" | "truncate" | "rename" | "stat";

/** The machine's files, but the n-th call of one kind fails; with `short` the n-th write stops half-way and the one behind it fails. */
function failing(op: Op, n: number, code: string, short: boolean): { fs: LogFs; failed(): boolean } {
  let calls = 0;
  const fail = (): never => {
    throw Object.assign(new Error(`${code}: made to fail`), { code });
  };
  const check = (kind: Op): void => {
    if (kind === op && ++calls === n) fail();
  };
  const fs: LogFs = {
    ...systemFs,
    open: (...args) => (check("open"), systemFs.open(...args)),
    stat: (fd) => (check("stat"), systemFs.stat(fd)),
    truncate: (...args) => (check("truncate"), systemFs.truncate(...args)),
    rename: (...args) => (check("rename"), systemFs.rename(...args)),
    datasync: async (fd) => (check("datasync"), systemFs.datasync(fd)),
    syncFolder: async (path) => (check("syncFolder"), systemFs.syncFolder(path)),
    write: (fd, bytes, position) => {
      const half = op === "write" && short;
      if (!half) check("write");
      else if (++calls === n) return systemFs.write(fd, bytes.subarray(0, bytes.length >> 1), position);
      else if (calls === n + 1) fail();
      return systemFs.write(fd, bytes, position);
    },
  };
  return { fs, failed: () => calls >= n };
}

const LONG = "content ".repeat(20_000);

/** `said`: whether each step went well, in order. */
async function run(log: EventLog): Promise<{ kept: LogEvent[]; errors: unknown[]; said: boolean[] }> {
  const kept: LogEvent[] = [];
  const errors: unknown[] = [];
  const steps: (() => Promise<void>)[] = [
    ...[...BODIES, { type: "note.added" as const, text: LONG }, { type: "note.added" as const, text: "last" }].map(
      (body) => async () => void kept.push(await log.append(body)),
    ),
    () => log.barrier(),
    () => log.close(),
  ];
  const said: boolean[] = [];
  for (const step of steps) {
    const before = errors.length;
    await step().catch((error: unknown) => errors.push(error));
    said.push(errors.length === before);
  }
  return { kept, errors, said };
}

describe("a failing disk", () => {
  it.each<[Op, string, boolean]>([
    ["open", "EROFS", false],
    ["open", "EMFILE", false],
    ["write", "ENOSPC", false],
    ["write", "ENOSPC", true],
    ["datasync", "EIO", false],
    ["syncFolder", "EIO", false],
    ["truncate", "EIO", false],
    ["rename", "EDQUOT", false],
    ["stat", "EIO", false],
  ])(
    "E4: the n-th %s fails with %s (half-way: %s): said with file and cause, nothing kept is lost, no hole",
    async (op, code, short) => {
      let n = 1;
      for (; n < 60; n++) {
        const at = place();
        const disk = failing(op, n, code, short);
        let log: EventLog;
        try {
          log = await newLog(at, [], disk.fs);
        } catch (error) {
          expect(error).toBeInstanceOf(LogError);
          expect(messageOf(error)).toContain(at.sessionsDir);
          expect(messageOf(error)).toContain(code);
          continue;
        }
        const opening = log.events.slice(0, 1);
        const { kept, errors, said } = await run(log);
        const loaded = await load(at);
        expect(loaded.foreign).toBeUndefined();
        const seqs = loaded.events.map((e) => e.seq);
        expect(seqs).toEqual(seqs.map((_, i) => i + 1));
        expect(loaded.events.slice(0, kept.length + 1)).toEqual([...opening, ...kept]);
        if (!disk.failed()) {
          expect(errors).toEqual([]);
          break;
        }
        expect(errors).not.toEqual([]);
        for (const error of errors) {
          expect(error).toMatchObject({ name: "LogError", code: "write" });
          expect(messageOf(error)).toContain(logFile(at));
          expect(messageOf(error)).toContain(code);
        }
        // Once it failed, everything behind it was refused.
        expect(said.lastIndexOf(true)).toBeLessThan(said.indexOf(false));
        expect(loaded.torn).toBe(0);
        const again = await reopened(at);
        await again.append({ type: "note.added", text: "mended" });
        await again.close();
        expect((await load(at)).state.foreign).toBe(false);
      }
      expect(n).toBeLessThan(60);
    },
  );
});
