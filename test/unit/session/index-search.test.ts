import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openLog } from "../../../src/events/open-log.ts";
import { listSessions } from "../../../src/events/sessions.ts";
import { forget, promptWords, reindex, searchSessions } from "../../../src/session/index-search.ts";
import type { Store } from "../../../src/session/store.ts";
import { systemClock } from "../../../src/util/system.ts";
import { prompt } from "../../support/event-log.ts";
import { emptyStore, logAt, stored } from "../../support/stored-sessions.ts";

const fileOf = (store: Store): string => join(store.state, "index.sqlite");
async function found(store: Store, query: string): Promise<string[]> {
  return (await searchSessions(store, query, listSessions(store.sessions))).map((s) => s.id).toSorted();
}
const later = { clock: systemClock, ms: 60_000 };

async function three(): Promise<Store> {
  const store = emptyStore();
  await stored(store, "ses_a", ["Mend the parser", "and now Grüße an die TÄNZER"], [], { folder: "/home/x/docs" });
  await stored(
    store,
    "ses_b",
    ["write a test", `${"long ".repeat(30_000)}needle`],
    [{ type: "session.named", name: "weekly" }],
  );
  await stored(store, "ses_c", ["第二天的报告 x\u2028y"]);
  return store;
}

describe("session index", () => {
  it("E2: finds by what was written, by title, name, folder and id, each word anywhere, any case", async () => {
    const store = await three();
    expect(await found(store, "PARSER")).toEqual(["ses_a"]);
    expect(await found(store, "parser tänzer")).toEqual(["ses_a"]);
    expect(await found(store, "parser test")).toEqual([]);
    expect(await found(store, "weekly")).toEqual(["ses_b"]);
    expect(await found(store, "docs")).toEqual(["ses_a"]);
    // Beyond the first 20,000 signs of a prompt nothing is searched.
    expect(await found(store, "needle")).toEqual([]);
    expect(await found(store, "ses_ t")).toEqual(["ses_a", "ses_b"]);
    expect(await found(store, "报告")).toEqual(["ses_c"]);
    expect(await found(store, '"; DROP TABLE prompt; -- OR NEAR(*')).toEqual([]);
    const [hit] = await searchSessions(store, "tänzer", listSessions(store.sessions));
    expect(hit?.words).toBe("and now Grüße an die TÄNZER");
  });
  it("E2: is private, and brought up to date by what logs have more", async () => {
    const store = await three();
    expect(await found(store, "zebra")).toEqual([]);
    expect(statSync(fileOf(store)).mode & 0o777).toBe(0o600);
    const log = await openLog({ ...logAt(store, "ses_c"), clock: systemClock, create: false });
    await log.append(prompt("a zebra"));
    await log.close();
    expect(await found(store, "zebra")).toEqual(["ses_c"]);
    expect(await found(store, "报告")).toEqual(["ses_c"]);
    const words = await promptWords(store, listSessions(store.sessions), later);
    expect(words.get("ses_c")).toContain("zebra");
    expect(words.get("ses_b")?.length).toBeLessThanOrEqual(2000);
  });
  it.each<[string, (file: string) => void]>([
    ["deleted", (file) => rmSync(file)],
    ["no database", (file) => writeFileSync(file, "not a database, but long enough to be looked at".repeat(100))],
    ["cut short", (file) => writeFileSync(file, readFileSync(file).subarray(0, 5000))],
    ["overwritten in the middle", (file) => writeFileSync(file, readFileSync(file).fill(0x41, 4096, 12_000))],
    ["of another version", (file) => new DatabaseSync(file).exec("PRAGMA user_version = 99")],
    ["without its tables", (file) => new DatabaseSync(file).exec("DROP TABLE prompt")],
    ["a folder", (file) => (rmSync(file), mkdirSync(file))],
  ])("E2: an index that is %s is made anew from the logs", async (_, damage) => {
    const store = await three();
    expect(await found(store, "parser")).toEqual(["ses_a"]);
    damage(fileOf(store));
    expect(await found(store, "parser")).toEqual(["ses_a"]);
    expect(statSync(fileOf(store)).isFile()).toBe(true);
  });
  it("E2: while another process holds it, the logs themselves are searched", async () => {
    const store = await three();
    await found(store, "parser");
    const log = await openLog({ ...logAt(store, "ses_c"), clock: systemClock, create: false });
    await log.append(prompt("a zebra"));
    await log.close();
    const other = new DatabaseSync(fileOf(store));
    other.exec("BEGIN EXCLUSIVE");
    expect(await found(store, "zebra")).toEqual(["ses_c"]);
    expect(await promptWords(store, listSessions(store.sessions), later)).toEqual(new Map());
    other.exec("ROLLBACK");
    other.close();
    expect(await found(store, "zebra")).toEqual(["ses_c"]);
  });
  it("E2: where it can't be written, the logs themselves are searched", async () => {
    const store = await three();
    const nowhere = { ...store, state: "/proc/self/fdinfo" };
    expect(await found(nowhere, "parser")).toEqual(["ses_a"]);
  });
  it("E2: a deleted session leaves no word in it", async () => {
    const store = await three();
    await found(store, "parser");
    rmSync(join(store.sessions, "ses_a.jsonl"));
    await forget(store, "ses_a");
    expect(readFileSync(fileOf(store)).includes("Mend the parser")).toBe(false);
    expect(readFileSync(fileOf(store)).includes("write a test")).toBe(true);
  });
  it("E2: is made anew on request", async () => {
    const store = await three();
    expect(await reindex(store)).toBe(3);
    expect(existsSync(fileOf(store))).toBe(true);
    expect(await reindex({ ...store, state: "/proc/self/fdinfo" })).toBeUndefined();
  });
});
