import { describe, expect, it } from "vitest";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { demoModel } from "../../src/model/demo.ts";
import type { Model, ModelEvent } from "../../src/model/model.ts";
import { openModel, type ModelAccess, type ModelDeps } from "../../src/model/open.ts";
import { recordedModel } from "../../src/model/recorded.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { systemClock } from "../../src/util/system.ts";
import { AWS, startAws, type AwsAnswer } from "../support/aws-server.ts";
import { startChatServer, type ChatAnswer } from "../support/chat-server.ts";
import { GOOGLE, startGoogle, type GoogleAnswer } from "../support/google-server.ts";
import { startApi, type Answer } from "../support/api-server.ts";
import { deep } from "../support/deep.ts";
import { faultyWay, type FaultyWay, type WayFault } from "../support/faulty-way.ts";
import { ask, endOf, eventsFrom, quickClock, retriesIn, textIn } from "../support/model.ts";

const TEXT = "Let me look at what is there, word by word, before I say anything about it.";
const CALL = { name: "Glob", input: { pattern: "**/*.md" } };
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const random = () => 0;

/** Each says some words, then calls Glob; `slow` waits between words or never ends; `broken` fails for good. */
interface Maker {
  good(): Promise<Model>;
  slow(): Promise<Model>;
  broken?(): Promise<Model>;
}

async function overServer(answer: Answer): Promise<Model> {
  const api = await startApi(() => answer);
  return anthropicModel("claude-sonnet-5-5", { access: { baseUrl: api.url }, clock: systemClock, random });
}
const scripted = (deltaMs?: number) =>
  scriptedModel(
    { turns: [{ text: TEXT, calls: [CALL], ...(deltaMs === undefined ? {} : { deltaMs }) }] },
    { clock: systemClock },
  );
const recorded = (wordMs?: number) =>
  recordedModel(
    [
      {
        type: "reply.completed",
        blocks: [
          { type: "text", text: TEXT },
          { type: "tool_use", id: "toolu_1", ...CALL },
        ],
        usage,
        stopReason: "tool_use",
      },
    ],
    { clock: systemClock, ...(wordMs === undefined ? {} : { wordMs }) },
  );

const MODELS: Readonly<Record<string, Maker>> = {
  scripted: {
    good: () => Promise.resolve(scripted()),
    slow: () => Promise.resolve(scripted(20)),
    broken: () => Promise.resolve(scriptedModel({ turns: [] }, { clock: systemClock })),
  },
  recorded: {
    good: () => Promise.resolve(recorded()),
    slow: () => Promise.resolve(recorded(20)),
    broken: () => Promise.resolve(recordedModel([], { clock: systemClock })),
  },
  demo: {
    good: () => Promise.resolve(demoModel({ clock: systemClock, wordMs: 0 })),
    slow: () => Promise.resolve(demoModel({ clock: systemClock, wordMs: 20 })),
  },
  "the Messages API": {
    good: () => overServer({ turn: { text: TEXT, calls: [CALL] } }),
    slow: () => overServer({ turn: { text: TEXT, calls: [CALL] }, fault: { kind: "stall", after: 6 } }),
    broken: () => overServer({ fault: { kind: "status", status: 400, message: "no" } }),
  },
  "chat completions": {
    good: () => overChat({ turn: { text: TEXT, calls: [CALL] } }),
    slow: () => overChat({ turn: { text: TEXT, calls: [CALL] }, stall: 4 }),
    broken: () => overChat({ status: { status: 400, body: '{"error":{"message":"no"}}' } }),
  },
  Bedrock: {
    good: () => overAws({ turn: { text: TEXT, calls: [CALL] } }),
    slow: () => overAws({ turn: { text: TEXT, calls: [CALL] }, stall: 5 }),
    broken: () => overAws({ status: { status: 400, body: '{"message":"no"}' } }),
  },
  "Vertex AI": {
    good: () => overGoogle({ turn: { text: TEXT, calls: [CALL] } }),
    slow: () => overGoogle({ turn: { text: TEXT, calls: [CALL] }, stall: 6 }),
    broken: () => overGoogle({ status: { status: 400, body: "no" } }),
  },
};

async function overChat(answer: ChatAnswer): Promise<Model> {
  const server = await startChatServer(() => answer);
  return service("openai:gpt-x", { openai: { baseUrl: server.url, apiKey: "k" } });
}
async function overAws(answer: AwsAnswer): Promise<Model> {
  const server = await startAws(() => answer);
  return service("bedrock:anthropic.claude-haiku-4-5-20251001-v1:0", {
    bedrock: { region: AWS.region, baseUrl: server.url, token: "bedrock-token" },
  });
}
async function overGoogle(answer: GoogleAnswer): Promise<Model> {
  const server = await startGoogle(() => answer);
  return service("vertex:claude-haiku-4-5@20251001", { vertex: { ...GOOGLE, baseUrl: `${server.url}/v1` } });
}
/** As the program opens it, by its name. */
function service(id: string, access: ModelAccess): Model {
  return openModel(id, { access, clock: systemClock, random });
}

