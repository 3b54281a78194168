import { describe, expect, it } from "vitest";
import { startApi } from "../../support/api-server.ts";

const BODY = {
  model: "m",
  max_tokens: 10,
  stream: true,
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
};
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
  ])("answers 400 to %s", async (_, body) => {
    const api = await startApi([{ turn: { text: "abc" } }]);
    const response = await post(api.url, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(api.breaches).not.toEqual([]);
  });

  it("knows its key, its path and its headers", async () => {
    const api = await startApi([], { key: "right" });
    expect((await post(api.url, BODY)).status).toBe(401);
    expect((await post(`${api.url}/x`, BODY)).status).toBe(404);
    const open = await startApi([]);
    expect((await post(open.url, BODY, { "content-type": "application/json" })).status).toBe(400);
  });
});
