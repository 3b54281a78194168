import { list, plain, type Protocol, strings } from "./protocol.ts";

/** Chat completions. */
export const chat: Protocol = {
  name: "chat",
  path: /^\/v1\/chat\/completions(\?|$)/,
  read(body) {
    const all = list(body["messages"]);
    const isSystem = (role: unknown): boolean => role === "system" || role === "developer";
    return {
      system: all
        .filter(({ role }) => isSystem(role))
        .map(({ content }) => strings(content))
        .join("\n"),
      tools: list(body["tools"]).map(plain),
      messages: all.filter(({ role }) => !isSystem(role)).map(plain),
      results: all.filter(({ role }) => role === "tool").map(({ content }) => strings(content)),
    };
  },
  events({ text = [], calls = [] }, n) {
    const chunk = (rest: object) =>
      `data: ${JSON.stringify({ id: `chatcmpl_${n}`, object: "chat.completion.chunk", created: 1, model: "bench", ...rest })}\n\n`;
    const delta = (part: object) => chunk({ choices: [{ index: 0, delta: part, finish_reason: null }] });
    return [
      delta({ role: "assistant", content: "" }),
      ...text.map((content) => delta({ content })),
      ...calls.map(({ name, input }, index) =>
        delta({
          tool_calls: [
            { index, id: `call_${n}_${index}`, type: "function", function: { name, arguments: JSON.stringify(input) } },
          ],
        }),
      ),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }] }) +
        chunk({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } }) +
        "data: [DONE]\n\n",
    ];
  },
};
