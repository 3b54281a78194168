import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import { isFact, type LogBody, type LogEvent } from "../../../src/events/event.ts";
import { toMessages } from "../../../src/events/messages.ts";
import { COMPACT } from "../../../src/loop/compact-settings.ts";
import type { LoopDeps } from "../../../src/loop/deps.ts";
import { goOn, query } from "../../../src/loop/query.ts";
import { apiBreaches } from "../../support/api-rules.ts";
import { finished, prompt, reply, toolUse } from "../../support/event-log.ts";
import { contextRows, longModel, type LongModel, type LongScript, wordsOf } from "../../support/long-talk.ts";
import { MemoryLog, opened, talkDeps } from "../../support/talk.ts";

const WINDOW = 10_000;
const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 });

/** Words and calls of five turns, each with a little that no rule clears. */
const OLD: readonly LogBody[] = [
  prompt("first: build it in blue"),
  ...[1, 2, 3, 4, 5].flatMap((i): LogBody[] => [
    reply([text(`words of turn ${i} ${"w".repeat(2000)}`), toolUse(`c${i}`, "Look", { what: `w${i}` })], {
      turn: i,
      usage: usage(1000 * i),
      stopReason: "tool_use",
    }),
    finished(`c${i}`, `result ${i}`),
  ]),
  reply([text("That was part one.")], { usage: usage(6000) }),
  { type: "query.finished", reason: "done", turns: 5, durationMs: 1 },
];

interface Played {
  log: MemoryLog;
  model: LongModel;
  events: LogEvent[];
  deps: LoopDeps;
}

/** The person says something more to a conversation that is above the threshold. */
async function play(
  script: Partial<LongScript>,
  { before = OLD, more = {}, log }: { before?: readonly LogBody[]; more?: Partial<LoopDeps>; log?: MemoryLog } = {},
): Promise<Played> {
  const model = longModel({ window: WINDOW, reply: () => ({ text: "Fine." }), ...script });
  const on = log ?? (await opened());
  for (const body of before) await on.append(body);
  const deps = { ...talkDeps(on, model), ...more };
  const events: LogEvent[] = [];
  for await (const event of query([text("second: go on")], deps, new AbortController().signal))
    if (isFact(event)) {
      events.push(event);
      if (event.type.startsWith("context.")) model.changed();
    }
  expect(apiBreaches(toMessages(on.state), { request: false, wrapped: true })).toEqual([]);
  return { log: on, model, events, deps };
}

