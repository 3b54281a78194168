import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { toMessages } from "../../../src/events/messages.ts";
import type { Model } from "../../../src/model/model.ts";
import { exitCode } from "../../../src/session/exit-code.ts";
import { collect, openAt, place, type ScriptInput, type SessionInput } from "../../support/session.ts";

const go = [text("go")];
const read = (file_path: string) => ({ calls: [{ name: "Read", input: { file_path } }] });

/** A model that says these texts, one a request; unlike a script it can say nothing. */
function saying(...texts: string[]): Model {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  return {
    id: "saying",
    contextWindow: 1000,
    maxOutput: 100,
    async *stream() {
      await Promise.resolve();
      const blocks = [text(texts.shift() ?? "")];
      yield { type: "reply", blocks, usage, stopReason: "end_turn", model: "saying", attempts: 1 };
    },
  };
}

async function run(script: Partial<ScriptInput>, more: SessionInput = {}) {
  const at = place();
  writeFileSync(join(at.folder, "a.txt"), "a\n");
  writeFileSync(join(at.folder, "b.txt"), "b\n");
  const session = await openAt(at, { ...more, script: { turns: [], ...script } });
  const { events, result } = await collect(session.submit(go, new AbortController().signal));
  await session.close();
  return { events, result, state: session.state() };
}

