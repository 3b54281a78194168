import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { StreamEvent } from "../../../src/model/anthropic-client.ts";
import { anthropicModel, type AnthropicDeps } from "../../../src/model/anthropic.ts";
import type { Model } from "../../../src/model/model.ts";
import { startApi, type Answer, type ApiServer, type Fault } from "../../support/api-server.ts";
import { bytesOf, eventsOf, sse, type SseEvent } from "../../support/api-sse.ts";
import { ask, endOf, eventsFrom, quickClock, retriesIn, textIn } from "../../support/model.ts";

const TURN = { text: "All is well: 🙂 äöü 漢字." };
const GOOD: Answer = { turn: TURN };

async function over(answers: readonly Answer[], more: Partial<AnthropicDeps> = {}): Promise<[Model, ApiServer]> {
  const api = await startApi(answers);
  const deps = { access: { baseUrl: api.url, apiKey: "k" }, clock: quickClock(), random: () => 0, ...more };
  return [anthropicModel("claude-sonnet-5-5", deps), api];
}
const faulty = (fault: Fault): Answer => ({ turn: TURN, fault });
const status = (code: number, headers: Record<string, string> = {}) =>
  faulty({ kind: "status", status: code, headers });

describe("S10: transient faults are tried again, and shown", () => {
  it.each([
    ["429", status(429, { "retry-after": "2" }), "rate limit"],
    ["408", status(408), "try again"],
    ["409", status(409), "try again"],
    ["500", status(500), "500"],
    ["503 of a proxy", faulty({ kind: "status", status: 503, body: "<html>busy</html>" }), "503"],
    ["529", status(529), "overloaded"],
    ["a lost connection", faulty({ kind: "reset" }), "reach"],
    ["a stream cut in its first bytes", faulty({ kind: "cut", bytes: 40 }), "broke off"],
    ["a stream cut in the middle", faulty({ kind: "cut", bytes: 900 }), "broke off"],
    ["a stream that ends too early", faulty({ kind: "end", after: 4 }), "before it was whole"],
    ["an empty stream", faulty({ kind: "end", after: 0 }), "before it was whole"],
    ["an error event", faulty({ kind: "error-event", type: "overloaded_error", after: 5 }), "overloaded"],
    ["an error event ahead of all", faulty({ kind: "error-event", type: "api_error", after: 0 }), "500"],
  ])("%s", async (_, bad, words) => {
    const [model, api] = await over([bad, GOOD]);
    const events = await eventsFrom(model);
    expect(api.breaches).toEqual([]);
    expect(endOf(events, "reply")).toMatchObject({ attempts: 2, blocks: [{ type: "text", text: TURN.text }] });
    const [retry, ...more] = retriesIn(events);
    expect(more).toEqual([]);
    expect(retry).toMatchObject({ attempt: 2, of: 9 });
    expect(retry?.reason.toLowerCase()).toContain(words);
    // What was shown before is discarded, and comes again.
    const before = events.slice(
      0,
      events.findIndex((e) => e.type === "retrying"),
    );
    expect(retry?.discarded).toBe(before.some((e) => e.type === "text"));
    expect(textIn(events.slice(before.length))).toBe(TURN.text);
    expect(api.requests[1]?.raw).toBe(api.requests[0]?.raw);
  });

  it("retry-after is obeyed, other waits grow", async () => {
    const clock = quickClock();
    const [model] = await over([status(429, { "retry-after": "61" }), status(500), status(500), GOOD], { clock });
    const events = await eventsFrom(model);
    expect(clock.waits).toEqual([61_000, 1000, 2000]);
    expect(retriesIn(events).map((r) => r.inMs)).toEqual(clock.waits);
    expect(endOf(events, "reply").attempts).toBe(4);
  });

  it("the budget ends it, and the person is told how often it was tried", async () => {
    const [model, api] = await over([status(529), status(529), status(529), GOOD], {
      budget: { attempts: 3, waitMs: 60_000 },
    });
    const events = await eventsFrom(model);
    expect(endOf(events, "failed")).toMatchObject({ kind: "overloaded", retryable: true });
    expect(endOf(events, "failed").message).toContain("(tried 3 times)");
    expect(api.requests).toHaveLength(3);
  });

  it("what the service asks to wait doesn't count against the time; other waits do", async () => {
    const budget = { attempts: 9, waitMs: 1600 };
    const asked = status(429, { "retry-after": "90" });
    const [model] = await over([asked, asked, status(500), GOOD], { budget });
    expect(endOf(await eventsFrom(model), "failed").message).toContain("(tried 3 times)");
    const [other] = await over([asked, status(500), GOOD], { budget });
    expect(endOf(await eventsFrom(other), "reply").attempts).toBe(3);
  });

  it("a stalled stream is cut off and asked for again", async () => {
    const [model] = await over([faulty({ kind: "stall", after: 4 }), GOOD], { patience: { stallMs: 300 } });
    const events = await eventsFrom(model);
    expect(retriesIn(events)).toMatchObject([{ discarded: true, reason: "No word from the model for 0.3 s." }]);
    expect(endOf(events, "reply").blocks).toEqual([{ type: "text", text: TURN.text }]);
  });

  it("so is one that only shows that it lives", async () => {
    const [model] = await over([faulty({ kind: "stall", after: 4, ping: 100 }), GOOD], { patience: { pingsMs: 500 } });
    const events = await eventsFrom(model);
    expect(retriesIn(events)).toMatchObject([
      { discarded: true, reason: "Signs of life, but no word from the model for 0.5 s." },
    ]);
    expect(endOf(events, "reply").blocks).toEqual([{ type: "text", text: TURN.text }]);
  });

  it("words that come slowly, longer than pings alone are put up with, are no stall", async () => {
    const words = eventsOf({ text: "a".repeat(35), piece: 1 }, "m", 1).map((e) => e.data as StreamEvent);
    const deps = { access: {}, clock: quickClock(), random: () => 0, patience: { pingsMs: 1500 } };
    const model = anthropicModel("m", {
      ...deps,
      async start(_asked, _access, signal, { alive }) {
        await Promise.resolve();
        return (async function* () {
          for (const event of words) {
            if (signal.aborted) return;
            alive();
            yield event;
            await sleep(60);
          }
        })();
      },
    });
    expect(endOf(await eventsFrom(model), "reply").attempts).toBe(1);
  });

  it("time spent on streams that stalled counts against the budget", async () => {
    let now = 0;
    const clock = { now: () => (now += 40_000), sleep: () => Promise.resolve() };
    const stalled = faulty({ kind: "stall", after: 0 });
    const [model, api] = await over([stalled, stalled, stalled, GOOD], {
      clock,
      patience: { firstMs: 200, stallMs: 200 },
      budget: { waitMs: 200_000 },
    });
    expect(endOf(await eventsFrom(model), "failed")).toMatchObject({ kind: "stalled" });
    expect(api.requests.length).toBeLessThan(4);
  });

  it("so is a server that never answers", async () => {
    const [model] = await over([{ ...GOOD, firstByteMs: 60_000 }, GOOD], { patience: { firstMs: 300 } });
    const events = await eventsFrom(model);
    expect(retriesIn(events)).toMatchObject([{ reason: "No answer from the model within 0.3 s." }]);
    expect(endOf(events, "reply").attempts).toBe(2);
  });

  it("pings keep a silent stream alive; a slow first byte is no stall", async () => {
    const [model] = await over([{ ...GOOD, firstByteMs: 1200, pings: { count: 8, ms: 250 } }], {
      patience: { firstMs: 30_000, stallMs: 1000 },
    });
    const events = await eventsFrom(model);
    expect(retriesIn(events)).toEqual([]);
    expect(endOf(events, "reply").attempts).toBe(1);
  });
});

