import { describe, expect, it } from "vitest";
import { startApi } from "../../support/api-server.ts";
import { signatureOf } from "../../support/api-sse.ts";

const BODY = {
  model: "m",
  max_tokens: 10,
  stream: true,
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
};
const TOOLS = [{ name: "A", input_schema: { type: "object" } }];
const HEADERS = { "content-type": "application/json", "anthropic-version": "2026-10-21", authorization: "Bearer k" };
const post = (url: string, body: unknown, headers: Record<string, string> = HEADERS) =>
  fetch(`${url}/v1/messages`, { method: "POST", headers, body: JSON.stringify(body) });

describe("the local server of the Messages API", () => {
  it("streams a turn as events", async () => {
    const api = await startApi([{ turn: { text: "abc" } }]);
    const text = await (await post(api.url, BODY)).text();
    expect([...text.matchAll(/^event: (.*)$/gm)].map((m) => m[1])).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(api.breaches).toEqual([]);
  });

  it.each([
    ["no messages", { ...BODY, messages: [] }],
    ["an unknown field", { ...BODY, temperature: 1 }],
    ["no limit", { ...BODY, max_tokens: undefined }],
    ["two replies in a row", { ...BODY, messages: [BODY.messages[0], BODY.messages[0]] }],
    [
      "a lone result",
      { ...BODY, messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "r" }] }] },
    ],
    ["an empty system text", { ...BODY, system: [{ type: "text", text: " " }] }],
    ["a tool twice", { ...BODY, tools: [1, 2].map(() => ({ name: "A", input_schema: { type: "object" } })) }],
    ["a schema that is no object", { ...BODY, tools: [{ name: "A", input_schema: { type: "string" } }] }],
    [
      "five breakpoints",
      {
        ...BODY,
        system: [1, 2, 3, 4, 5].map(() => ({ type: "text", text: "a", cache_control: { type: "ephemeral" } })),
      },
    ],
    [
      "a thought that was changed",
      {
        ...BODY,
        messages: [
          BODY.messages[0],
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "a", signature: "s" },
              { type: "text", text: "b" },
            ],
          },
          BODY.messages[0],
        ],
      },
    ],
    ["a tool that is forced and isn't there", { ...BODY, tools: TOOLS, tool_choice: { type: "tool", name: "B" } }],
    ["a choice without tools", { ...BODY, tool_choice: { type: "auto" } }],
    [
      "thoughts with a forced tool",
      { ...BODY, tools: TOOLS, thinking: { type: "adaptive" }, tool_choice: { type: "any" } },
    ],
    ["a budget above the limit", { ...BODY, thinking: { type: "enabled", budget_tokens: 2000 } }],
    [
      "calls without tools",
      {
        ...BODY,
        messages: [
          BODY.messages[0],
          { role: "assistant", content: [{ type: "tool_use", id: "a", name: "A", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x" }] },
        ],
      },
    ],
    ["half an emoji in the system prompt", { ...BODY, system: [{ type: "text", text: "a\ud83d" }] }],
  ])("answers 400 to %s", async (_, body) => {
    const api = await startApi([{ turn: { text: "abc" } }]);
    const response = await post(api.url, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(api.breaches).not.toEqual([]);
  });

  it("answers 413 to a body of more than 32 MB", async () => {
    const api = await startApi([{}]);
    const long = { ...BODY, messages: [{ role: "user", content: "x".repeat(32e6) }] };
    expect((await post(api.url, long)).status).toBe(413);
  });

  it("remembers what it said: a thought that comes back otherwise is refused", async () => {
    const one = { type: "thinking", thinking: "a", signature: signatureOf("a") };
    const two = { type: "thinking", thinking: "b", signature: signatureOf("b") };
    const dark = { type: "redacted_thinking", data: "D" };
    const call = { type: "tool_use", id: "t", name: "A", input: {} };
    const said = [
      one,
      { type: "text", text: "x " },
      call,
      two,
      { type: "text", text: " \n" },
      dark,
      { ...call, id: "u" },
    ];
    const whole = said.filter((b) => b !== said[4]);
    const status = async (content: unknown[]): Promise<number> => {
      const api = await startApi(() => ({ turn: { blocks: said } }));
      await (await post(api.url, BODY)).text();
      const results = ["t", "u"].map((id) => ({ type: "tool_result", tool_use_id: id, content: "x" }));
      const messages = [BODY.messages[0], { role: "assistant", content }, { role: "user", content: results }];
      return (await post(api.url, { ...BODY, tools: TOOLS, messages })).status;
    };
    expect(await status(whole)).toBe(200);
    expect(await status(whole.filter((b) => !("thinking" in b) && !("data" in b)))).toBe(200);
    const wrong = [
      whole.with(3, dark).with(4, two),
      whole.filter((b) => b !== two),
      whole.filter((b) => b !== one),
      [two, ...whole.slice(1)],
      whole.with(4, { ...dark, data: "E" }),
    ];
    for (const content of wrong) expect(await status(content)).toBe(400);
  });

  it("lets the model have the last word behind a pause alone", async () => {
    const api = await startApi(() => ({ turn: { text: "a", stopReason: "pause_turn" } }));
    const open = { ...BODY, messages: [BODY.messages[0], { role: "assistant", content: "a" }] };
    expect((await post(api.url, open)).status).toBe(400);
    await (await post(api.url, BODY)).text();
    expect((await post(api.url, open)).status).toBe(200);
  });

  it("knows its key, its path and its headers", async () => {
    const api = await startApi([], { key: "right" });
    expect((await post(api.url, BODY)).status).toBe(401);
    expect((await post(`${api.url}/x`, BODY)).status).toBe(404);
    const open = await startApi([]);
    expect((await post(open.url, BODY, { "content-type": "application/json" })).status).toBe(400);
  });
});
