import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownModel, plainName } from "../../../src/model/known.ts";
import { ModelError, openModel, type ModelAccess } from "../../../src/model/open.ts";
import { systemClock } from "../../../src/util/system.ts";
import { eventsFrom, textIn } from "../../support/model.ts";
import { scratch } from "../../support/scratch.ts";

const open = (id: string, access: ModelAccess = {}) =>
  openModel(id, { clock: systemClock, access, random: Math.random, demoWordMs: 0 });
function file(text: string): string {
  const path = join(scratch("model"), "turns: a.json");
  writeFileSync(path, text);
  return path;
}
const wrong = (id: string): string => {
  try {
    open(id);
  } catch (error) {
    if (error instanceof ModelError) return error.message;
    throw error;
  }
  return "";
};

describe("the model of a name", () => {
  it("M3: without a key it names the key, the demo and local servers, in one line", () => {
    expect(wrong("claude-sonnet-5-5")).toMatch(
      /^No key for claude-sonnet-5-5: .*ANTHROPIC_API_KEY.*--model demo.*ANTHROPIC_BASE_URL[^\n]*$/,
    );
    for (const access of [{ apiKey: "k" }, { authToken: "t" }, { baseUrl: "http://localhost:1" }])
      expect(open("claude-sonnet-5-5", access).id).toBe("claude-sonnet-5-5");
  });
  it("M3: the demo needs neither key nor network", async () => {
    expect(open("demo").id).toBe("demo");
    expect(textIn(await eventsFrom(open("demo")))).toContain("demo");
  });
  it("M4: scripts and recordings by file, and what is wrong with them", async () => {
    const script = `scripted:${file('{"turns":[{"text":"hello"}]}')}`;
    expect(open(script).id).toBe(script);
    expect(textIn(await eventsFrom(open(script)))).toBe("hello");
    const blocks = '[{"type":"text","text":"again"}]';
    const usage = '{"input":1,"output":1,"cacheRead":0,"cacheWrite":0}';
    const recording = `recorded:${file(`{"type":"reply.completed","blocks":${blocks},"usage":${usage},"stopReason":"end_turn"}\n`)}`;
    expect(textIn(await eventsFrom(open(recording)))).toBe("again");
    expect(wrong("scripted:/no/such")).toMatch(/^Can't read the script "\/no\/such": ENOENT/);
    expect(wrong(`scripted:${file('{"turns":[{"txt":1}]}')}`)).toMatch(/is wrong at turns\.0: .*txt/);
    expect(wrong(`recorded:${file("{oops")}`)).toMatch(/^Can't read the recording .*: line 1 is no JSON$/);
    expect(wrong(`recorded:${file('{"type":"reply.completed"}')}`)).toMatch(/^The recording .* is wrong at /);
  });
  it("M1: each service by what stands before the colon, with its own key, region or package", () => {
    expect(wrong("openai:gpt-x")).toMatch(/^No key for openai:gpt-x: .*OPENAI_API_KEY.*--model demo.*OPENAI_BASE_URL/);
    // The key of one service is none of another's.
    expect(wrong("openai:gpt-x")).toBe(
      (() => {
        try {
          open("openai:gpt-x", { apiKey: "k" });
        } catch (error) {
          return error instanceof ModelError ? error.message : "";
        }
        return "";
      })(),
    );
    expect(open("openai:gpt-x", { openai: { apiKey: "k" } }).id).toBe("openai:gpt-x");
    expect(open("bedrock:anthropic.claude-haiku-4-5-20251001-v1:0").contextWindow).toBe(200_000);
    expect(wrong("vertex:claude-haiku-4-5")).toContain("CLOUD_ML_REGION");
    expect(open("vertex:claude-sonnet-5-5", { vertex: { region: "global" } }).maxOutput).toBe(128_000);
    expect(open("anthropic:claude-sonnet-5-5", { apiKey: "k" }).id).toBe("claude-sonnet-5-5");
    // A colon may be part of a name.
    expect(open("qwen3:8b", { baseUrl: "http://localhost:1" }).id).toBe("qwen3:8b");
    expect(wrong("openai:")).toMatch(/openai:NAME/);
  });
});

describe("M2: what is known of models", () => {
  it("by whole names, with a date or a cloud's additions or without", () => {
    const names = [
      "claude-haiku-4-5",
      "claude-haiku-4-5-20251001",
      "vertex:claude-haiku-4-5@20251001",
      "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0",
    ];
    for (const name of names)
      expect(knownModel(name)).toEqual({ contextWindow: 200_000, maxOutput: 64_000, thinking: "budget" });
    expect(knownModel("claude-sonnet-5-5")).toMatchObject({ contextWindow: 1_000_000, maxOutput: 128_000 });
    expect(plainName("anthropic:claude-sonnet-5-5")).toBe("claude-sonnet-5-5");
    expect(plainName("openai:x")).toBe("openai:x");
  });
  it("small where nobody knows, and said to be guessed", () => {
    expect(knownModel("qwen3-coder")).toMatchObject({ contextWindow: 128_000, maxOutput: 16_000, guessed: true });
    expect(knownModel("claude-new-9")).toMatchObject({ contextWindow: 200_000, guessed: true });
  });
  it("the person's settings go before, by the longest beginning of the name", () => {
    const own = {
      qwen: { contextWindow: 32_000 },
      "openai:qwen3-coder": { contextWindow: 260_000, maxOutput: 20_000, thinking: "none" as const },
    };
    expect(knownModel("openai:qwen3-coder:30b", own)).toEqual({
      contextWindow: 260_000,
      maxOutput: 20_000,
      thinking: "none",
    });
    expect(knownModel("openai:qwen2", own)).toMatchObject({ contextWindow: 32_000, maxOutput: 16_000, guessed: true });
    const model = openModel("openai:qwen2", {
      clock: systemClock,
      access: { openai: { apiKey: "k" } },
      random: Math.random,
      models: own,
    });
    expect(model.contextWindow).toBe(32_000);
  });
});
