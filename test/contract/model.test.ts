import { describe, expect, it } from "vitest";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { demoModel } from "../../src/model/demo.ts";
import type { Model, ModelEvent } from "../../src/model/model.ts";
import { openModel, type ModelAccess } from "../../src/model/open.ts";
import { recordedModel } from "../../src/model/recorded.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { systemClock } from "../../src/util/system.ts";
import { AWS, startAws, type AwsAnswer } from "../support/aws-server.ts";
import { startChatServer, type ChatAnswer } from "../support/chat-server.ts";
import { GOOGLE, startGoogle, type GoogleAnswer } from "../support/google-server.ts";
import { startApi, type Answer } from "../support/api-server.ts";
import { ask, endOf, eventsFrom, textIn } from "../support/model.ts";

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