describe("a summary", () => {
  it("C3: at half of the window the model sums up; the last turns stay, and the person's words are there whatever it wrote", async () => {
    const { events, model, log } = await play({});
    expect(contextRows(events)).toEqual(["summary"]);
    expect(model.wrong).toEqual([]);
    const sent = wordsOf(model.requests.at(-1) ?? { messages: [], system: [], tools: [], maxTokens: 1 });
    expect(sent).toContain("It went on.");
    expect(sent).toContain("first: build it in blue");
    expect(sent).not.toContain("words of turn 2");
    expect(sent).toContain("words of turn 5");
    const fact = events.find((e) => e.type === "context.compacted");
    expect(fact).toMatchObject({ turn: 1, trigger: "auto", before: expect.any(Number), model: "long" });
    expect(fact?.after).toBeLessThan(fact?.before ?? 0);
    // It was paid for, and is counted to the message.
    expect(log.state.query?.usage.input).toBeGreaterThan(fact?.usage?.input ?? Infinity);
  });
  it("C1: it is asked behind the very conversation, so that all of that comes from the cache", async () => {
    const { model } = await play({});
    const [summary] = model.summaries;
    const flat = (r: typeof summary) => r?.messages.flatMap((m) => m.content.map((b) => JSON.stringify(b))) ?? [];
    expect(summary?.tools.length).toBeGreaterThan(0);
    expect(flat(summary).join()).toContain("words of turn 1 ");
    expect(flat(summary).at(-1)).toContain("At most");
  });
  it("C3: with compact.auto off nothing is summed up", async () => {
    const limits = { turns: 12, parallel: 3, resultChars: 4000, compact: { ...COMPACT, auto: false } };
    expect(contextRows((await play({}, { more: { limits } })).events)).toEqual([]);
  });
  it("C3: what is too long even to be summed up is summed up part by part", async () => {
    const { events, model } = await play(
      { counts: (tokens) => tokens },
      { before: [...OLD.slice(0, -2), reply([text("That was part one.")], { usage: usage(9000) }), ...OLD.slice(-1)] },
    );
    expect(contextRows(events)).toEqual(["summary"]);
    expect(model.summaries.length).toBeGreaterThanOrEqual(1);
    expect(model.summaries.every((r) => r.tools.length === 0)).toBe(true);
    expect(wordsOf(model.summaries[0] ?? { messages: [], system: [], tools: [], maxTokens: 1 })).toContain(
      "words of turn 1",
    );
  });
  it("L5: a 400 for length is answered by a summary, and the request is made again", async () => {
    const long = [
      prompt(`the plan ${"p".repeat(30_000)}`),
      reply([text("ok")], { usage: usage(10) }),
      prompt("x"),
      reply([text("b")], { usage: usage(20) }),
    ];
    const { events, model } = await play(
      { window: 8000 },
      {
        before: [
          ...long,
          reply([text("c")], { usage: usage(30) }),
          prompt("y"),
          reply([text("d")], { usage: usage(30) }),
        ],
      },
    );
    expect(events.find((e) => e.type === "context.compacted")).toMatchObject({ trigger: "length" });
    expect(events.at(-1)).toMatchObject({ type: "query.finished", reason: "done" });
    expect(model.wrong).toEqual([]);
  });
  it("L5: model_context_window_exceeded is answered by a summary, and the model goes on", async () => {
    let n = 0;
    const on = await opened();
    for (const body of OLD) await on.append(body.type === "reply.completed" ? { ...body, usage: usage(100) } : body);
    const long = longModel({ window: WINDOW, reply: () => ({ text: "Fine." }) });
    const stream = long.stream.bind(long);
    const wrapped = {
      ...long,
      async *stream(...[request, signal]: Parameters<typeof stream>) {
        for await (const event of stream(request, signal))
          yield event.type === "reply" && ++n === 1 ? { ...event, stopReason: "model_context_window_exceeded" } : event;
      },
    };
    const facts: string[] = [];
    for await (const event of query([text("more")], talkDeps(on, wrapped), new AbortController().signal))
      if (isFact(event)) facts.push(event.type);
    expect(facts.filter((f) => f === "context.compacted")).toHaveLength(1);
    expect(on.events.at(-1)).toMatchObject({ type: "query.finished", reason: "done" });
    expect(apiBreaches(toMessages(on.state), { request: false, wrapped: true })).toEqual([]);
  });
  it.each<[string, ReturnType<NonNullable<LongScript["summary"]>>]>([
    ["an error", { failed: "the service is down" }],
    ["a refusal", { blocks: [text("no")], stopReason: "refusal" }],
    ["nothing", { blocks: [] }],
  ])("C3: a summary that does not come (%s) leaves the conversation as it is, and is told", async (_, said) => {
    const { events } = await play({
      summary: () => said,
    });
    expect(contextRows(events)).toEqual([]);
    expect(events.find((e) => e.type === "limit.warned")?.text).toContain("could not be summed up");
    expect(events.at(-1)).toMatchObject({ reason: "done" });
  });
  it("C3: where the window is nearly full and no summary comes, the program's part alone stands in", async () => {
    const full = [...OLD.slice(0, -2), reply([text("That was part one.")], { usage: usage(9800) }), ...OLD.slice(-1)];
    const { events, log } = await play({ summary: () => ({ failed: "down" }) }, { before: full });
    const fact = events.find((e) => e.type === "context.compacted");
    expect(fact).toMatchObject({ instead: "down" });
    expect(log.state.summary).toContain("first: build it in blue");
    expect(log.state.summary).toContain("/results/x.txt");
  });
  it("C3: two summaries in a row that win little are the last of this message; at the end of the window it stops", async () => {
    const { events, model } = await play({
      strict: false,
      counts: () => 10_500,
      reply: (n) => ({ calls: [{ name: "Look", input: { what: `w ${n}` } }] }),
    });
    expect(model.summaries.length).toBeLessThanOrEqual(4);
    expect(contextRows(events)).toEqual(["summary", "summary"]);
    expect(events.at(-1)).toMatchObject({ type: "query.finished", reason: "context-limit" });
  });
  it("E3: a program that is killed after any event of it goes on where the log stands", async () => {
    const whole = await play({});
    const first = OLD.length + 1;
    for (let cut = first; cut < whole.log.events.length; cut++) {
      const log = new MemoryLog(whole.log.events.slice(0, cut));
      const model = longModel({ window: WINDOW, reply: () => ({ text: "Fine." }) });
      if (log.state.query?.ended !== undefined || log.events.at(-1)?.type === "session.opened") continue;
      for await (const _ of goOn(talkDeps(log, model), new AbortController().signal)) continue;
      expect(log.events.filter((e) => e.type === "context.compacted")).toHaveLength(1);
      expect(log.events.at(-1)).toMatchObject({ type: "query.finished", reason: "done" });
      expect(model.wrong).toEqual([]);
    }
  });
  it("S7: stopped while it is summed up, nothing has changed", async () => {
    const on = await opened();
    for (const body of OLD) await on.append(body);
    const abort = new AbortController();
    const model = longModel({
      window: WINDOW,
      reply: () => ({ text: "Fine." }),
      summary: () => {
        abort.abort();
        return { blocks: [text("too late")] };
      },
    });
    for await (const _ of query([text("go")], talkDeps(on, model), abort.signal)) continue;
    expect(on.events.some((e) => e.type === "context.compacted")).toBe(false);
    expect(on.events.at(-1)).toMatchObject({ reason: "interrupted" });
    expect(on.state.query?.usage.input).toBeGreaterThan(0);
  });
});
