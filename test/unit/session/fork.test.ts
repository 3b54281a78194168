import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { loadKey } from "../../../src/events/key.ts";
import { loadLog } from "../../../src/events/load.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { openLog } from "../../../src/events/open-log.ts";
import type { OpenOptions } from "../../../src/session/options.ts";
import type { Session } from "../../../src/session/session.ts";
import { openStore } from "../../../src/session/store.ts";
import { systemClock } from "../../../src/util/system.ts";
import { apiBreaches } from "../../support/api-rules.ts";
import { answers, collect, openAt, place, type Place, type ScriptInput } from "../../support/session.ts";

const SCRIPT: ScriptInput = {
  turns: [
    { text: "I look.", calls: [{ name: "Read", input: { file_path: "a.txt" }, id: "r1" }] },
    { calls: [{ name: "Write", input: { file_path: "b.txt", content: "b\n" }, id: "w1" }] },
    { text: "First answer.", usage: { input: 1000, output: 10 } },
    { text: "Second answer.", usage: { input: 2000, output: 10 } },
    { text: "Third answer." },
  ],
};

function storeOf(at: Place) {
  return openStore({ config: at.config, state: at.state });
}
/** Two messages; the first reads a file and writes one. */
async function parent(at: Place, more: Partial<OpenOptions> = {}): Promise<Session> {
  writeFileSync(join(at.folder, "a.txt"), "one\n");
  const session = await openAt(at, { script: SCRIPT, asker: answers("yes", "yes"), more });
  await collect(session.submit([text("the first")], new AbortController().signal));
  await collect(session.submit([text("the second")], new AbortController().signal));
  return session;
}
function fork(at: Place, of: string, before?: number, more: Partial<OpenOptions> = {}): Promise<Session> {
  const where = before === undefined ? {} : { before };
  return openAt(at, { script: SCRIPT, asker: answers("yes"), more: { resume: of, fork: where, ...more } });
}
function talk(session: Session): string {
  return JSON.stringify(toMessages(session.state()));
}
async function logOf(at: Place, sessionId: string) {
  const store = storeOf(at);
  return loadLog({ sessionsDir: store.sessions, contentDir: store.content, sessionId, key: loadKey(store.key) });
}

