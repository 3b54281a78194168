import { chmodSync, cpSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { contentStore } from "../../../src/events/content.ts";
import { decodeLine } from "../../../src/events/line.ts";
import { FORMAT, upgraded, type Upgrade, UPGRADES } from "../../../src/events/migrate.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { listSessions } from "../../../src/events/sessions.ts";
import { apiBreaches } from "../../support/api-rules.ts";
import { load, place, type Place, prompt, reopened } from "../../support/event-log.ts";

const LOGS = resolve(import.meta.dirname, "../../../fixtures/logs");
/** Logs as programs of their time wrote them, with the key of the tests. */
const FIXTURES = readdirSync(LOGS).toSorted();

/** A fixture in a state folder of its own. */
function fixture(name: string): Place {
  const at = place();
  cpSync(join(LOGS, name, "sessions"), at.sessionsDir, { recursive: true });
  cpSync(join(LOGS, name, "content"), at.contentDir, { recursive: true });
  // A clone's files have the modes that the person's umask gives.
  for (const dir of [at.sessionsDir, at.contentDir])
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }))
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  const [entry] = listSessions(at.sessionsDir);
  return { ...at, sessionId: entry?.id ?? expect.fail(`${name} holds no session`) };
}

describe("upgraded", () => {
  const steps = new Map<number, Upgrade>([
    [1, (body) => ({ ...body, name: body["title"], title: undefined })],
    [2, (body) => ({ ...body, name: `${String(body["name"])}!` })],
  ]);
  it("E4: a line goes through every step from its version to the newest", () => {
    expect(upgraded(1, { title: "a" }, steps, 3)).toEqual({ name: "a!", title: undefined });
    expect(upgraded(2, { name: "a" }, steps, 3)).toEqual({ name: "a!" });
    expect(upgraded(3, { name: "a" }, steps, 3)).toEqual({ name: "a" });
  });
  it("E4: a version that nothing leads on from is none of ours", () => {
    for (const v of [0, -1, 0.5, NaN]) {
      if (Number.isInteger(v)) expect(upgraded(v, {}, steps, 3)).toBeUndefined();
      const line = Buffer.from(JSON.stringify({ ...prompt("p"), v, seq: 1, at: "x" }));
      expect(decodeLine(line, contentStore("/nowhere"))).toMatchObject({ ok: false });
    }
  });
  it("E4: every version has a fixture, and every older one a step", () => {
    for (let v = 1; v <= FORMAT; v++) {
      expect(FIXTURES.some((name) => name.startsWith(`v${v}-`))).toBe(true);
      expect(v === FORMAT || UPGRADES.has(v)).toBe(true);
    }
  });
});

describe.each(FIXTURES)("a log as it was written then: %s", (name) => {
  it("E4: loads whole, trusted, as a request that the API takes", async () => {
    const at = fixture(name);
    const loaded = await load(at);
    expect(loaded.notices).toEqual([]);
    expect(loaded.state).toMatchObject({ foreign: false, folder: "/tmp/project" });
    const next = { role: "user" as const, content: [{ type: "text" as const, text: "and now?" }] };
    const messages = [...toMessages(loaded.state), next];
    expect(JSON.stringify(messages)).toMatch(/do it|the first words\u2028of it/);
    expect(apiBreaches(messages, { wrapped: true })).toEqual([]);
    expect(loaded.state.calls.size).toBeGreaterThan(0);
    for (const call of loaded.state.calls.values()) expect(call.result).toBeDefined();
  });
  it("E4: is gone on with in the newest version, no byte of it rewritten", async () => {
    const at = fixture(name);
    const before = (await load(at)).events.length;
    const log = await reopened(at);
    await log.append(prompt("and now?"));
    await log.close();
    const loaded = await load(at);
    expect(loaded).toMatchObject({ notices: [], state: { foreign: false } });
    expect(loaded.events).toHaveLength(before + 1);
  });
});

it("E4: what the oldest program kept is back: mode, rules, todos, name, shell, an image, a long call", async () => {
  const { state } = await load(fixture("v1-oldest"));
  expect(state).toMatchObject({
    mode: "plan",
    rules: [{ text: "Bash(ls)" }],
    todos: [{ text: "t" }],
    name: "the oldest",
    shell: { cwd: "/tmp/project/sub", env: { A: "1" } },
    steps: [{ operationId: "op_1", status: "landed" }],
  });
  expect(state.calls.get("t1")?.input["content"]).toHaveLength(70_000);
});
