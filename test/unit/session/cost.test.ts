import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { text } from "../../../src/events/block.ts";
import type { LogBody, LogEvent, Usage } from "../../../src/events/event.ts";
import { fold, initialState } from "../../../src/events/reduce.ts";
import { LONG_PROMPT, NO_USAGE, lessOf, longOf, promptTokens, sumOf } from "../../../src/events/usage.ts";
import { ledgerOf } from "../../../src/loop/ledger.ts";
import { CostFold, costReport, hitRate } from "../../../src/session/cost.ts";
import { PRICE_TABLE } from "../../../src/session/price-table.ts";
import { costOf, priceOf, type Prices } from "../../../src/session/prices.ts";

const OWN: Prices = {
  m: { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 },
  tiered: {
    input: 1,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 2,
    long: { input: 2, output: 20, cacheRead: 0.2, cacheWrite: 4 },
  },
};
const usage = (more: Partial<Usage> = {}): Usage => ({ ...NO_USAGE, ...more });
function log(...bodies: LogBody[]): LogEvent[] {
  return bodies.map((body, i) => ({ v: 1, seq: i + 1, at: "2026-11-30T12:00:00.000Z", mac: "", ...body }));
}
const said = (words: string): LogBody => ({ type: "prompt.submitted", when: "start", content: [text(words)] });
const reply = (used: Usage, more: Partial<Extract<LogBody, { type: "reply.completed" }>> = {}): LogBody => ({
  type: "reply.completed",
  turn: 1,
  model: "m",
  blocks: [],
  usage: used,
  stopReason: "end_turn",
  durationMs: 1,
  attempts: 1,
  ...more,
});
const result = (callId: string, words: string): LogBody => ({
  type: "call.finished",
  callId,
  status: "ok",
  content: [text(words)],
  touched: [],
  durationMs: 1,
});
const calls = (...of: [id: string, name: string][]) => ({
  blocks: of.map(([id, name]) => ({ type: "tool_use" as const, id, name, input: {} })),
});
const anyUsage = fc
  .record({ input: fc.nat(150_000), output: fc.nat(9999), cacheRead: fc.nat(150_000), cacheWrite: fc.nat(150_000) })
  .chain((u) => fc.record({ u: fc.constant(u), hour: fc.nat(u.cacheWrite) }))
  .map(({ u, hour }): Usage => (hour > 0 ? { ...u, cacheWrite1h: hour } : u));

describe("M2: prices", () => {
  it("are listed by whole names, with a snapshot's date or without; a name that only begins so has none", () => {
    expect(priceOf("claude-sonnet-5-5", {})).toMatchObject({ input: 2, output: 10, cacheRead: 0.1 });
    expect(priceOf("claude-haiku-4-5-20251001", {})).toEqual(PRICE_TABLE["claude-haiku-4-5"]);
    for (const name of [
      "claude-fable-5-2",
      "claude-sonnet-5-9",
      "gpt-x",
      "openai:claude-haiku-4-5",
      "bedrock:claude-haiku-4-5",
    ])
      expect(priceOf(name, {})).toBeUndefined();
    expect(costOf("unheard-of", usage({ input: 1 }), {})).toBeUndefined();
  });
  it("of the person's own stand above the list, by the longest beginning", () => {
    const own = { "openai:": { ...OWN["m"]!, input: 7 }, "openai:gpt": { ...OWN["m"]!, input: 8 }, claude: OWN["m"]! };
    expect(priceOf("openai:gpt-x", own)?.input).toBe(8);
    expect(priceOf("openai:other", own)?.input).toBe(7);
    expect(priceOf("claude-sonnet-5-5", own)?.input).toBe(1);
    expect(costOf("demo", usage({ input: 1e6 }), own)).toBe(0);
  });
  it("a million of each, writes for an hour apart", () => {
    const used = usage({ input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6 });
    expect(costOf("m", used, OWN)).toBeCloseTo(13.1, 10);
    // Not said: an hour costs twice the input.
    expect(costOf("m", { ...used, cacheWrite1h: 1e6 }, OWN)).toBeCloseTo(13.1, 10);
    expect(costOf("claude-sonnet-5-5", usage({ cacheWrite: 2e6, cacheWrite1h: 1e6 }), {})).toBeCloseTo(6.5, 10);
  });
  it("a long request has its own, whole; a sum of short ones has not, however large it grows", () => {
    const short = usage({ input: 60_000, output: 10 });
    const long = usage({ input: 50_000, cacheRead: LONG_PROMPT - 49_999, output: 10 });
    expect(costOf("tiered", short, OWN)).toBeCloseTo((60_000 + 100) / 1e6, 10);
    expect(costOf("tiered", long, OWN)).toBeCloseTo((2 * 50_000 + 0.2 * 50_001 + 200) / 1e6, 10);
    const sum = [short, short, short].reduce(sumOf, NO_USAGE);
    expect(costOf("tiered", sum, OWN)).toBeCloseTo((3 * 60_100) / 1e6, 10);
  });
  it("property: a sum costs what its parts cost, and what is taken from it leaves the rest", () => {
    fc.assert(
      fc.property(fc.array(anyUsage, { maxLength: 12 }), fc.nat(12), (parts, at) => {
        const cost = (u: Usage) => costOf("tiered", u, OWN) ?? Number.NaN;
        const all = parts.reduce(sumOf, NO_USAGE);
        const expected = parts.reduce((sum, u) => sum + cost(u), 0);
        expect(cost(all)).toBeCloseTo(expected, 9);
        const before = parts.slice(0, at).reduce(sumOf, NO_USAGE);
        const rest = parts.slice(at).reduce((sum, u) => sum + cost(u), 0);
        expect(cost(lessOf(all, before))).toBeCloseTo(rest, 9);
        expect(promptTokens(longOf(all))).toBe(
          parts.filter((u) => promptTokens(u) > LONG_PROMPT).reduce((sum, u) => sum + promptTokens(u), 0),
        );
      }),
    );
  });
});