describe("when a query stops", () => {
  it("S2, S8: the step limit is a failure with its reason, and exit code 4", async () => {
    const { result, state } = await run({ turns: [read("a.txt")], loop: true }, { limits: { turns: 2 } });
    expect(result).toMatchObject({ reason: "turn-limit", turns: 2 });
    expect(result.detail).toContain("limit of 2 turns");
    expect(state.query?.ended).toBe("turn-limit");
    expect(exitCode(result.reason)).toBe(4);
  });

  it("S4: the same tool failing three times in a row hands over; a success in between resets the count", async () => {
    const fails = (n: number) => read(`missing-${n}.txt`);
    const { result } = await run({
      turns: [fails(1), fails(2), read("a.txt"), fails(3), fails(4), fails(5), { text: "x" }],
    });
    expect(result).toMatchObject({ reason: "tool-failing", turns: 6 });
    expect(result.detail).toMatch(/Read failed 3 times in a row in turn 6: .*missing-5/);
    expect(exitCode(result.reason)).toBe(5);
  });

  it("S4: failures of one reply are one mistake, since the model has seen none of their results", async () => {
    const fails = (...names: string[]) => ({
      calls: names.map((name) => ({ name: "Read", input: { file_path: name } })),
    });
    const one = await run({ turns: [fails("x1", "x2", "x3", "x4"), { text: "done" }] });
    expect(one.result).toMatchObject({ reason: "done", turns: 2 });
    const three = await run({ turns: [fails("x1", "x2"), fails("x3", "x4"), fails("x5"), { text: "x" }] });
    expect(three.result).toMatchObject({ reason: "tool-failing", turns: 3 });
  });

  it("S5: the same call with the same result three times warns the model once, then stops", async () => {
    const { result, events, state } = await run({ turns: [read("a.txt")], loop: true });
    expect(result).toMatchObject({ reason: "going-round", turns: 4 });
    // The person is told about the model, the model what to do.
    expect(events.filter((e) => e.type === "limit.warned").map((e) => e.text)).toEqual([
      "The model goes round, and is told so: Read was called 3 times with the same input and the same result, and nothing changed meanwhile.",
    ]);
    expect(JSON.stringify(toMessages(state))).toContain("You are going round");
  });

  it("S5: two calls that alternate are going round too", async () => {
    const turns = Array.from({ length: 8 }, (_, i) => read(i % 2 === 0 ? "a.txt" : "b.txt"));
    const { result, events } = await run({ turns: [...turns, { text: "x" }] });
    expect(events.findIndex((e) => e.type === "limit.warned")).toBeGreaterThan(0);
    expect(result).toMatchObject({ reason: "going-round", turns: 7 });
  });

  it("S5: the same call with other results is no round", async () => {
    const { result } = await run({
      turns: [
        ...Array.from({ length: 5 }, () => ({ calls: [{ name: "Bash", input: { command: "date +%N" } }] })),
        { text: "x" },
      ],
    });
    expect(result.reason).toBe("done");
  });

  it("S7: an interrupt ends a running command, every call has a result, and the next message works", async () => {
    const at = place();
    const session = await openAt(at, {
      script: {
        turns: [
          {
            calls: [
              { name: "Bash", input: { command: "echo started; sleep 100" } },
              { name: "Glob", input: { pattern: "*" } },
            ],
          },
          { text: "Hello again." },
        ],
      },
    });
    const abort = new AbortController();
    const statuses: string[] = [];
    const events = session.submit(go, abort.signal);
    for (;;) {
      const step = await events.next();
      if (step.done === true) {
        expect(step.value.reason).toBe("interrupted");
        break;
      }
      if (step.value.type === "tool.output") abort.abort();
      if (step.value.type === "call.finished") statuses.push(step.value.status);
    }
    expect(statuses).toEqual(["interrupted", "interrupted"]);
    const { result } = await collect(session.submit([text("hi")], new AbortController().signal));
    await session.close();
    expect(result).toMatchObject({ reason: "done", text: "Hello again." });
  });

  it("S11: text typed meanwhile is read behind the results, in the same user message", async () => {
    const at = place();
    const session = await openAt(at, {
      script: { turns: [{ calls: [{ name: "Glob", input: { pattern: "*" } }] }, { text: "ok" }] },
    });
    const events = session.submit(go, new AbortController().signal);
    for (let step = await events.next(); step.done !== true; step = await events.next()) {
      if (step.value.type === "call.started") session.steer("and be quick");
    }
    const messages = toMessages(session.state());
    await session.close();
    expect(messages.map((m) => m.role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(messages[2]?.content.map((b) => b.type)).toEqual(["tool_result", "text"]);
    expect(messages[2]?.content[1]).toEqual({ type: "text", text: "and be quick" });
  });

  it("L5: pause_turn and max_tokens in text go on; refusal and an unknown reason end with a clear word", async () => {
    const paused = await run({ turns: [{ text: "part one", stopReason: "pause_turn" }, { text: "part two" }] });
    expect(paused.result).toMatchObject({ reason: "done", text: "part one\npart two", turns: 2 });
    const cut = await run({ turns: [{ text: "part one", stopReason: "max_tokens" }, { text: "part two" }] });
    expect(cut.result).toMatchObject({ reason: "done", text: "part onepart two", turns: 2 });
    const refused = await run({ turns: [{ text: "no", stopReason: "refusal" }] });
    expect(refused.result.reason).toBe("refused");
    const odd = await run({ turns: [{ text: "no", stopReason: "tea_break" }] });
    expect(odd.result).toMatchObject({ reason: "api-error", detail: expect.stringContaining("tea_break") as string });
  });

  it("an empty answer is asked for once more, then told", async () => {
    const once = await run({}, { model: saying("", "here") });
    expect(once.result).toMatchObject({ reason: "done", text: "here" });
    const twice = await run({}, { model: saying("", "  \n", "too late") });
    expect(twice.result.reason).toBe("api-error");
  });

  it("S10: a model's failure ends the query with its line; what was seen of the reply is kept", async () => {
    const { result, state } = await run({ turns: [{ text: "half an", fail: { message: "the line went dead" } }] });
    expect(result).toMatchObject({ reason: "api-error", detail: "the line went dead" });
    expect(state.items.at(-1)).toMatchObject({
      kind: "reply",
      cut: "the line went dead",
      blocks: [{ type: "text", text: "half an" }],
    });
  });

  it("S6: a question to nobody waits without a process, and the answer goes on days later", async () => {
    const at = place();
    const script: ScriptInput = {
      turns: [{ calls: [{ name: "AskUser", input: { question: "Tabs or blanks?" } }] }, { text: "Blanks it is." }],
    };
    const first = await openAt(at, { script });
    const { result } = await collect(first.submit(go, new AbortController().signal));
    const { id } = first;
    await first.close();
    expect(result).toMatchObject({ reason: "waiting", questions: [{ question: "Tabs or blanks?", options: [] }] });
    expect(exitCode(result.reason)).toBe(3);
    const second = await openAt(at, { script, more: { resume: id } });
    expect(second.unfinished()).toBe("waits for your answer");
    const later = await collect(second.goOn(new AbortController().signal, ["blanks"]));
    expect(later.result).toMatchObject({ reason: "done", text: "Blanks it is." });
    expect(JSON.stringify(toMessages(second.state()))).toContain("blanks");
    expect(second.unfinished()).toBeUndefined();
    await second.close();
  });
});
