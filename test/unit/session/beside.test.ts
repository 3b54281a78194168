import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { text } from "../../../src/events/block.ts";
import { toMessages } from "../../../src/events/messages.ts";
import type { Model, ModelRequest } from "../../../src/model/model.ts";
import type { Session } from "../../../src/session/session.ts";
import { collect, openAt, place, type Place, type SessionInput } from "../../support/session.ts";

const usage = { input: 100, output: 10, cacheRead: 1000, cacheWrite: 0 };

/** Answers everything with "ok", and keeps what it was sent. */
function hearing(): { model: Model; sent: ModelRequest[] } {
  const sent: ModelRequest[] = [];
  const model: Model = {
    id: "hearing",
    contextWindow: 10_000,
    maxOutput: 1000,
    async *stream(request) {
      sent.push(request);
      await Promise.resolve();
      const blocks = [{ type: "text" as const, text: `answer ${sent.length}` }];
      yield { type: "reply", blocks, usage, stopReason: "end_turn", model: "hearing", attempts: 1 };
    },
  };
  return { model, sent };
}

async function opened(at: Place, input: SessionInput): Promise<Session> {
  const session = await openAt(at, input);
  onTestFinished(() => session.close());
  return session;
}
const signal = new AbortController().signal;

it("/btw: the same request with the question behind it, no part of what comes later, with a cost of its own", async () => {
  const { model, sent } = hearing();
  const prices = { hearing: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } };
  const session = await opened(place("btw"), { model, prices });
  await collect(session.submit([text("first")], signal));
  const before = JSON.stringify(toMessages(session.state()));
  const { prompts, contextTokens } = session.state();
  expect(await session.beside.ask("what is it?")).toBe("answer 2");
  const [first, aside] = sent;
  // All that was sent before comes from the cache, the reply to it too.
  expect([aside?.system, aside?.tools]).toEqual([first?.system, first?.tools]);
  expect(JSON.stringify(aside?.messages)).toContain(before.slice(0, -1));
  expect(JSON.stringify(aside?.messages.at(-1))).toContain("what is it?");
  expect(JSON.stringify(toMessages(session.state()))).toBe(before);
  expect(session.state()).toMatchObject({ prompts, contextTokens });
  expect(session.cost().turns.map((turn) => turn.outcome)).toEqual(["kept", "aside"]);
  expect(session.cost().models[0]).toMatchObject({ replies: 2 });
  await collect(session.submit([text("second")], signal));
  expect(JSON.stringify(sent[2])).not.toContain("what is it?");
});

it("S3: /btw asks nothing beyond the session's own limit", async () => {
  const { model, sent } = hearing();
  const session = await opened(place("btw-limit"), { model, limits: { turns: 1, session: { tokens: 1000 } } });
  await collect(session.submit([text("first")], signal));
  await expect(session.beside.ask("what is it?")).rejects.toThrow(/limit/);
  expect(sent).toHaveLength(1);
});

it("/context: the parts of the request as it would be sent, scaled to what the service counted", async () => {
  const { model } = hearing();
  const session = await opened(place("sizes"), { model });
  const empty = session.beside.sizes();
  expect(empty.counted).toBeUndefined();
  expect(empty.parts.find((part) => part.name === "tools")?.tokens).toBeGreaterThan(500);
  await collect(session.submit([text("x".repeat(7000))], signal));
  const { counted, parts, window } = session.beside.sizes();
  expect([window, counted]).toEqual([10_000, 1110]);
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  expect(Math.abs(sum - 1110)).toBeLessThan(6);
});

it("IN-13: a line goes to the project's file through the door, and undo takes it back", async () => {
  const at = place("remember");
  writeFileSync(join(at.folder, "CLAUDE.md"), "# Rules");
  const session = await opened(at, { model: hearing().model });
  const files = await session.beside.memory();
  expect(files).toEqual([
    { id: "CLAUDE.md", path: "CLAUDE.md", whose: "project", exists: true },
    { id: "CLAUDE.local.md", path: "CLAUDE.local.md", whose: "local", exists: false },
    { id: "user", path: expect.stringMatching(/config\/AGENTS\.md$/), whose: "user", exists: false },
  ]);
  const [project, local, user] = files;
  if (project === undefined || local === undefined || user === undefined) throw new Error("no files");
  expect(await session.beside.remember(project, "- tests first")).toMatchObject({ ok: true });
  const text = () => readFileSync(join(at.folder, "CLAUDE.md"), "utf8");
  expect(text()).toBe("# Rules\n- tests first\n");
  expect(await session.undo()).toMatchObject({ ok: true });
  expect(text()).toBe("# Rules");
  await session.beside.remember(local, "- mine");
  expect(readFileSync(join(at.folder, "CLAUDE.local.md"), "utf8")).toBe("- mine\n");
  await session.beside.remember(user, "- for all");
  await session.beside.remember(user, "- and this");
  expect(readFileSync(join(at.config, "AGENTS.md"), "utf8")).toBe("- for all\n- and this\n");
});

it("IN-13: in a rehearsal it waits with the rest", async () => {
  const at = place("remember-rehearse");
  const session = await opened(at, { model: hearing().model, more: { rehearse: true } });
  const [project] = await session.beside.memory();
  if (project === undefined) throw new Error("no files");
  expect(project).toMatchObject({ path: "AGENTS.md", exists: false });
  expect((await session.beside.remember(project, "- later")).text).toContain("pending");
  expect(existsSync(join(at.folder, "AGENTS.md"))).toBe(false);
});
