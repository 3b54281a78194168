import { cacheMark, isBlank, isRecord, type Block } from "./api-blocks.ts";
import { apiBreaches, halves } from "./api-rules.ts";
import type { SentReplies } from "./api-sent.ts";
import { signatureOf } from "./api-sse.ts";

/** A request's body, parsed. */
export type ApiBody = Record<string, unknown>;

export interface RequestRuleOptions {
  /** What the server answered so far: thoughts come back as they were. */
  sent?: SentReplies;
  /** Nothing that was put in held U+FFFD, so one in a request was made by a cut. */
  noReplacement?: boolean;
}

/** Bytes of a body. */
export const MOST_BYTES = 32_000_000;
/** As the SDK's `MessageCreateParamsBase` lists them. */
const FIELDS = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "stream",
  "stop_sequences",
  "thinking",
  "output_config",
  "metadata",
  "service_tier",
  "cache_control",
]);
const TOOL_FIELDS = [
  "name",
  "description",
  "input_schema",
  "cache_control",
  "type",
  "strict",
  "defer_loading",
  "input_examples",
];

/** Everything about a request that the service would answer 400 to; empty when it would take it. */
export function requestBreaches(body: unknown, options: RequestRuleOptions = {}): string[] {
  if (!isRecord(body)) return ["The request body is not valid JSON"];
  const out = Object.keys(body).flatMap((k) => (FIELDS.has(k) ? [] : [`${k}: Extra inputs are not permitted`]));
  if (typeof body["model"] !== "string" || body["model"] === "") out.push("model: Field required");
  const max = body["max_tokens"];
  if (typeof max !== "number" || !Number.isInteger(max) || max < 1) out.push("max_tokens: Field required");
  if (body["stream"] !== true) out.push("stream: this server only streams");
  checkSystem(body["system"], out);
  const names = checkTools(body["tools"], out);
  checkToolChoice(body, names, out);
  checkThinking(body, out);
  const paused = options.sent?.paused === true;
  out.push(...apiBreaches(body["messages"], { paused }), ...(options.sent?.changed(body["messages"]) ?? []));
  out.push(...halves(body["system"], "system"), ...halves(body["tools"], "tools"));
  checkEverywhere(body, out);
  if (options.noReplacement === true && JSON.stringify(body).includes("\ufffd"))
    out.push("The request holds U+FFFD, and nothing that was put in did");
  return out;
}

