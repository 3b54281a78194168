import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { Collector } from "../../../src/model/anthropic-collect.ts";
import { eventsOf, signatureOf, type ApiTurn } from "../../support/api-sse.ts";

type Raw = Anthropic.RawMessageStreamEvent;
const ODD = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
const TURN: ApiTurn = {
  thinking: "Hm, let me see.",
  text: "Ich schaue nach: 🙂 äöü.",
  calls: [
    { name: "Read", input: { file_path: "a.md", limit: 3 }, id: "toolu_a" },
    { name: "Glob", input: {}, id: "toolu_b" },
  ],
  blocks: [ODD, { type: "redacted_thinking", data: "xyz" }, { type: "brand_new", fields: [1, { a: null }] }],
  usage: { input: 12, output: 34, cacheRead: 5, cacheWrite: 6 },
  piece: 4,
};
const WHOLE = [
  { type: "thinking", thinking: "Hm, let me see.", signature: signatureOf("Hm, let me see.") },
  { type: "text", text: "Ich schaue nach: 🙂 äöü." },
  { type: "tool_use", id: "toolu_a", name: "Read", input: { file_path: "a.md", limit: 3 } },
  { type: "tool_use", id: "toolu_b", name: "Glob", input: {} },
  { type: "other", raw: ODD },
  { type: "redacted_thinking", data: "xyz" },
  { type: "other", raw: { type: "brand_new", fields: [1, { a: null }] } },
];
const raw = (turn: ApiTurn): Raw[] => eventsOf(turn, "m", 1).map((e) => e.data as Raw);

function collect(events: readonly unknown[]): Collector {
  const collector = new Collector();
  for (const event of events) collector.take(event as Raw);
  return collector;
}

