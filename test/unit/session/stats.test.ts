import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { statsLines } from "../../../src/cli/stats.ts";
import { statsOf } from "../../../src/session/stats.ts";
import { scratch } from "../../support/scratch.ts";

const usage = (input: number) => ({ input, output: 10, cacheRead: 0, cacheWrite: 0 });
const line = (seq: number, at: string, body: object) => `${JSON.stringify({ v: 1, seq, at, ...body, mac: "" })}\n`;
const opened = (folder: string, more: object = {}) =>
  line(1, "2026-11-01T00:00:00Z", { type: "session.opened", folder, model: "m", ...more });
const reply = (seq: number, at: string, input: number, model = "m") =>
  line(seq, at, { type: "reply.completed", turn: 1, model, usage: usage(input) });

it("U6: agent stats sums up days, models and folders out of the logs; a fork counts once, sub-agents with their folder", async () => {
  const dir = scratch("stats");
  const write = (name: string, ...lines: string[]) => writeFileSync(join(dir, name), lines.join(""));
  write("s1.jsonl", opened("/a"), reply(2, "2026-11-02T08:00:00Z", 100), reply(3, "2026-11-04T08:00:00Z", 200, "n"));
  write("s1-a1.jsonl", opened("/a"), reply(2, "2026-11-02T09:00:00Z", 50));
  write(
    "s2.jsonl",
    opened("/b", { forkedFrom: { seq: 2 } }),
    reply(2, "2026-11-02T08:00:00Z", 100),
    reply(3, "2026-11-02T10:00:00Z", 1),
    "torn {",
  );
  write("s3.jsonl", opened("/c"), reply(2, "2026-10-31T08:00:00Z", 999));
  const prices = { m: { input: 1e6, output: 0, cacheRead: 0, cacheWrite: 0 } };
  const at = { since: "2026-11-01", dayOf: (time: string) => time.slice(0, 10) };
  const stats = await statsOf(dir, prices, at);
  expect(stats.days.map(({ name, usage: u, sessions }) => [name, u.input, sessions])).toEqual([
    ["2026-11-02", 151, 2],
    ["2026-11-03", 0, 0],
    ["2026-11-04", 200, 1],
  ]);
  expect(stats.models.map(({ name, replies, usd }) => [name, replies, usd])).toEqual([
    ["n", 1, undefined],
    ["m", 3, 151],
  ]);
  expect(stats.folders.map(({ name, usage: u }) => [name, u.input])).toEqual([
    ["/a", 350],
    ["/b", 1],
  ]);
  const rows = statsLines(stats, { since: at.since, width: 60 });
  expect(rows[0]).toBe("Since 2026-11-01: 2 sessions, 4 replies, 391 tokens, no price");
  expect(rows.filter((row) => row.includes("█")).length).toBeGreaterThan(4);
  expect(Math.max(...rows.slice(1).map((row) => row.length))).toBeLessThanOrEqual(60);
  const none = await statsOf(dir, prices, { ...at, since: "2027-01-01" });
  expect(statsLines(none, { since: "2027-01-01", width: 60 })).toEqual(["No reply of a model since 2027-01-01."]);
});