/** Breakpoints, signatures, and calls without tools. */
function checkEverywhere(body: ApiBody, out: string[]): void {
  const marks = count(body, (b) => (b["cache_control"] ?? undefined) !== undefined);
  if (marks > 4) out.push(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  const calls = count(body["messages"], (b) => b["type"] === "tool_use" || b["type"] === "tool_result");
  if (calls > 0 && body["tools"] === undefined)
    out.push("Requests which include `tool_use` or `tool_result` blocks must define tools");
  if (!Array.isArray(body["messages"])) return;
  body["messages"].forEach((message: unknown, i) => {
    const content = isRecord(message) && Array.isArray(message["content"]) ? message["content"] : [];
    content.forEach((b: unknown, j) => {
      if (isRecord(b) && b["type"] === "thinking" && b["signature"] !== signatureOf(String(b["thinking"])))
        out.push(`messages.${i}.content.${j}: Invalid \`signature\` in \`thinking\` block`);
    });
  });
}

function checkSystem(system: unknown, out: string[]): void {
  if (system === undefined) return;
  if (!Array.isArray(system)) return void out.push("system: Input should be a valid list");
  system.forEach((block: unknown, i) => {
    if (!isRecord(block) || block["type"] !== "text" || typeof block["text"] !== "string")
      return void out.push(`system.${i}: Input should be a text block`);
    if (isBlank(block["text"])) out.push(`system: text content blocks must be non-empty (system.${i})`);
    unknownFields(block, ["type", "text", "cache_control"], `system.${i}`, out);
    cacheMark(block, `system.${i}`, out);
  });
}

function checkTools(tools: unknown, out: string[]): Set<string> {
  const names = new Set<string>();
  if (tools === undefined) return names;
  if (!Array.isArray(tools) || tools.length === 0) {
    out.push("tools: Input should be a valid list with items");
    return names;
  }
  tools.forEach((tool: unknown, i) => {
    if (!isRecord(tool)) return void out.push(`tools.${i}: Input should be a valid dictionary`);
    unknownFields(tool, TOOL_FIELDS, `tools.${i}.custom`, out);
    cacheMark(tool, `tools.${i}`, out);
    const { name, description, input_schema: schema } = tool;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)))
      out.push(`tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (names.has(String(name))) out.push("tools: Tool names must be unique.");
    names.add(String(name));
    if (description !== undefined && typeof description !== "string")
      out.push(`tools.${i}.custom.description: Input should be a valid string`);
    if (!isRecord(schema) || schema["type"] !== "object")
      out.push(`tools.${i}.custom.input_schema.type: Input should be 'object'`);
    if (isRecord(schema) && ["oneOf", "allOf", "anyOf"].some((key) => key in schema))
      out.push(`tools.${i}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`);
    // The service takes it; the program has no use for it.
    if (isRecord(schema) && "$schema" in schema) out.push(`tools.${i}.input_schema: $schema is noise`);
  });
  return names;
}

function checkToolChoice(body: ApiBody, names: ReadonlySet<string>, out: string[]): void {
  const choice = body["tool_choice"];
  if (choice === undefined) return;
  if (!isRecord(choice) || !["auto", "any", "tool", "none"].includes(String(choice["type"])))
    return void out.push(
      "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
    );
  unknownFields(choice, ["type", "name", "disable_parallel_tool_use"], "tool_choice", out);
  if (body["tools"] === undefined) out.push("tool_choice may only be specified while providing tools");
  const named = choice["type"] === "tool";
  if (named !== "name" in choice) out.push("tool_choice.tool.name: Field required, and there alone");
  if (named && !names.has(String(choice["name"])))
    out.push(`tool_choice: Tool '${String(choice["name"])}' not found in provided tools`);
  const forced = named || choice["type"] === "any";
  if (forced && isRecord(body["thinking"]) && body["thinking"]["type"] !== "disabled")
    out.push("Thinking may not be enabled when tool_choice forces tool use.");
}

function checkThinking(body: ApiBody, out: string[]): void {
  const { thinking, output_config, max_tokens } = body;
  if (thinking !== undefined && !isRecord(thinking)) out.push("thinking: Input should be a valid dictionary");
  if (isRecord(thinking)) {
    const { type, budget_tokens: budget } = thinking;
    if (!["adaptive", "enabled", "disabled"].includes(String(type)))
      out.push("thinking: Input tag does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'");
    if (type === "enabled" && !(typeof budget === "number" && budget >= 1024))
      out.push("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (type === "enabled" && Number(budget) >= Number(max_tokens))
      out.push("`max_tokens` must be greater than `thinking.budget_tokens`.");
    unknownFields(
      thinking,
      type === "enabled" ? ["type", "budget_tokens", "display"] : ["type", "display"],
      "thinking",
      out,
    );
  }
  const effort = isRecord(output_config) ? (output_config["effort"] ?? "low") : "low";
  if (!["low", "medium", "high", "xhigh", "max"].some((known) => known === effort))
    out.push("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
}

function unknownFields(block: Block, known: readonly string[], at: string, out: string[]): void {
  for (const key of Object.keys(block))
    if (!known.includes(key)) out.push(`${at}.${key}: Extra inputs are not permitted`);
}

/** Visits every object but the inputs of calls and the schemas of tools, and counts those that fit. */
function count(value: unknown, fits: (block: Block) => boolean): number {
  if (Array.isArray(value)) return value.reduce((sum: number, v: unknown) => sum + count(v, fits), 0);
  if (!isRecord(value)) return 0;
  const below = Object.entries(value).reduce(
    (sum, [k, v]) => sum + (k === "input" || k === "input_schema" ? 0 : count(v, fits)),
    0,
  );
  return below + (fits(value) ? 1 : 0);
}
