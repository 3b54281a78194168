import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownModel } from "../../../src/model/known.ts";
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
  it("windows are known by the beginning of a name, and small where nobody knows", () => {
    expect(knownModel("claude-haiku-4-5-20251001").contextWindow).toBe(200_000);
    expect(knownModel("claude-sonnet-5-5").maxOutput).toBe(64_000);
    expect(knownModel("qwen3-coder")).toEqual({ contextWindow: 128_000, maxOutput: 16_000 });
  });
});