describe("S10: permanent faults are told at once", () => {
  it.each([400, 401, 403, 404, 413])("%i", async (code) => {
    const [model, api] = await over([faulty({ kind: "status", status: code, message: "it said so" }), GOOD]);
    const events = await eventsFrom(model);
    expect(events).toHaveLength(1);
    expect(endOf(events, "failed").message).toContain("it said so");
    expect(endOf(events, "failed")).toMatchObject({ retryable: false, partial: [] });
    expect(api.requests).toHaveLength(1);
  });
  it("an error event that no repeat can mend keeps what was shown", async () => {
    const [model] = await over([faulty({ kind: "error-event", type: "invalid_request_error", after: 5 })]);
    const events = await eventsFrom(model);
    expect(endOf(events, "failed")).toMatchObject({ kind: "bad-request" });
    expect(endOf(events, "failed").partial).toEqual([{ type: "text", text: textIn(events) }]);
  });
  it("a wrong address", async () => {
    const deps = { clock: quickClock(), random: () => 0 };
    const events = await eventsFrom(anthropicModel("m", { ...deps, access: { baseUrl: "not a url" } }));
    expect(events).toHaveLength(1);
    expect(endOf(events, "failed").message).toContain("Check ANTHROPIC_BASE_URL");
  });
});

describe("S10: what is no reply is told at once, in one line", () => {
  const page = "<!doctype html><html><head><title>Sign in</title></head></html>";
  const answered = (status: number, body: string, headers: Record<string, string> = {}): Answer => ({
    fault: { kind: "status", status, body, headers },
  });
  it.each([
    ["a web page", answered(200, page, { "content-type": "text/html" }), /a web page, "Sign in" where a streamed/],
    ["JSON in one piece", answered(200, '{"type":"message","content":[]}'), /JSON in one piece where a streamed/],
    ["JSON that is cut", answered(200, '{"type":"mess'), /JSON in one piece/],
    ["an error with 200", answered(200, '{"error":{"message":"no such thing"}}'), /no such thing/],
    [
      "a typed error with 200",
      answered(200, '{"error":{"type":"not_found_error","message":"gone"}}'),
      /know the model/,
    ],
    ["a redirect", answered(307, "", { location: "http://127.0.0.1:1/v1/messages" }), /not followed. Check/],
    ["huge headers", { turn: TURN, headers: { "x-huge": "x".repeat(1 << 20) } }, /headers that are too large/],
  ])("%s", async (_, answer, words) => {
    const [model, api] = await over([answer]);
    const events = await eventsFrom(model);
    expect(endOf(events, "failed").message).toMatch(words);
    expect(api.requests).toHaveLength(1);
  });
  it("but a stream under another name is one, and rubbish is tried again", async () => {
    const [plain] = await over([{ ...GOOD, headers: { "content-type": "text/plain" } }]);
    expect(endOf(await eventsFrom(plain), "reply").attempts).toBe(1);
    const rubbish = answered(200, "\u0000\u0001 no stream", { "content-type": "text/event-stream" });
    const [other] = await over([rubbish, { ...GOOD, headers: { "content-encoding": "gzip" } }, GOOD]);
    const events = await eventsFrom(other);
    expect(retriesIn(events).map((r) => r.reason)).toEqual([
      "What came is no reply that could be read.",
      expect.stringContaining("could not be unpacked"),
    ]);
    expect(endOf(events, "reply").attempts).toBe(3);
  });
});