describe("fork", () => {
  it("E2: a copy of a session that is open, with its own id and chain; both go on apart", async () => {
    const at = place("fork");
    const old = await parent(at);
    const copy = await fork(at, old.id);
    expect(copy.id).not.toBe(old.id);
    expect(talk(copy)).toBe(talk(old));
    expect(copy.notices.join("\n")).toContain(`A copy of session ${old.id} (its last message here: "the second")`);
    await collect(copy.submit([text("only here")], new AbortController().signal));
    expect(talk(copy)).toContain("Third answer.");
    expect(talk(old)).not.toContain("only here");
    const loaded = await logOf(at, copy.id);
    expect(loaded).toMatchObject({ notices: [], state: { foreign: false, forkedFrom: { sessionId: old.id } } });
    // Every fact has the number that it has there: later facts name others by it.
    const taken = old.state().seq;
    expect(loaded.events.slice(1, taken).map((e) => e.seq)).toEqual([...Array(taken - 1).keys()].map((n) => n + 2));
    const prompts = (s: Session) => s.state().items.flatMap((i) => (i.kind === "prompt" ? [i.seq] : []));
    expect(prompts(copy).slice(0, 2)).toEqual(prompts(old));
    expect(copy.notices.join()).not.toContain("A copy of session");
    await Promise.all([old.close(), copy.close()]);
  });
  it("E2 M2: how the model was chosen to think is taken over", async () => {
    const at = place("fork");
    const old = await parent(at);
    await old.setEffort("high");
    const copy = await fork(at, old.id);
    expect(copy.state().effort).toBe("high");
    await Promise.all([old.close(), copy.close()]);
  });
  it("E2: what was spent is the other's; what is in the context is this one's too", async () => {
    const at = place("fork");
    const old = await parent(at);
    const copy = await fork(at, old.id);
    expect(old.state().usage.get("scripted")?.replies).toBe(4);
    expect(copy.state().usage).toEqual(new Map());
    expect(old.cost().models[0]?.replies).toBe(4);
    expect(copy.cost()).toMatchObject({ models: [], turns: [], tools: [] });
    expect(copy.state().contextTokens).toBe(2010);
    await Promise.all([old.close(), copy.close()]);
  });
  it("E2: from before a message, with a word on what the folder became since", async () => {
    const at = place("fork");
    const old = await parent(at);
    const [first, second] = old.rewindPoints();
    const late = await fork(at, old.id, second?.to);
    expect(talk(late)).toContain("First answer.");
    expect(talk(late)).not.toContain("the second");
    const early = await fork(at, old.id, first?.to);
    expect(early.rewindPoints()).toEqual([]);
    expect(talk(early)).toMatch(/changed after this point of the conversation, and are so in the folder: b\.txt/);
    await expect(fork(at, old.id, 2)).rejects.toThrow(/there is no message 2 in session .* to fork before/);
    await Promise.all([old.close(), late.close(), early.close()]);
  });
  it("E2, W8: the other's steps are undone there, not here", async () => {
    const at = place("fork");
    const old = await parent(at);
    const copy = await fork(at, old.id);
    expect(await copy.undo()).toMatchObject({ ok: false });
    expect(await copy.steps()).toEqual([]);
    expect(readFileSync(join(at.folder, "b.txt"), "utf8")).toBe("b\n");
    expect(await old.undo()).toMatchObject({ ok: true });
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
    await Promise.all([old.close(), copy.close()]);
  });
  it("E1, P7: nothing that grants comes along: rules, trust, a freer mode; a stricter one does", async () => {
    const at = place("fork");
    const old = await parent(at, { mode: "auto" });
    const id = old.id;
    await old.close();
    const store = storeOf(at);
    const log = await openLog({
      sessionsDir: store.sessions,
      contentDir: store.content,
      sessionId: id,
      key: loadKey(store.key),
      clock: systemClock,
      create: false,
    });
    await log.append({ type: "rule.added", rule: { action: "allow", text: "Bash(*)", source: "session" } });
    await log.append({ type: "trust.given", folder: log.state.folder });
    await log.append({ type: "session.named", name: "mine" });
    await log.close();
    const copy = await fork(at, id);
    expect(copy.state()).toMatchObject({ mode: "ask", rules: [], trusted: false });
    expect(copy.state().name).toBeUndefined();
    expect((await logOf(at, copy.id)).events.map((e) => e.type)).not.toContain("permission.decided");
    await copy.setMode("plan");
    const again = await fork(at, copy.id);
    expect(again.state().mode).toBe("plan");
    await Promise.all([copy.close(), again.close()]);
  });
  it("E1: a copy of a foreign session is foreign", async () => {
    const at = place("fork");
    const old = await parent(at);
    await old.close();
    const file = join(storeOf(at).sessions, `${old.id}.jsonl`);
    writeFileSync(file, readFileSync(file, "utf8").replace("First answer", "Other answer"));
    const copy = await fork(at, old.id);
    expect(copy.state().foreign).toBe(true);
    expect(talk(copy)).toContain("Other answer");
    await copy.close();
    expect((await logOf(at, copy.id)).state.foreign).toBe(true);
  });
  it("E3: a call without a result has one in the copy, and runs in neither", async () => {
    const at = place("fork");
    writeFileSync(join(at.folder, "a.txt"), "one\n");
    const script = {
      turns: [{ calls: [{ name: "AskUser", input: { question: "Which?" }, id: "q1" }] }, { text: "End." }],
    };
    const old = await openAt(at, { script });
    const { result } = await collect(old.submit([text("ask me")], new AbortController().signal));
    expect(result.reason).toBe("waiting");
    const copy = await fork(at, old.id, undefined, {});
    expect(copy.unfinished()).toBeUndefined();
    expect(old.unfinished()).toBeDefined();
    expect(apiBreaches(toMessages(copy.state()), { wrapped: true })).toEqual([]);
    expect(talk(copy)).toContain("it had no result when this session was forked");
    await Promise.all([old.close(), copy.close()]);
  });
  it("W6: what waits for a review waits with the other, and a rehearsal's copy rehearses", async () => {
    const at = place("fork");
    const old = await parent(at, { rehearse: true });
    expect(existsSync(join(at.folder, "b.txt"))).toBe(false);
    const copy = await fork(at, old.id);
    expect(copy.state()).toMatchObject({ rehearsing: true, steps: [] });
    expect(talk(copy)).toContain("that wait for a review wait there");
    expect(await old.land({ yes: true })).toMatchObject({ ok: true });
    await Promise.all([old.close(), copy.close()]);
  });
});