describe("M2: the report of a session", () => {
  it("sums by model over switches, void and cut attempts; what has no price is said", () => {
    const events = log(
      said("go"),
      { type: "reply.voided", turn: 1, model: "m", usage: usage({ input: 100, output: 5 }), reason: "cut" },
      reply(usage({ input: 100, output: 10 })),
      { type: "model.changed", model: "n" },
      said("more"),
      { type: "reply.cut", turn: 1, model: "n", blocks: [], usage: usage({ input: 7, output: 1 }), reason: "stopped" },
    );
    const report = costReport(events, OWN);
    expect(report.models).toEqual([
      { model: "m", usage: usage({ input: 200, output: 15 }), replies: 1, usd: (200 + 150) / 1e6 },
      { model: "n", usage: usage({ input: 7, output: 1 }), replies: 1 },
    ]);
    expect(report.usd).toBeUndefined();
    expect(report.turns.map(({ message, model, outcome }) => [message, model, outcome])).toEqual([
      [1, "m", "void"],
      [1, "m", "kept"],
      [2, "n", "cut"],
    ]);
    // The state's own sums, which limits go by, say the same.
    const state = fold(initialState("s"), events);
    for (const { model, usage: sum, replies } of report.models)
      expect(state.usage.get(model)).toEqual({ ...sum, replies });
    expect(state.query?.usage).toEqual(usage({ input: 7, output: 1 }));
  });
  it("property: the parts make the whole, whenever it was asked for", () => {
    const anyReply = fc.record({
      u: anyUsage,
      model: fc.constantFrom("m", "tiered"),
      kind: fc.constantFrom("reply.completed", "reply.cut", "reply.voided"),
    });
    fc.assert(
      fc.property(fc.array(anyReply, { maxLength: 10 }), fc.nat(10), (list, at) => {
        const events = log(
          ...list.map(({ u, model, kind }): LogBody => {
            if (kind === "reply.completed") return reply(u, { model });
            const cut = { turn: 1, model, usage: u, reason: "r" };
            return kind === "reply.cut" ? { type: "reply.cut", blocks: [], ...cut } : { type: "reply.voided", ...cut };
          }),
        );
        const step = new CostFold(OWN);
        step.catchUp(events.slice(0, at));
        step.report();
        step.catchUp(events);
        const whole = costReport(events, OWN);
        expect(step.report()).toEqual(whole);
        expect(whole.turns.reduce((sum, t) => sum + (t.usd ?? 0), 0)).toBeCloseTo(whole.usd ?? Number.NaN, 9);
        const sum = whole.models.reduce((n, m) => n + m.usage.output, 0);
        expect(sum).toBe(list.reduce((n, { u }) => n + u.output, 0));
      }),
    );
  });
  it("property: limits in money count what the report does, of the message and of the session", () => {
    fc.assert(
      fc.property(fc.array(anyUsage, { maxLength: 6 }), fc.array(anyUsage, { maxLength: 6 }), (first, second) => {
        const replies = (list: readonly Usage[]) => list.map((u) => reply(u, { model: "tiered" }));
        const state = fold(initialState("s"), log(said("one"), ...replies(first), said("two"), ...replies(second)));
        const cost = (model: string, u: Usage) => costOf(model, u, OWN);
        const ledger = ledgerOf(state, Date.parse("2026-11-30T12:00:01Z"), cost);
        const sum = (list: readonly Usage[]) => list.reduce((n, u) => n + (cost("tiered", u) ?? 0), 0);
        expect(ledger.message.usd).toBeCloseTo(sum(second), 9);
        expect(ledger.session.usd).toBeCloseTo(sum([...first, ...second]), 9);
      }),
    );
  });
  it("a tool's results get their share of what the next request grew by", () => {
    const report = costReport(
      log(
        said("go"),
        reply(usage({ input: 1000, output: 100 }), calls(["a", "Read"], ["b", "Grep"])),
        result("a", "x".repeat(300)),
        result("b", "x".repeat(100)),
        // 1,100 were there, so 800 are new.
        reply(usage({ input: 900, cacheRead: 1000, output: 50 }), calls(["c", "Read"])),
        { type: "context.compacted", summary: "s", keptFrom: 1, before: 1, after: 1 },
        result("c", "x".repeat(350)),
        reply(usage({ input: 500, output: 1 })),
      ),
      OWN,
    );
    expect(report.tools).toEqual([
      { tool: "Read", calls: 2, tokens: 700 },
      { tool: "Grep", calls: 1, tokens: 200 },
    ]);
  });
  it("a fork's report leaves out what its parent paid for", () => {
    const opened: LogBody = {
      type: "session.opened",
      sessionId: "s",
      folder: "/f",
      roots: [],
      program: "0",
      mode: "ask",
      model: "m",
      forkedFrom: { sessionId: "p", seq: 3, mac: "" },
    };
    const report = costReport(
      log(opened, said("go"), reply(usage({ input: 50 })), said("on"), reply(usage({ input: 60 }))),
      OWN,
    );
    expect(report.models).toEqual([{ model: "m", usage: usage({ input: 60 }), replies: 1, usd: 60 / 1e6 }]);
  });
  it("how much came from the cache", () => {
    expect(hitRate(usage({ input: 10, cacheRead: 80, cacheWrite: 10 }))).toBe(0.8);
    expect(hitRate(NO_USAGE)).toBeUndefined();
    expect(costReport(log(reply(usage({ input: 10, cacheRead: 90 }))), OWN).hitRate).toBe(0.9);
  });
});