describe("ADR 16: what is worth keeping of a reply that breaks off", () => {
  it("calls that came whole are a reply", async () => {
    const turn = {
      text: "I look.",
      calls: [
        { name: "Read", input: { file_path: "a" } },
        { name: "Glob", input: {} },
      ],
    };
    const cut = eventsOf(turn, "m", 1).findLastIndex((e) => e.event === "content_block_start");
    const [model, api] = await over([{ turn, fault: { kind: "end", after: cut } }]);
    const events = await eventsFrom(model);
    const reply = endOf(events, "reply");
    expect(reply).toMatchObject({ stopReason: "tool_use", attempts: 1, brokeOff: expect.stringContaining("whole") });
    expect(reply.blocks.map((b) => b.type)).toEqual(["text", "tool_use"]);
    expect([retriesIn(events), api.requests.length]).toEqual([[], 1]);
  });
  it("but not where no repeat could mend it, and not after a stop", async () => {
    const turn = { calls: [{ name: "Read", input: { file_path: "a" } }] };
    const after = eventsOf(turn, "m", 1).length - 2;
    const [model] = await over([{ turn, fault: { kind: "error-event", type: "permission_error", after } }]);
    expect(endOf(await eventsFrom(model), "failed").kind).toBe("auth");
  });
});

describe("a model that stands by", () => {
  it("makes faults be given up soon, and long waits not be sat out", async () => {
    const [model, api] = await over([status(529), status(529), status(529), GOOD]);
    expect(endOf(await eventsFrom(model, ask({ standby: true })), "failed").kind).toBe("overloaded");
    expect(api.requests).toHaveLength(3);
    const [other] = await over([status(429, { "retry-after": "60" }), GOOD]);
    const { message } = endOf(await eventsFrom(other, ask({ standby: true })), "failed");
    expect(message).toContain("It asks to wait for 60 s");
  });
});

