import { describe, expect, it } from "vitest";
import { toParams } from "../../../src/model/anthropic-request.ts";
import type { Message, ModelRequest } from "../../../src/model/model.ts";
import { requestBreaches } from "../../support/api-check.ts";
import { signatureOf } from "../../support/api-sse.ts";
import { documentBlock, imageBlock, pdf } from "../../support/media.ts";
import { ask } from "../../support/model.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const thinking = { type: "thinking" as const, thinking: "Hm.", signature: signatureOf("Hm.") };
const odd = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { q: "1" }, deep: { a: [1] } };

function talk(): ModelRequest {
  return ask({
    system: [{ text: "one" }, { text: "two" }],
    messages: [
      user("first"),
      {
        role: "assistant",
        content: [
          thinking,
          { type: "redacted_thinking", data: "zzz" },
          { type: "other", raw: odd },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" }, broken: "{" },
          { type: "tool_use", id: "t2", name: "Read", input: { file_path: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "cut off" }], is_error: true },
          {
            type: "tool_result",
            tool_use_id: "t2",
            content: [imageBlock(), documentBlock(pdf(1), "T")],
          },
          { type: "text", text: "and be quick" },
        ],
      },
    ],
  });
}

/** Paths of everything that carries a cache breakpoint. */
function marked(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const here = "cache_control" in value ? [at] : [];
  return [...here, ...Object.entries(value).flatMap(([k, v]) => marked(v, `${at}/${k}`))];
}

describe("a request in the API's shape", () => {
  it("is one that a strict server takes", () => {
    expect(requestBreaches(toParams("m", talk()))).toEqual([]);
    expect(requestBreaches(toParams("m", ask({ system: [], tools: [], effort: "high" })))).toEqual([]);
  });

  it("L6: thinking, its signature and unknown blocks go back as they came; what was broken is left out", () => {
    expect(toParams("m", talk()).messages[1]?.content).toEqual([
      thinking,
      { type: "redacted_thinking", data: "zzz" },
      odd,
      { type: "text", text: "I look." },
      { type: "tool_use", id: "t1", name: "Read", input: { file_path: "a" } },
      { type: "tool_use", id: "t2", name: "Read", input: { file_path: "b" } },
    ]);
  });

  it("C1: breakpoints stand behind tools, system prompt and the two newest messages of the person's side", () => {
    expect(marked(toParams("m", talk()))).toEqual([
      "/system/1",
      "/tools/3",
      "/messages/0/content/0",
      "/messages/2/content/2",
    ]);
    expect(marked(toParams("m", ask({ tools: [] })))).toEqual(["/system/0", "/messages/0/content/0"]);
  });

  it("C1: but for the breakpoints, a later request begins with the one before, byte by byte", () => {
    const first = talk();
    const later = {
      ...first,
      messages: [...first.messages, { role: "assistant" as const, content: [thinking] }, user("more")],
    };
    const bare = (request: ModelRequest) =>
      JSON.stringify(toParams("m", request).messages).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
    expect(bare(later).startsWith(bare(first).slice(0, -1))).toBe(true);
    expect(JSON.stringify(toParams("m", later).tools)).toBe(JSON.stringify(toParams("m", first).tools));
  });

  it("M2: effort asks for adaptive thinking; without it nothing is said of either", () => {
    const params = toParams("m", ask({ effort: "medium" }));
    expect(params).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "medium" } });
    expect(Object.keys(toParams("m", ask()))).toEqual(["model", "stream", "max_tokens", "system", "tools", "messages"]);
  });
  it("M2: a model without effort gets a budget to think within, one without thoughts nothing", () => {
    const { thinking, output_config } = toParams("m", ask({ effort: "high", maxTokens: 64_000 }), "budget");
    expect(thinking).toEqual({ type: "enabled", budget_tokens: 32_000 });
    expect(output_config).toBeUndefined();
    // Never all of what the reply may hold, and none that is too small to be taken.
    expect(toParams("m", ask({ effort: "high", maxTokens: 8000 }), "budget").thinking).toMatchObject({
      budget_tokens: 4000,
    });
    expect(toParams("m", ask({ effort: "low", maxTokens: 2000 }), "budget")).not.toHaveProperty("thinking");
    expect(toParams("m", ask({ effort: "low" }), "none")).not.toHaveProperty("thinking");
    expect(requestBreaches(toParams("m", ask({ effort: "low", maxTokens: 64_000 }), "budget"))).toEqual([]);
  });

  it("doesn't change what it is given", () => {
    const request = talk();
    const before = JSON.stringify(request);
    toParams("m", request);
    expect(JSON.stringify(request)).toBe(before);
  });
});