const isEnd = (event: ModelEvent) => event.type === "reply" || event.type === "failed";

describe.each(Object.entries(MODELS))("M1, M4: a model: %s", (_, maker) => {
  it("gives deltas, then exactly one terminal event, whose blocks are what was streamed", async () => {
    const model = await maker.good();
    const events = await eventsFrom(model);
    expect(events.filter(isEnd)).toHaveLength(1);
    const reply = endOf(events, "reply");
    expect(reply.stopReason).toBe("tool_use");
    expect(reply.blocks.map((b) => b.type)).toEqual(["text", "tool_use"]);
    expect(textIn(events)).toBe(reply.blocks[0]?.type === "text" ? reply.blocks[0].text : "");
    const call = reply.blocks[1];
    if (call?.type !== "tool_use") throw new Error("no call");
    expect(call).toMatchObject(CALL);
    const inputs = events.filter((e) => e.type === "input");
    expect(new Set(inputs.map((e) => `${e.callId} ${e.tool}`))).toEqual(new Set([`${call.id} Glob`]));
    expect(JSON.parse(inputs.map((e) => e.json).join(""))).toEqual(CALL.input);
    expect(reply.usage.output).toBeGreaterThan(0);
  });

  it("answers the same request the same way, and leaves it alone", async () => {
    const model = await maker.good();
    const request = ask();
    const before = JSON.stringify(request);
    const [first, second] = [await eventsFrom(model, request), await eventsFrom(model, request)];
    expect(textIn(second)).toBe(textIn(first));
    expect(JSON.stringify(request)).toBe(before);
  });

  it("S7: stopped before it begins, it only says so", async () => {
    const events = await eventsFrom(await maker.slow(), ask(), AbortSignal.abort());
    expect(events).toHaveLength(1);
    expect(endOf(events, "failed")).toMatchObject({ kind: "aborted", partial: [] });
  });

  it("S7: stopped in the middle, it ends at once with what had come", async () => {
    const abort = new AbortController();
    const events = await eventsFrom(await maker.slow(), ask(), abort.signal, (event) => {
      if (event.type === "text") abort.abort();
    });
    expect(events.filter(isEnd)).toHaveLength(1);
    const { kind, partial } = endOf(events, "failed");
    expect(kind).toBe("aborted");
    expect(partial).toEqual([{ type: "text", text: textIn(events) }]);
    expect(textIn(events)).not.toBe("");
    // One more may be on its way.
    expect(events.filter((e) => e.type === "text").length).toBeLessThan(4);
    expect(events.filter((e) => e.type === "input")).toEqual([]);
  });

  it("can be left in the middle", async () => {
    for await (const event of (await maker.slow()).stream(ask(), new AbortController().signal)) {
      expect(event.type).toBe("text");
      break;
    }
  });

  it("never throws: a fault is its last event, in one line", async () => {
    const model = await maker.broken?.();
    if (model === undefined) return expect(maker).toBe(MODELS["demo"]);
    const events = await eventsFrom(model);
    const { message } = endOf(events, "failed");
    expect(events.filter(isEnd)).toHaveLength(1);
    expect(message).toMatch(/^[^\n]+$/);
  });
});

const GOOD = { turn: { text: TEXT, calls: [CALL] } };
const KEY = "sk-secret-0123456789";
type Way = (service: string) => Promise<string>;

/** Each service behind a way that may be spoilt; gives the model's name and how it is reached. */
const SERVICES: Readonly<Record<string, (way: Way) => Promise<[string, ModelAccess]>>> = {
  "the Messages API": async (way) => {
    const { url } = await startApi(() => GOOD);
    return ["claude-sonnet-5-5", { baseUrl: await way(url), apiKey: KEY }];
  },
  "chat completions": async (way) => {
    const { url } = await startChatServer(() => GOOD);
    return ["openai:gpt-x", { openai: { baseUrl: await way(url), apiKey: KEY } }];
  },
  Bedrock: async (way) => {
    const { url } = await startAws(() => GOOD);
    const at = { region: AWS.region, baseUrl: await way(url), token: "bedrock-token" };
    return ["bedrock:anthropic.claude-haiku-4-5-20251001-v1:0", { bedrock: at }];
  },
  "Vertex AI": async (way) => {
    const { url } = await startGoogle(() => GOOD);
    return ["vertex:claude-haiku-4-5@20251001", { vertex: { ...GOOGLE, baseUrl: `${await way(url)}/v1` } }];
  },
};

