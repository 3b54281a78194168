import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { freeContent } from "../../../src/events/content-gc.ts";
import { loadLog } from "../../../src/events/load.ts";
import { openLog } from "../../../src/events/open-log.ts";
import { deleteSession } from "../../../src/session/delete.ts";
import { renameSession, sessionName } from "../../../src/session/rename.ts";
import { searchSessions } from "../../../src/session/index-search.ts";
import { listSessions } from "../../../src/events/sessions.ts";
import { openStore } from "../../../src/session/store.ts";
import { systemClock } from "../../../src/util/system.ts";
import { filesBelow, prompt } from "../../support/event-log.ts";
import { collect, openAt, place } from "../../support/session.ts";
import { emptyStore, logAt, stored } from "../../support/stored-sessions.ts";

const HOUR = 3_600_000;
const LONG = "a long text ".repeat(10_000);
/** As if an hour had gone by. */
const nextHour = { ...systemClock, now: () => systemClock.now() + HOUR };

describe("deleteSession", () => {
  it("E2: nothing of it stays: log, head, home, results, words, content of its own; others keep theirs", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", [LONG, `${LONG} mine`]);
    await stored(store, "ses_b", [LONG]);
    await searchSessions(store, "mine", listSessions(store.sessions));
    for (const dir of [join(store.sessions, "ses_a.home/.cache"), join(store.results, "ses_a")]) {
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, "x"), "x");
    }
    const { freed } = await deleteSession("ses_a", { store, clock: nextHour, force: false });
    expect(freed).toEqual({ files: 1, bytes: LONG.length + 5 });
    expect(filesBelow(store.state).filter((f) => f.includes("ses_a"))).toEqual([]);
    expect(readFileSync(join(store.state, "index.sqlite")).includes("ses_a")).toBe(false);
    expect(await loadLog(logAt(store, "ses_b"))).toMatchObject({ notices: [], state: { prompts: 1 } });
  });
  it("E2: one that is open is not deleted, and who holds it is said", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", ["one"]);
    const log = await openLog({ ...logAt(store, "ses_a"), clock: systemClock, create: false });
    const run = deleteSession("ses_a", { store, clock: systemClock, force: true });
    await expect(run).rejects.toThrow(`ses_a is open in process ${process.pid}`);
    await log.append(prompt("two"));
    await log.close();
    expect((await loadLog(logAt(store, "ses_a"))).state.prompts).toBe(2);
  });
  it("E2, W6: what waits for a review is lost only by force", async () => {
    const at = place("delete");
    const script = {
      turns: [{ calls: [{ name: "Write", input: { file_path: "b.txt", content: "b" } }] }, { text: "done" }],
    };
    const session = await openAt(at, { script, more: { rehearse: true } });
    await collect(session.submit([text("go")], new AbortController().signal));
    const { id } = session;
    await session.close();
    const store = openStore(at);
    const steps = (): string[] => filesBelow(store.folders).filter((f) => f.includes("/steps/"));
    expect(steps().length).toBeGreaterThan(0);
    await expect(deleteSession(id, { store, clock: systemClock, force: false })).rejects.toThrow(
      /has changes pending \(1 file\) that would be lost: agent review .*--force/,
    );
    expect(listSessions(store.sessions)).toHaveLength(1);
    await deleteSession(id, { store, clock: systemClock, force: true });
    expect(listSessions(store.sessions)).toEqual([]);
    expect(steps()).toEqual([]);
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
  });
  it("E2: one that can't be read is deleted only by force", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", ["one"]);
    writeFileSync(join(store.sessions, "ses_a.jsonl"), '{"v":9}\n');
    await expect(deleteSession("ses_a", { store, clock: systemClock, force: false })).rejects.toThrow(
      /format version 9.*can't be known; --force/,
    );
    await deleteSession("ses_a", { store, clock: systemClock, force: true });
    expect(listSessions(store.sessions)).toEqual([]);
  });
});

describe("freeContent", () => {
  it("E2: leaves what is young, what a run or an unfinished copy names, and frees what was left half written", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", [LONG]);
    const [sub = ""] = readdirSync(store.content);
    const half = join(store.content, sub, ".new-0123456789abcdef");
    writeFileSync(half, "half");
    const dirs = [store.sessions, join(store.state, "runs")];
    expect(await freeContent(store.content, dirs, Date.now())).toEqual({ files: 0, bytes: 0 });
    expect(await freeContent(store.content, dirs, Date.now() + HOUR)).toEqual({ files: 1, bytes: 4 });
    const named = readdirSync(join(store.content, sub));
    mkdirSync(join(store.state, "runs"));
    writeFileSync(join(store.state, "runs", "undo-1.jsonl"), readFileSync(join(store.sessions, "ses_a.jsonl")), {
      mode: 0o600,
    });
    writeFileSync(join(store.sessions, "ses_a.jsonl"), "");
    expect(await freeContent(store.content, dirs, Date.now() + HOUR)).toEqual({ files: 0, bytes: 0 });
    expect(readdirSync(join(store.content, sub))).toEqual(named);
  });
  it("E2: frees nothing while a newer program's log may name it", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", [LONG]);
    writeFileSync(join(store.sessions, "ses_a.jsonl"), '{"v":2,"kind":"of another form"}\n');
    expect(await freeContent(store.content, [store.sessions], Date.now() + HOUR)).toBeUndefined();
    expect(readdirSync(store.content)).toHaveLength(1);
  });
  it("E2: content that is put again is young again", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", [LONG]);
    const [sub = ""] = readdirSync(store.content);
    const [name = ""] = readdirSync(join(store.content, sub));
    utimesSync(join(store.content, sub, name), 1, 1);
    await stored(store, "ses_b", [LONG]);
    for (const id of ["ses_a", "ses_b"]) writeFileSync(join(store.sessions, `${id}.jsonl`), "");
    expect(await freeContent(store.content, [store.sessions], Date.now())).toEqual({ files: 0, bytes: 0 });
  });
});

describe("names", () => {
  it("E2: a name is one session's: neither another's name nor its id", async () => {
    const store = emptyStore();
    await stored(store, "ses_a", ["one"]);
    await stored(store, "ses_b", ["two"]);
    const how = { store, clock: systemClock };
    expect(await renameSession("ses_a", "  my\nweek ", how)).toBe("my week");
    expect((await loadLog(logAt(store, "ses_a"))).state.name).toBe("my week");
    await expect(renameSession("ses_b", "my week", how)).rejects.toThrow(/my week is session ses_a \(in \/p\)/);
    await expect(renameSession("ses_b", "ses_a", how)).rejects.toThrow(/ses_a is session ses_a/);
    expect(await renameSession("ses_a", "my week", how)).toBe("my week");
    for (const bad of ["", " \n", "x".repeat(101), "a\u001b[2Jb", "a\u202eb"])
      expect(() => sessionName(bad, store.sessions, "ses_a")).toThrow(/a name/);
  });
});
