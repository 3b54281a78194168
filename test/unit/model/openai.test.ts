import { describe, expect, it } from "vitest";
import { sseData } from "../../../src/model/sse.ts";
import { openaiModel } from "../../../src/model/openai.ts";
import { toChat } from "../../../src/model/openai-request.ts";
import type { ModelRequest } from "../../../src/model/model.ts";
import { chatBreaches } from "../../support/chat-check.ts";
import { startChatServer, type ChatAnswer } from "../../support/chat-server.ts";
import { ask, endOf, eventsFrom, quickClock, retriesIn, textIn } from "../../support/model.ts";

const KEY = "sk-test-0123456789";
const PNG = { type: "base64" as const, media_type: "image/png", data: "AA==" };
const PDF = { type: "base64" as const, media_type: "application/pdf", data: "AA==" };

async function over(script: (n: number) => ChatAnswer, key = KEY, request?: ModelRequest) {
  const server = await startChatServer(script, { key: KEY });
  const clock = quickClock();
  const model = openaiModel("openai:gpt-x", "gpt-x", {
    access: { baseUrl: server.url, apiKey: key },
    clock,
    random: () => 0,
  });
  return { server, events: await eventsFrom(model, request), waits: clock.waits };
}
const chunk = (delta: object, finish_reason: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] });

describe("M1: a request as chat completions", () => {
  const talk = ask({
    effort: "low",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image", source: PNG },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "Two calls." },
          { type: "tool_use", id: "a", name: "Read", input: { file_path: "x" } },
          { type: "tool_use", id: "b", name: "Read", input: {} },
          { type: "other", raw: { type: "server_tool_use" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [
              { type: "text", text: "one" },
              { type: "image", source: PNG },
            ],
          },
          { type: "tool_result", tool_use_id: "b", content: [{ type: "document", source: PDF }], is_error: true },
          { type: "text", text: "go on" },
        ],
      },
      { role: "assistant", content: [{ type: "thinking", thinking: "only", signature: "s" }] },
      { role: "user", content: [{ type: "text", text: "still there?" }] },
    ],
  });
  const body = toChat("gpt-x", talk, "max_tokens");
  it("is one that a strict server takes, with every result behind its call", () => {
    expect(chatBreaches(body)).toEqual([]);
    const messages = body["messages"] as { role: string; content: unknown }[];
    expect(messages.map((m) => m.role)).toEqual(["system", "user", "assistant", "tool", "tool", "user", "user"]);
    expect(messages[2]).toEqual({
      role: "assistant",
      content: "Two calls.",
      tool_calls: [
        { id: "a", type: "function", function: { name: "Read", arguments: '{"file_path":"x"}' } },
        { id: "b", type: "function", function: { name: "Read", arguments: "{}" } },
      ],
    });
    expect(messages[3]).toEqual({ role: "tool", tool_call_id: "a", content: "one\n(a image, shown below)" });
    expect(JSON.stringify(messages[5])).toContain('"image_url":{"url":"data:image/png;base64,AA=="}');
    expect(JSON.stringify(messages[5])).toContain('"file_data":"data:application/pdf;base64,AA=="');
  });
  it("says the longest reply only where it is known, effort by its own name, and no word of thoughts", () => {
    expect(body).toMatchObject({ max_tokens: 1000, reasoning_effort: "low", stream: true });
    expect(toChat("m", ask())).not.toHaveProperty("max_tokens");
    expect(JSON.stringify(body)).not.toContain("hm");
  });
  it("the checker sees what a server would refuse", () => {
    const bad = [{ role: "tool", tool_call_id: "z", content: "x" }];
    expect(chatBreaches({ ...body, messages: bad })).toEqual(["messages[0]: no open call z"]);
    expect(chatBreaches({ ...body, stream: false, top_p: 1 })).toHaveLength(2);
  });
});

