import { list, plain, type Protocol, strings } from "./protocol.ts";

/** The Messages API. */
export const messages: Protocol = {
  name: "messages",
  path: /^\/v1\/messages(\?|$)/,
  read: (body) => ({
    system:
      strings(body["system"] === undefined ? "" : list(body["system"]).map((block) => block["text"])) ||
      strings(body["system"] ?? ""),
    tools: list(body["tools"]).map(plain),
    messages: list(body["messages"]).map(plain),
    results: list(body["messages"])
      .flatMap((message) => list(message["content"]))
      .filter((block) => block["type"] === "tool_result")
      .map((block) => strings(block["content"])),
  }),
  events({ text = [], calls = [] }, n) {
    const usage = { input_tokens: 10, output_tokens: 2, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const blocks = [
      ...(text.length > 0
        ? [{ start: { type: "text", text: "" }, deltas: text.map((t) => ({ type: "text_delta", text: t })) }]
        : []),
      ...calls.map(({ name, input }, i) => ({
        start: { type: "tool_use", id: `toolu_${n}_${i}`, name, input: {} },
        deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(input) }],
      })),
    ];
    const message = {
      id: `msg_${n}`,
      type: "message",
      role: "assistant",
      model: "bench",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
    return [
      event("message_start", { message }),
      ...blocks.flatMap(({ start, deltas }, index) => [
        event("content_block_start", { index, content_block: start }),
        ...deltas.map((delta) => event("content_block_delta", { index, delta })),
        event("content_block_stop", { index }),
      ]),
      event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }) + event("message_stop", {}),
    ];
  },
};

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