describe("S7: stopping", () => {
  it("ends a wait before a repeat", async () => {
    const abort = new AbortController();
    const waits: number[] = [];
    const clock = {
      now: () => 0,
      sleep: (ms: number, signal?: AbortSignal) => {
        waits.push(ms);
        abort.abort();
        expect(signal?.aborted).toBe(true);
        return Promise.resolve();
      },
    };
    const [model, api] = await over([status(500), GOOD], { clock });
    const events = await eventsFrom(model, ask(), abort.signal);
    expect(endOf(events, "failed")).toMatchObject({ kind: "aborted", message: "Stopped.", retryable: false });
    expect([waits.length, api.requests.length]).toEqual([1, 1]);
  });
  it("ends a request that has no answer yet", async () => {
    const abort = new AbortController();
    const [model, api] = await over([{ ...GOOD, firstByteMs: 60_000 }]);
    const events = eventsFrom(model, ask(), abort.signal);
    await api.seen(1);
    abort.abort();
    expect(endOf(await events, "failed").kind).toBe("aborted");
  });
});

describe("streams as they come", () => {
  it("bytes cut anywhere make the same reply", async () => {
    for (const chunk of [1, 7]) {
      const [model] = await over([{ ...GOOD, chunk }]);
      const events = await eventsFrom(model);
      expect(textIn(events)).toBe(TURN.text);
      expect(endOf(events, "reply").attempts).toBe(1);
    }
  });
  it("L4: a call whose input is cut off by the output limit comes as a broken one", async () => {
    const broken = '{"file_path":"a.md","content":"half';
    const turn = { text: "I write.", calls: [{ name: "Write", broken, id: "t" }], stopReason: "max_tokens" };
    const [model] = await over([{ turn }]);
    const reply = endOf(await eventsFrom(model), "reply");
    expect(reply.stopReason).toBe("max_tokens");
    expect(reply.blocks[1]).toEqual({ type: "tool_use", id: "t", name: "Write", input: {}, broken });
  });
  it("unknown events, blocks and deltas lose nothing", async () => {
    const block = { type: "container_upload", file_id: "f" };
    const known = eventsOf({ text: "abc", blocks: [block] }, "m", 1);
    const events: SseEvent[] = [
      sse("brand_new", { x: 1 }),
      ...known.slice(0, 3),
      sse("content_block_delta", { index: 0, delta: { type: "brand_new_delta" } }),
      ...known.slice(3),
    ];
    const [model] = await over([{ events }]);
    expect(endOf(await eventsFrom(model), "reply").blocks).toEqual([
      { type: "text", text: "abc" },
      { type: "other", raw: block },
    ]);
  });
  it("events that are no JSON or no object are a fault, not a crash", async () => {
    const odd: SseEvent = { event: "message_start", data: null };
    const [model] = await over([{ events: [odd] }, GOOD]);
    const events = await eventsFrom(model);
    expect(endOf(events, "reply").attempts).toBe(2);
  });
  it("cut anywhere, it is a beginning of the reply, or all of it when nothing but the farewell is missing", async () => {
    const turn = { text: TURN.text, calls: [{ name: "Read", input: { file_path: "ä.md" }, id: "t" }] };
    const all = eventsOf(turn, "claude-sonnet-5-5", 1);
    const whole = bytesOf(all.slice(0, -1)).length;
    // From the end of the call's input on it is kept.
    const input = bytesOf(all.slice(0, all.findIndex((e) => JSON.stringify(e.data).includes("tool_use")) + 2)).length;
    const places = Array.from({ length: Math.floor(input / 61) }, (_, i) => 1 + i * 61);
    const answers = [...places, whole].map((bytes) => ({ events: all, fault: { kind: "cut" as const, bytes } }));
    const [model] = await over(answers, { budget: { attempts: 1, waitMs: 0 } });
    for (const at of places) {
      const { partial } = endOf(await eventsFrom(model), "failed");
      const [text, call] = partial;
      if (text !== undefined)
        expect(TURN.text.startsWith(text.type === "text" ? text.text : "?"), `at ${at}`).toBe(true);
      if (call?.type === "tool_use" && call.broken === undefined)
        expect([{}, { file_path: "ä.md" }]).toContainEqual(call.input);
    }
    expect(endOf(await eventsFrom(model), "reply").blocks).toHaveLength(2);
  });
  it("a server that doesn't close the stream behind the last event isn't waited for", async () => {
    const [model] = await over([faulty({ kind: "stall", after: 99, ping: 100_000 })]);
    expect(endOf(await eventsFrom(model), "reply")).toMatchObject({ attempts: 1 });
  });
  it("20,000 pieces", async () => {
    const text = "word ".repeat(20_000);
    const [model] = await over([{ turn: { text, piece: 5 } }]);
    const events = await eventsFrom(model);
    expect(events).toHaveLength(20_001);
    expect(endOf(events, "reply").blocks).toEqual([{ type: "text", text }]);
  });
  it.each(["end_turn", "stop_sequence", "pause_turn", "refusal", "model_context_window_exceeded", "brand_new_reason"])(
    "L5: the stop reason %s is passed on",
    async (stopReason) => {
      const [model] = await over([{ turn: { text: "abc", stopReason } }]);
      expect(endOf(await eventsFrom(model), "reply").stopReason).toBe(stopReason);
    },
  );
});