const page = "<!doctype html><html><head><title>Sign in</title></head></html>";
const html = { "content-type": "text/html" };
const status = (code: number, headers: Record<string, string> = {}, body = '{"message":"it said so"}'): WayFault => ({
  kind: "status",
  status: code,
  headers: { "content-type": "application/json", ...headers },
  body,
});
const PASSING: readonly [string, WayFault][] = [
  ["429", status(429)],
  ["a cut in the middle", { kind: "cut", at: 0.4 }],
  ["what is no JSON", { kind: "garble", at: 0.3 }],
  ["an end too early", { kind: "end", at: 0.5 }],
  ["529", status(529)],
  ["500", status(500)],
  ["503 of a proxy, a page", status(503, html, page)],
  ["408", status(408)],
  ["a lost connection", { kind: "reset" }],
  ["an empty stream", { kind: "end", at: 0 }],
  ["a cut ahead of the first byte", { kind: "cut", at: 0 }],
  ...Array.from({ length: 19 }, (_, i): [string, WayFault] => [`a cut at ${5 * i} %`, { kind: "cut", at: i / 20 }]),
  ...Array.from({ length: 19 }, (_, i): [string, WayFault] => [`an end at ${5 * i} %`, { kind: "end", at: i / 20 }]),
  ...[0, 0.2, 0.4, 0.5].map((at): [string, WayFault] => [`no JSON at ${at}`, { kind: "garble", at }]),
];
const LASTING: readonly [string, WayFault, string][] = [
  ["401", status(401), "auth"],
  ["404, no such model", status(404), "not-found"],
  ["a web page where a stream should be", status(200, html, page), "not-found"],
  ["400", status(400), "bad-request"],
  ["403", status(403), "auth"],
  ["413", status(413), "too-long"],
  ["JSON that is cut", status(200, {}, '{"type":"mess'), "not-found"],
  ["a redirect", status(307, { location: "http://127.0.0.1:1/" }, ""), "not-found"],
];

describe.each(Object.entries(SERVICES))("S10, M1: a fault of a service: %s", (_, service) => {
  /** The first `times` answers are spoilt. */
  async function spoilt(fault: WayFault, times: number, more: Partial<ModelDeps> = {}): Promise<[Model, FaultyWay]> {
    let between: FaultyWay | undefined;
    const [id, access] = await service(async (url) => {
      between = await faultyWay(url, (n) => (n <= times ? fault : undefined));
      return between.url;
    });
    if (between === undefined) throw new Error("the service has no way");
    return [openModel(id, { access, clock: quickClock(), random, ...more }), between];
  }

  it.each(PASSING.slice(0, deep(4, PASSING.length)))(
    "%s: asked again, and nothing of the first answer is in the second",
    async (__, fault) => {
      const [model, way] = await spoilt(fault, 1);
      const events = await eventsFrom(model);
      const reply = endOf(events, "reply");
      const again = events.findIndex((e) => e.type === "retrying");
      const retries = retriesIn(events);
      // Once the call had come whole, there is nothing to ask again for (ADR 16).
      expect([reply.attempts, way.asked(), retries.length]).toEqual(
        reply.brokeOff === undefined ? [2, 2, 1] : [1, 1, 0],
      );
      expect(retries.map((r) => r.discarded)).toEqual(retries.map(() => textIn(events.slice(0, again)) !== ""));
      expect(textIn(events.slice(again + 1))).toBe(TEXT);
      expect(reply.blocks).toMatchObject([{ type: "text", text: TEXT }, CALL]);
    },
  );

  it.each(LASTING.slice(0, deep(3, LASTING.length)))("%s: told at once, in one line", async (__, fault, kind) => {
    const [model, way] = await spoilt(fault, 9);
    const events = await eventsFrom(model);
    const end = endOf(events, "failed");
    expect([end.kind, end.retryable, end.partial, way.asked()]).toEqual([kind, false, [], 1]);
    expect(end.message).toMatch(/^[^\n]{20,}$/);
    expect(end.message).not.toMatch(/secret-0123|bedrock-token|google-token/);
  });

  it.each([0.4, 0, 0.2, 0.55].slice(0, deep(1, 4)))(
    "silence from %f of it on: cut off, and asked again",
    async (at) => {
      const [model] = await spoilt({ kind: "stall", at }, 1, { patience: { firstMs: 400, stallMs: 400 } });
      const events = await eventsFrom(model);
      expect(retriesIn(events).map((r) => r.reason)).toEqual([
        expect.stringMatching(/^No (word|answer) from the model/),
      ]);
      expect(endOf(events, "reply").blocks).toMatchObject([{ type: "text", text: TEXT }, CALL]);
    },
  );

  it("one that stays is given up, and told how often it was tried", async () => {
    const [model, way] = await spoilt(status(529), 9, { budget: { attempts: 3, waitMs: 60_000 } });
    const end = endOf(await eventsFrom(model), "failed");
    expect([end.kind, end.retryable, way.asked()]).toEqual(["overloaded", true, 3]);
    expect(end.message).toContain("(tried 3 times)");
  });

  it("the wait that is asked for is kept", async () => {
    const clock = quickClock();
    const [model] = await spoilt(status(429, { "retry-after": "7" }), 1, { clock });
    expect(endOf(await eventsFrom(model), "reply").attempts).toBe(2);
    expect(clock.waits).toEqual([7000]);
  });
});
