import type { ContentBlock } from "../events/block.ts";
import type { Message, ModelRequest, RequestBlock } from "./model.ts";

type Part = Record<string, unknown>;

/**
 * A request in the shape of chat completions. Thoughts and blocks that only the Messages API knows stay behind; a tool's result is text
 * there, so pictures and documents of results follow in a message of the person's side. `limit`: what the reply's most tokens are called,
 * where they are known at all.
 */
export function toChat(
  model: string,
  request: ModelRequest,
  limit?: "max_tokens" | "max_completion_tokens",
): Record<string, unknown> {
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(limit === undefined ? {} : { [limit]: request.maxTokens }),
    ...(request.effort === undefined ? {} : { reasoning_effort: request.effort }),
    messages: [
      ...(request.system.length === 0
        ? []
        : [{ role: "system", content: request.system.map(({ text }) => text).join("\n\n") }]),
      ...request.messages.flatMap(messagesOf),
    ],
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, input_schema }) => ({
            type: "function",
            function: { name, description, parameters: input_schema },
          })),
        }),
  };
}

function messagesOf({ role, content }: Message): Part[] {
  return role === "assistant" ? assistant(content) : user(content);
}

function assistant(content: readonly RequestBlock[]): Part[] {
  const words = content.flatMap((b) => (b.type === "text" ? [b.text] : []));
  const calls = content.flatMap((b) =>
    b.type === "tool_use"
      ? [{ id: b.id, type: "function", function: { name: b.name, arguments: JSON.stringify(b.input) } }]
      : [],
  );
  if (words.length === 0 && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: words.length === 0 ? null : words.join("\n\n"),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** All results come first and stand together, as the protocol asks; what they can't hold is said behind them. */
function user(content: readonly RequestBlock[]): Part[] {
  const results: Part[] = [];
  const parts: Part[] = [];
  for (const block of content) {
    if (block.type === "tool_result") {
      const texts = block.content.flatMap((b) => (b.type === "text" ? [b.text] : [`(a ${b.type}, shown below)`]));
      results.push({ role: "tool", tool_call_id: block.tool_use_id, content: texts.join("\n") });
      const shown = block.content.filter((b) => b.type !== "text");
      if (shown.length > 0) parts.push({ type: "text", text: `From the result of ${block.tool_use_id}:` });
      parts.push(...shown.map(partOf));
    } else if (block.type === "text" || block.type === "image" || block.type === "document") parts.push(partOf(block));
  }
  return parts.length === 0 ? results : [...results, { role: "user", content: plain(parts) }];
}

/** A text alone goes as a text: not every server takes parts. */
function plain(parts: readonly Part[]): unknown {
  return parts.every((part) => part["type"] === "text") ? parts.map((part) => part["text"]).join("\n\n") : parts;
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image_url", image_url: { url: dataUrl(block.source) } };
    case "document":
      return {
        type: "file",
        file: { filename: block.title ?? "document.pdf", file_data: dataUrl(block.source) },
      };
  }
}

function dataUrl({ media_type, data }: { media_type: string; data: string }): string {
  return `data:${media_type};base64,${data}`;
}
