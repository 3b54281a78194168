import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LogBody } from "../../../src/events/event.ts";
import { openLog } from "../../../src/events/open-log.ts";
import { findSession, listSessions } from "../../../src/events/sessions.ts";
import type { Clock } from "../../../src/util/deps.ts";
import { headFile, logFile, newLog, OPENED, place, type Place, prompt } from "../../support/event-log.ts";

/** A clock that stands still. */
const at = (iso: string): Clock => ({ now: () => Date.parse(iso), sleep: () => Promise.resolve() });

async function session(base: Place, id: string, time: string, bodies: LogBody[] = [], folder = "/p"): Promise<Place> {
  const here = { ...base, sessionId: id, clock: at(time) };
  const log = await openLog({ ...here, create: true });
  await log.append({ ...OPENED, sessionId: id, folder });
  for (const body of bodies) await log.append(body);
  await log.close();
  return here;
}

describe("listSessions", () => {
  it("E2: tells name, folder, title, prompts, times, size and model, newest first", async () => {
    const base = place();
    await session(base, "ses_old", "2026-01-01T10:00:00Z", [
      prompt("\n  fix the bug \nin a.ts"),
      prompt("more", "steer"),
      prompt("again"),
    ]);
    await session(base, "ses_new", "2026-01-03T10:00:00Z", [
      { type: "session.named", name: "docs" },
      { type: "model.changed", model: "m2" },
    ]);
    await session(base, "ses_mid", "2026-01-02T10:00:00Z", [prompt("\u{1F600}".repeat(300))], "/q");
    const list = listSessions(base.sessionsDir);
    expect(list.map((e) => e.id)).toEqual(["ses_new", "ses_mid", "ses_old"]);
    expect(list[0]).toMatchObject({ name: "docs", model: "m2", title: "", prompts: 0 });
    expect(list[1]?.title).toBe("\u{1F600}".repeat(100));
    expect(list[2]).toEqual({
      id: "ses_old",
      folder: "/p",
      title: "fix the bug",
      prompts: 2,
      model: "m",
      startedAt: "2026-01-01T10:00:00.000Z",
      lastAt: "2026-01-01T10:00:00.000Z",
      size: readFileSync(logFile({ ...base, sessionId: "ses_old" })).length,
    });
    expect(listSessions(base.sessionsDir, "/q").map((e) => e.id)).toEqual(["ses_mid"]);
  });
  it("E2: a running session is listed as far as it is durable", async () => {
    const base = place();
    const log = await newLog(base, [prompt("one")]);
    await log.barrier();
    expect(listSessions(base.sessionsDir)).toMatchObject([{ title: "one", prompts: 1 }]);
    await log.close();
  });
  it("E4: damaged sessions are listed as well as can be, and disturb no other", async () => {
    const base = place();
    await session(base, "ses_good", "2026-01-01T10:00:00Z", [prompt("good")]);
    const noHead = await session(base, "ses_nohead", "2026-01-01T10:00:00Z", [prompt("headless\nx")]);
    rmSync(headFile(noHead));
    const rubbish = await session(base, "ses_rubbish", "2026-01-01T10:00:00Z");
    writeFileSync(headFile(rubbish), "rubbish");
    writeFileSync(logFile(rubbish), "rubbish\n{}\n");
    const huge = await session(base, "ses_huge", "2026-01-01T10:00:00Z", [prompt("huge")]);
    truncateSync(headFile(huge), 0);
    truncateSync(logFile(huge), 3_000_000_000);
    writeFileSync(join(base.sessionsDir, "ses_empty.jsonl"), "");
    mkdirSync(join(base.sessionsDir, "ses_folder.jsonl"));
    symlinkSync("/etc/passwd", join(base.sessionsDir, "ses_link.jsonl"));
    const list = new Map(listSessions(base.sessionsDir).map((e) => [e.id, e]));
    expect([...list.keys()].toSorted()).toEqual(["ses_good", "ses_huge", "ses_nohead", "ses_rubbish"]);
    expect(list.get("ses_nohead")).toMatchObject({ title: "headless", folder: "/p", model: "m" });
    expect(list.get("ses_nohead")).not.toHaveProperty("prompts");
    expect(list.get("ses_huge")).toMatchObject({ title: "huge", size: 3_000_000_000 });
    expect(list.get("ses_rubbish")).toMatchObject({ title: "", folder: "" });
  });
  it("E2: a folder with a name longer than a head's page is known all the same", async () => {
    const base = place();
    const folder = `/${"long/".repeat(900)}`;
    const here = await session(base, "ses_a", "2026-01-01T10:00:00Z", [prompt("deep")], folder);
    expect(readFileSync(headFile(here)).length).toBe(4096);
    expect(listSessions(base.sessionsDir, folder)).toMatchObject([{ title: "deep" }]);
    const log = await openLog({ ...here, create: false });
    expect(log.state.foreign).toBe(false);
    await log.close();
  });
  it("is empty where there are none", () => {
    expect(listSessions("/nowhere")).toEqual([]);
  });
});

describe("findSession", () => {
  it("E2: by id, by name, by the beginning of an id, else it says what there is", async () => {
    const base = place();
    await session(base, "ses_abc", "2026-01-01T10:00:00Z", [{ type: "session.named", name: "docs" }]);
    await session(base, "ses_abd", "2026-01-01T10:00:00Z", [{ type: "session.named", name: "ses_abc" }]);
    const find = (wanted: string) => findSession(base.sessionsDir, wanted).id;
    expect([find("ses_abc"), find("docs"), find("ses_abd"), find("abd")]).toEqual([
      "ses_abc",
      "ses_abc",
      "ses_abd",
      "ses_abd",
    ]);
    await session(base, "ses_xyz", "2026-01-01T10:00:00Z", [{ type: "session.named", name: "docs" }]);
    expect(() => find("docs")).toThrow(/"docs" may be ses_abc, ses_xyz/);
    expect(() => find("ab")).toThrow(/may be ses_abc, ses_abd/);
    expect(() => find("zzz")).toThrow(/no session "zzz"/);
    expect(() => find("")).toThrow(/no session/);
    expect(() => find("../x")).toThrow(/no session/);
  });
});
