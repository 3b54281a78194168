import type Anthropic from "@anthropic-ai/sdk";
import type { Thinking } from "./known.ts";
import type { ModelRequest, RequestBlock } from "./model.ts";

type Params = Anthropic.MessageCreateParamsStreaming;
type Param = Anthropic.ContentBlockParam;
const CACHE = { cache_control: { type: "ephemeral" as const } };

/**
 * A request in the API's shape, with cache breakpoints behind the tools, the system prompt and the two newest messages of the person's side
 * (C1): the older one is where the request before ended, which the service finds only within 20 blocks of a breakpoint.
 */
export function toParams(id: string, request: ModelRequest, thinking: Thinking = "adaptive"): Params {
  const marked = new Set(request.messages.flatMap(({ role }, i) => (role === "user" ? [i] : [])).slice(-2));
  return {
    model: id,
    stream: true,
    max_tokens: request.maxTokens,
    ...(request.system.length === 0 ? {} : { system: systemOf(request) }),
    ...(request.tools.length === 0 ? {} : { tools: toolsOf(request) }),
    messages: request.messages.map(({ role, content }, i) => ({
      role,
      content: contentOf(content, marked.has(i)),
    })),
    ...effortOf(request, thinking),
  };
}

/** Tokens to think with, where a model takes no effort as such. */
const BUDGETS = { low: 4000, medium: 12_000, high: 32_000 } as const;
/** The service takes no smaller budget, and wants room for the answer behind it. */
const LEAST_BUDGET = 1024;

function effortOf({ effort, maxTokens }: ModelRequest, thinking: Thinking): Partial<Params> {
  if (effort === undefined || thinking === "none") return {};
  if (thinking === "adaptive") return { thinking: { type: "adaptive" }, output_config: { effort } };
  const budget_tokens = Math.min(BUDGETS[effort], Math.floor(maxTokens / 2));
  return budget_tokens < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens } };
}

function systemOf({ system }: ModelRequest): Anthropic.TextBlockParam[] {
  return system.map(({ text }, i) => ({ type: "text", text, ...(i === system.length - 1 ? CACHE : {}) }));
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