describe("collector", () => {
  it("L6: every block comes out as it came, unknown ones included", () => {
    const collector = collect(raw(TURN));
    expect(collector.reply()).toEqual({ blocks: WHOLE, stopReason: "tool_use" });
    expect(collector.usage).toEqual({ input: 12, output: 34, cacheRead: 5, cacheWrite: 6 });
    expect(collector.messageId).toBe("msg_1");
  });

  it("S10: cut at any event, it is no whole reply, and what had come is a beginning of it", () => {
    const all = raw(TURN);
    // Behind the stop reason with every block closed nothing is missing but a farewell.
    for (let n = 0; n < all.length - 2; n++) {
      const collector = collect(all.slice(0, n));
      expect(collector.reply(), `after ${n} events`).toBeUndefined();
      const blocks = collector.blocks();
      for (const [i, block] of blocks.entries()) {
        expect(block.type).toBe(WHOLE[i]?.type);
        if (block.type === "text") expect("Ich schaue nach: 🙂 äöü.".startsWith(block.text)).toBe(true);
        if (block.type === "tool_use" && block.broken !== undefined) expect(block.input).toEqual({});
      }
    }
    expect(collect(all.slice(0, -1)).reply()?.blocks).toEqual(WHOLE);
  });

  it("a stream without its last event counts as whole only with a stop reason and every block closed", () => {
    const all = raw({ text: "abc" });
    const unclosed = all.filter((e) => e.type !== "content_block_stop" && e.type !== "message_stop");
    expect(collect(unclosed).reply()).toBeUndefined();
    expect(collect(all.filter((e) => e.type !== "message_delta" && e.type !== "message_stop")).reply()).toBeUndefined();
  });

  it("a farewell without its reason ends the reply all the same, where every block is closed", () => {
    const without = (turn: ApiTurn) => raw(turn).filter((e) => e.type !== "message_delta");
    expect(collect(without({ text: "abc" })).reply()).toMatchObject({ stopReason: "end_turn" });
    expect(collect(without(TURN)).reply()).toMatchObject({ stopReason: "tool_use", blocks: WHOLE });
    const open = without({ text: "abc" }).filter((e) => e.type !== "content_block_stop");
    expect(collect(open).reply()).toBeUndefined();
  });

  it("L4: a call that the output limit cut ahead of its input never runs", () => {
    const none = { name: "Read", broken: "", id: "t" };
    const of = (stopReason: string) => collect(raw({ calls: [none], stopReason })).reply()?.blocks;
    expect(of("max_tokens")).toEqual([{ type: "tool_use", id: "t", name: "Read", input: {}, broken: "" }]);
    expect(of("tool_use")).toEqual([{ type: "tool_use", id: "t", name: "Read", input: {} }]);
  });

  it("ADR 16: calls that came whole are kept of a reply that broke off, with what stands before them", () => {
    const all = raw(TURN);
    const after = (n: number) => collect(all.slice(0, n)).kept();
    const closed = (id: string) => {
      const start = all.findIndex((e) => JSON.stringify(e).includes(id));
      return all.findIndex((e, i) => i > start && e.type === "content_block_stop");
    };
    const [first, second] = [closed("toolu_a"), closed("toolu_b")];
    const count = (n: number) => after(n)?.blocks.length ?? 0;
    // The last piece of an input makes it whole, whether its end is told or not; one without any is whole only with its end.
    expect(Array.from({ length: first - 1 }, (_, n) => count(n))).toEqual(Array(first - 1).fill(0));
    expect(Array.from({ length: second - first }, (_, n) => count(first + n))).toEqual(Array(second - first).fill(3));
    expect([count(second), count(second + 1), count(all.length - 2)]).toEqual([4, 4, 4]);
    expect(after(first)).toEqual({ blocks: WHOLE.slice(0, 3), stopReason: "tool_use" });
    expect(after(second + 1)).toEqual({ blocks: WHOLE.slice(0, 4), stopReason: "tool_use" });
  });

  it("ADR 16: so is a long text, as what to go on from; a thought without its end never is", () => {
    const long = "word ".repeat(1000);
    const all = raw({ thinking: "Hm.", text: long });
    expect(collect(all.slice(0, -3)).kept()).toEqual({
      blocks: [
        { type: "thinking", thinking: "Hm.", signature: signatureOf("Hm.") },
        { type: "text", text: long },
      ],
      stopReason: "broken-off",
    });
    expect(collect(raw({ text: "short" }).slice(0, -3)).kept()).toBeUndefined();
    expect(collect(raw({ thinking: long }).slice(0, -3)).kept()).toBeUndefined();
    const broken = raw({ text: long, calls: [{ name: "Write", broken: '{"a":"half', id: "t" }] });
    expect(collect(broken.slice(0, -3)).kept()?.blocks).toEqual([{ type: "text", text: long }]);
  });

  it("output that came without its figures is reckoned", () => {
    const all = raw({ text: "a".repeat(350), usage: { input: 12, output: 99 } });
    expect(collect(all.slice(0, -2)).usage).toEqual({ input: 12, output: 100, cacheRead: 0, cacheWrite: 0 });
    expect(collect(all).usage.output).toBe(99);
    expect(collect([]).usage).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  });

  it("L6: an unknown block's unknown deltas grow its fields", () => {
    const events = [
      { type: "content_block_start", index: 0, content_block: { type: "brand_new", body: "a", n: 1 } },
      { type: "content_block_delta", index: 0, delta: { type: "brand_new_delta", body: "b", more: "x", n: 2 } },
      { type: "content_block_delta", index: 0, delta: { type: "brand_new_delta", body: "c", more: "y" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ];
    const raw = { type: "brand_new", body: "abc", more: "xy", n: 1 };
    expect(collect(events).reply()?.blocks).toEqual([{ type: "other", raw }]);
  });

  it("an index that is used twice loses neither block, and a beginning told twice makes no second one", () => {
    const text = (words: string) => [
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
      { type: "content_block_stop", index: 0 },
    ];
    const end = [{ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }];
    const [start = {}, ...rest] = text("b");
    expect(collect([...text("a"), start, start, ...rest, ...end]).reply()?.blocks).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]);
  });

  it("events out of order: words without their beginning are kept, an input waits for its call, else it is no reply", () => {
    const all = raw({ text: "abc", calls: [{ name: "Read", input: { a: 1 }, id: "t" }] });
    const starts = all.filter((e) => e.type === "content_block_start");
    const others = all.filter((e) => e.type !== "content_block_start");
    const end = others.slice(-2);
    const whole = [
      { type: "text", text: "abc" },
      { type: "tool_use", id: "t", name: "Read", input: { a: 1 } },
    ];
    const late = collect([...others.slice(0, -2), ...starts, ...end]);
    expect(late.blocks()).toEqual(whole);
    expect(collect(all.filter((e) => e !== starts[0])).reply()?.blocks).toEqual(whole);
    expect(collect(all.filter((e) => e !== starts[1])).reply()).toBeUndefined();
    expect(collect(all.filter((e) => e !== starts[1])).kept()).toBeUndefined();
    const [first] = starts;
    expect(collect([...all.slice(0, -2), first, ...end]).reply()?.blocks).toHaveLength(3);
  });

  it("a second reply in the same stream, and what is no event, are faults", () => {
    const all = raw({ text: "abc" });
    expect(() => collect([...all.slice(0, 4), ...all])).toThrow("a second time");
    expect(() => collect([null])).toThrow("could not be read");
    expect(collect([...all.slice(0, 1), ...all]).reply()?.blocks).toEqual([{ type: "text", text: "abc" }]);
  });

  it("L4: an input that is cut off or no object is kept raw and never runs", () => {
    for (const broken of ['{"file_path":"a', "[1]", '"text"', "null", "{} {}"]) {
      const blocks = collect(raw({ calls: [{ name: "Read", broken, id: "t" }] })).reply()?.blocks;
      expect(blocks).toEqual([{ type: "tool_use", id: "t", name: "Read", input: {}, broken }]);
    }
  });

  it("takes what other servers put into a block's start, and lives with what they leave out", () => {
    const starts = [
      { type: "message_start", message: { id: "m", usage: undefined } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "Hel" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "lo" } },
      { type: "content_block_start", index: 1, content_block: { type: "text" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "!" } },
      { type: "content_block_start", index: 2, content_block: { type: "thinking" } },
      {
        type: "content_block_start",
        index: 3,
        content_block: { type: "tool_use", id: "t", name: "R", input: { a: 1 } },
      },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ];
    const collector = new Collector();
    const shown = starts.map((e) => collector.take(e as Raw)).filter((e) => e !== undefined);
    expect(collector.reply()?.blocks).toEqual([
      { type: "text", text: "Hello" },
      { type: "text", text: "!" },
      { type: "thinking", thinking: "", signature: "" },
      { type: "tool_use", id: "t", name: "R", input: { a: 1 } },
    ]);
    expect(shown.flatMap((e) => (e.type === "text" ? [e.text] : []))).toEqual(["Hel", "lo", "!"]);
    expect(shown.at(-1)).toEqual({ type: "input", callId: "t", tool: "R", json: '{"a":1}' });
  });

  it("ignores events and deltas that it doesn't know, and deltas of blocks that never began", () => {
    const all: unknown[] = raw({ text: "abc" });
    const odd = [
      { type: "brand_new" },
      { type: "content_block_delta", index: 9, delta: { type: "signature_delta", signature: "x" } },
      { type: "content_block_delta", index: 9, delta: { type: "brand_new_delta", x: 1 } },
      { type: "content_block_delta", index: 0, delta: { type: "brand_new_delta", x: 1 } },
      { type: "content_block_stop", index: 9 },
    ];
    const mixed = [...all.slice(0, 3), ...odd, ...all.slice(3)];
    expect(collect(mixed).reply()?.blocks).toEqual([{ type: "text", text: "abc" }]);
  });

  it("20,000 pieces are joined without quadratic work", () => {
    const text = "word ".repeat(20_000);
    const collector = collect(raw({ text, calls: [{ name: "W", input: { content: text } }], piece: 5 }));
    expect(collector.blocks()[0]).toEqual({ type: "text", text });
    expect(collector.blocks()[1]).toMatchObject({ input: { content: text } });
  });
});
