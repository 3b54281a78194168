import { list, type Json, plain, type Protocol, strings } from "./protocol.ts";

/** The Responses API. */
export const responses: Protocol = {
  name: "responses",
  path: /^\/v1\/responses(\?|$)/,
  read: (body) => ({
    system: strings(body["instructions"] ?? ""),
    tools: list(body["tools"]).map(plain),
    messages: list(body["input"]).map(plain),
    results: list(body["input"])
      .filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output")
      .map(({ output }) => strings(output)),
  }),
  events({ text = [], calls = [] }, n) {
    const id = `resp_${n}`;
    const items = [
      ...(text.length > 0 ? [message(`msg_${n}`, text)] : []),
      ...calls.map(({ name, input }, i) => {
        const item = {
          type: "function_call",
          id: `fc_${n}_${i}`,
          call_id: `call_${n}_${i}`,
          name,
          arguments: JSON.stringify(input),
        };
        return { item, deltas: [] as Json[] };
      }),
    ];
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 12,
    };
    return [
      event("response.created", { response: { id, object: "response", status: "in_progress", output: [] } }),
      ...items.flatMap(({ item, deltas }, output_index) => [
        event("response.output_item.added", { output_index, item: { ...item, content: [] } }),
        ...deltas.map((delta) => event("response.output_text.delta", { output_index, content_index: 0, ...delta })),
        event("response.output_item.done", { output_index, item }),
      ]),
      event("response.completed", {
        response: { id, object: "response", status: "completed", output: items.map(({ item }) => item), usage },
      }),
    ];
  },
};

function message(id: string, text: readonly string[]): { item: Json; deltas: Json[] } {
  const content = [{ type: "output_text", text: text.join(""), annotations: [] }];
  return {
    item: { type: "message", id, role: "assistant", status: "completed", content },
    deltas: text.map((delta) => ({ item_id: id, delta })),
  };
}

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}