describe("M1: who is asked, and as whom", () => {
  const sent = async (access: AnthropicDeps["access"]) => {
    const api = await startApi([GOOD]);
    const deps = { clock: quickClock(), random: () => 0, access: { ...access, baseUrl: api.url } };
    endOf(await eventsFrom(anthropicModel("claude-haiku-4-5", deps)), "reply");
    expect(api.breaches).toEqual([]);
    expect(api.requests[0]?.body).toMatchObject({ model: "claude-haiku-4-5", stream: true, max_tokens: 1000 });
    return api.requests[0]?.headers.authorization;
  };
  it("a key, a token, the key where there are both, and none for a local server", async () => {
    expect(await sent({ apiKey: "k" })).toBe("Bearer k");
    expect(await sent({ authToken: "t" })).toBe("Bearer t");
    expect(await sent({ apiKey: "k", authToken: "t" })).toBe("Bearer k");
    expect(await sent({})).toBe("Bearer none");
  });
  it("a path in the address is kept", async () => {
    const api = await startApi([GOOD]);
    const access = { baseUrl: `${api.url}/proxy/` };
    const events = await eventsFrom(anthropicModel("m", { clock: quickClock(), random: () => 0, access }));
    expect(api.requests[0]?.path).toBe("/proxy/v1/messages");
    expect(endOf(events, "failed").kind).toBe("not-found");
  });
  it("an old model's name writes nothing onto the screen", async () => {
    const api = await startApi([GOOD]);
    const { warn } = console;
    const said: unknown[] = [];
    console.warn = (...words: unknown[]) => void said.push(words);
    try {
      const access = { baseUrl: api.url };
      await eventsFrom(anthropicModel("claude-opus-4-5", { clock: quickClock(), random: () => 0, access }));
    } finally {
      console.warn = warn;
    }
    expect(said).toEqual([]);
  });
});
