import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { loadLog } from "../../../src/events/load.ts";
import { openLog } from "../../../src/events/open-log.ts";
import { systemFs, type LogFs } from "../../../src/events/log-fs.ts";
import { listSessions } from "../../../src/events/sessions.ts";
import { systemClock } from "../../../src/util/system.ts";
import { deep } from "../../support/deep.ts";
import { longSession } from "../../support/long-log.ts";
import { collect, openAt, place } from "../../support/session.ts";
import { emptyStore, logAt, stored } from "../../support/stored-sessions.ts";

function sizeOf(dir: string): number {
  const files = readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(dir, name)));
  return files.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

/** The state folder after so many turns, each a command with 1 KB of output that streams. */
async function sizeAfter(turns: number): Promise<number> {
  const at = place("size");
  const pause = deep(0, 0.05);
  const command = (n: number) =>
    `echo ${n}; for i in $(seq 20); do head -c 51 /dev/zero | tr '\\0' x; sleep ${pause}; done`;
  const call = (_: unknown, n: number) => ({ calls: [{ name: "Bash", input: { command: command(n) } }] });
  const session = await openAt(at, {
    script: { turns: [...Array.from({ length: turns }, call), { text: "done" }] },
    limits: { turns: turns + 1 },
  });
  const { result } = await collect(session.submit([text("go")], new AbortController().signal));
  expect(result.reason).toBe("done");
  await session.close();
  return sizeOf(at.state);
}

describe("stored sessions", () => {
  it("ses-linear-size: twice the turns are twice the bytes", { timeout: 600_000 }, async () => {
    const n = deep(8, 100);
    const [one, two] = [await sizeAfter(n), await sizeAfter(2 * n)];
    expect(two / one).toBeLessThan(2.3);
    // 3 MB for 200 turns.
    expect(two).toBeLessThan((3e6 / 200) * 2 * n);
  });
  it("E2, E4: the work to load grows with the events, not faster: every byte is read once, no line is checked again", async () => {
    const at = place("long");
    const counts = [];
    for (const n of [4000, deep(20_000, 100_000)]) {
      const log = await longSession(at, n, `long-${n}`);
      const loaded = await loadLog(log);
      expect(loaded).toMatchObject({ notices: [], state: { foreign: false } });
      expect(loaded.events.length).toBeGreaterThanOrEqual(n);
      counts.push(loaded.checked);
    }
    expect(counts).toEqual([0, 0]);
  });
  it("E4: a clock that goes back changes the order of nothing", async () => {
    const store = emptyStore();
    let now = Date.parse("2026-05-01T12:00:00Z");
    const clock = { ...systemClock, now: () => (now -= 3_600_000) };
    await stored(store, "ses_a", ["one", "two", "three"], [], { clock });
    const loaded = await loadLog(logAt(store, "ses_a"));
    expect(loaded).toMatchObject({ notices: [], state: { prompts: 3, foreign: false } });
    expect(loaded.state.items.flatMap((i) => (i.kind === "prompt" ? i.content : []))).toMatchObject([
      { text: "one" },
      { text: "two" },
      { text: "three" },
    ]);
    expect(listSessions(store.sessions)[0]?.prompts).toBe(3);
  });
  it("E4: a newer program's session is listed, and refused with what to do; no byte of it changes", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", ["one"]);
    const file = join(store.sessions, "ses_a.jsonl");
    const line = `{"v":2,"seq":3,"kind":"of another form"}\n`;
    writeFileSync(file, line, { flag: "a" });
    const size = statSync(file).size;
    expect(listSessions(store.sessions)).toMatchObject([{ id: "ses_a", title: "one" }]);
    const open = openLog({ ...logAt(store, "ses_a"), clock: systemClock, create: false });
    await expect(open).rejects.toThrow(
      /line 3: it has format version 2, this program knows version 1\. .*use that one, or update/,
    );
    expect(statSync(file).size).toBe(size);
    expect(existsSync(`${file.slice(0, -6)}.lock`)).toBe(false);
  });
  it("E4: a state that can't be written is said before anything is asked of a model", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", ["one"]);
    const refused: LogFs = {
      ...systemFs,
      open: (path, flags, mode) => {
        if ((flags & 3) !== 0) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
        return systemFs.open(path, flags, mode);
      },
    };
    const open = openLog({ ...logAt(store, "ses_a"), clock: systemClock, create: false, fs: refused });
    await expect(open).rejects.toThrow(
      /Can't write .*ses_a\.jsonl: the file system is read-only \(EROFS\)\. Nothing runs without its log: .*XDG_STATE_HOME/,
    );
    const create = openLog({ ...logAt(store, "ses_b"), clock: systemClock, create: true, fs: refused });
    await expect(create).rejects.toThrow(/the file system is read-only \(EROFS\)/);
    expect((await loadLog(logAt(store, "ses_a"))).state.prompts).toBe(1);
  });
});
