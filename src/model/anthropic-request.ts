import type Anthropic from "@anthropic-ai/sdk";
import type { ModelRequest, RequestBlock } from "./model.ts";

type Params = Anthropic.MessageCreateParamsStreaming;
type Param = Anthropic.ContentBlockParam;
const CACHE = { cache_control: { type: "ephemeral" as const } };

/** A request in the API's shape, with cache breakpoints behind the tools, the system prompt and the newest message (C1). */
export function toParams(id: string, request: ModelRequest): Params {
  const last = request.messages.length - 1;
  return {
    model: id,
    stream: true,
    max_tokens: request.maxTokens,
    system: request.system.map(({ text }, i) => ({
      type: "text",
      text,
      ...(i === request.system.length - 1 ? CACHE : {}),
    })),
    ...(request.tools.length === 0 ? {} : { tools: toolsOf(request) }),
    messages: request.messages.map(({ role, content }, i) => ({
      role,
      content: contentOf(content, i === last && role === "user"),
    })),
    ...(request.effort === undefined
      ? {}
      : { thinking: { type: "adaptive" }, output_config: { effort: request.effort } }),
  };
}

function toolsOf({ tools }: ModelRequest): Anthropic.Tool[] {
  return tools.map(({ name, description, input_schema }, i) => ({
    name,
    description,
    input_schema: { ...input_schema, type: "object" },
    ...(i === tools.length - 1 ? CACHE : {}),
  }));
}

function contentOf(content: readonly RequestBlock[], cached: boolean): Param[] {
  return content.map((block, i) =>
    cached && i === content.length - 1 ? Object.assign(blockOf(block), CACHE) : blockOf(block),
  );
}

function blockOf(block: RequestBlock): Param {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.thinking, signature: block.signature };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.data };
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input };
    case "tool_result": {
      const { tool_use_id, content, is_error } = block;
      const inner = content.map(blockOf) as Anthropic.ToolResultBlockParam["content"] & object;
      return { type: "tool_result", tool_use_id, content: inner, ...(is_error === true ? { is_error } : {}) };
    }
    case "image":
      return {
        type: "image",
        source: { ...block.source, media_type: block.source.media_type as Anthropic.Base64ImageSource["media_type"] },
      };
    case "document": {
      const source = { ...block.source, media_type: "application/pdf" as const };
      return { type: "document", source, ...(block.title === undefined ? {} : { title: block.title }) };
    }
    case "other":
      // A block of a kind that we don't know goes back as it came (L6).
      return block.raw as Param;
  }
}