describe("M1: a reply over chat completions", () => {
  it("words, calls side by side, usage with what came from the cache", async () => {
    const calls = [
      { name: "Read", input: { file_path: "a" }, id: "call_a" },
      { name: "Grep", input: { pattern: "b" }, id: "call_b" },
    ];
    const turn = { text: "Looking at both.", calls, usage: { input: 7, output: 9, cacheRead: 30 } };
    const { server, events } = await over(() => ({ turn }));
    expect(server.breaches).toEqual([]);
    expect(server.requests[0]?.path).toBe("/v1/chat/completions");
    const reply = endOf(events, "reply");
    expect(reply).toMatchObject({ stopReason: "tool_use", model: "openai:gpt-x", messageId: "chatcmpl_1" });
    expect(reply.usage).toEqual({ input: 7, output: 9, cacheRead: 30, cacheWrite: 0 });
    expect(reply.blocks).toEqual([
      { type: "text", text: "Looking at both." },
      ...calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
    ]);
    expect(textIn(events)).toBe("Looking at both.");
  });
  it("every reason for an end has its word here", async () => {
    const stop = async (finish: string) =>
      endOf((await over(() => ({ turn: { text: "x", stopReason: finish } }))).events, "reply").stopReason;
    expect(await Promise.all(["stop", "length", "content_filter", "odd"].map(stop))).toEqual([
      "end_turn",
      "max_tokens",
      "refusal",
      "odd",
    ]);
  });
  it("as servers vary it: calls without place or id, thoughts, no usage, no [DONE], a call that says stop", async () => {
    const chunks = [
      chunk({ reasoning_content: "Let me " }),
      chunk({ reasoning: "think." }),
      chunk({ tool_calls: [{ function: { name: "Read", arguments: '{"file_path":' } }] }),
      chunk({ tool_calls: [{ function: { arguments: '"a"}' } }] }),
      chunk({ tool_calls: [{ id: "", function: { name: "Read", arguments: "{}" } }] }),
      chunk({}, "stop"),
    ];
    const { events } = await over(() => ({ chunks }));
    const { blocks, stopReason } = endOf(events, "reply");
    expect(stopReason).toBe("tool_use");
    expect(blocks).toMatchObject([
      { type: "thinking", thinking: "Let me think." },
      { type: "tool_use", name: "Read", input: { file_path: "a" } },
      { type: "tool_use", name: "Read", input: {} },
    ]);
    const ids = blocks.flatMap((b) => (b.type === "tool_use" ? [b.id] : []));
    expect(new Set(ids).size).toBe(2);
  });
  it("an input that is no whole JSON is marked so", async () => {
    const { events } = await over(() => ({ turn: { calls: [{ name: "Read", broken: '{"a' }] } }));
    expect(endOf(events, "reply").blocks).toMatchObject([{ type: "tool_use", input: {}, broken: '{"a' }]);
  });
});

describe("S10, M1: faults over chat completions", () => {
  const good: ChatAnswer = { turn: { text: "well" } };
  it("what passes is tried again: 429 with its wait, 500, a cut, an error in the stream, nonsense", async () => {
    const faults: ChatAnswer[] = [
      { status: { status: 429, body: '{"error":{"message":"slow down"}}', headers: { "retry-after": "7" } } },
      { status: { status: 500, body: "<html>oops</html>" } },
      { cut: 2, turn: { text: "half" } },
      { chunks: [chunk({ content: "half" }), '{"error":{"message":"overloaded","type":"server_error"}}'] },
      { chunks: ["{no"] },
      { chunks: [chunk({ content: "ends without a reason" })] },
    ];
    for (const fault of faults) {
      const { events, waits } = await over((n) => (n === 1 ? fault : good));
      expect(textIn(events.slice(events.findIndex((e) => e.type === "retrying")))).toBe("well");
      expect(retriesIn(events)).toHaveLength(1);
      if (fault.status?.status === 429) expect(waits).toEqual([7000]);
      endOf(events, "reply");
    }
  });
  it("what stays is told at once: the key, the model, the length, the money; never the key itself", async () => {
    const refused = await over(() => good, "sk-wrong-987654321");
    expect(endOf(refused.events, "failed")).toMatchObject({ kind: "auth", retryable: false });
    const { message } = endOf(refused.events, "failed");
    expect(message).toContain("OPENAI_API_KEY");
    expect(message).not.toContain("sk-wrong-987654321");
    const told = async (status: number, error: object) =>
      endOf((await over(() => ({ status: { status, body: JSON.stringify({ error }) } }))).events, "failed");
    expect(await told(404, { message: "no such model" })).toMatchObject({ kind: "not-found", retryable: false });
    expect((await told(404, { message: "no such model" })).message).toContain("gpt-x");
    expect(await told(400, { message: "long", code: "context_length_exceeded" })).toMatchObject({ kind: "too-long" });
    expect(await told(429, { message: "no money", code: "insufficient_quota" })).toMatchObject({ kind: "auth" });
  });
  it("a server that is not there is named with the variable that leads to it", async () => {
    const clock = quickClock();
    const access = { baseUrl: "http://127.0.0.1:1/v1" };
    const model = openaiModel("openai:m", "m", { access, clock, random: () => 0, budget: { attempts: 1, waitMs: 0 } });
    expect(endOf(await eventsFrom(model), "failed").message).toMatch(/127\.0\.0\.1:1.*OPENAI_BASE_URL/);
  });
});

describe("events of a stream", () => {
  async function read(...pieces: Uint8Array[]): Promise<string[]> {
    const stream = new ReadableStream<Uint8Array>({
      start(to) {
        for (const piece of pieces) to.enqueue(piece);
        to.close();
      },
    });
    const all: string[] = [];
    for await (const data of sseData(stream)) all.push(data);
    return all;
  }
  const bytes = (text: string) => new TextEncoder().encode(text);
  it("come whole however they are cut, with any line end", async () => {
    const pieces = ["data: a\n\nda", "ta: b\r", "\n\r\n: ping\n\ndata:c\r\rdata: d"].map(bytes);
    expect(await read(...pieces)).toEqual(["a", "b", "c", "d"]);
    expect(await read(bytes("event: x\ndata: 1\ndata: 2\n\n"))).toEqual(["1\n2"]);
    expect(await read(...[...bytes("data: ü€\n\n")].map((b) => Uint8Array.of(b)))).toEqual(["ü€"]);
  });
});
