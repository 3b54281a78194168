import { apiBreaches } from "./api-rules.ts";
import { signatureOf } from "./api-sse.ts";

/** A request's body, parsed. */
export type ApiBody = Record<string, unknown>;

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
  "cache_control",
]);

/** Everything about a request that the service would answer 400 to; empty when it would take it. */
export function requestBreaches(body: unknown): string[] {
  if (!isRecord(body)) return ["body: no object"];
  const out = Object.keys(body).flatMap((k) => (FIELDS.has(k) ? [] : [`${k}: Extra inputs are not permitted`]));
  if (typeof body["model"] !== "string" || body["model"] === "") out.push("model: Field required");
  const max = body["max_tokens"];
  if (typeof max !== "number" || !Number.isInteger(max) || max < 1) out.push("max_tokens: Field required");
  if (body["stream"] !== true) out.push("stream: this server only streams");
  checkSystem(body["system"], out);
  const names = checkTools(body["tools"], out);
  checkThinking(body, out);
  out.push(...apiBreaches(body["messages"]));
  const marks = count(body, (b) => "cache_control" in b);
  if (marks > 4) out.push(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  count(body, (b) => {
    const mark = b["cache_control"];
    if (mark !== undefined && !(isRecord(mark) && mark["type"] === "ephemeral")) out.push("cache_control: wrong shape");
    if (b["type"] === "thinking" && "cache_control" in b) out.push("thinking: cache_control is not allowed");
    if (b["type"] === "thinking" && b["signature"] !== signatureOf(String(b["thinking"])))
      out.push("thinking: Invalid `signature` in `thinking` block");
    if (b["type"] === "tool_use" && names !== undefined && typeof b["name"] === "string" && "broken" in b)
      out.push("tool_use: broken: Extra inputs are not permitted");
    return false;
  });
  return out;
}

function checkSystem(system: unknown, out: string[]): void {
  if (system === undefined) return;
  if (!Array.isArray(system)) return void out.push("system: Input should be a list");
  system.forEach((block: unknown, i) => {
    const fine = isRecord(block) && block["type"] === "text" && typeof block["text"] === "string";
    if (!fine || String(block["text"]).trim() === "") out.push(`system.${i}: text content blocks must be non-empty`);
    if (isRecord(block)) unknownFields(block, ["type", "text", "cache_control"], `system.${i}`, out);
  });
}

function checkTools(tools: unknown, out: string[]): Set<string> | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return void out.push("tools: Input should be a list");
  const names = new Set<string>();
  tools.forEach((tool: unknown, i) => {
    if (!isRecord(tool)) return void out.push(`tools.${i}: no object`);
    unknownFields(tool, ["name", "description", "input_schema", "cache_control"], `tools.${i}`, out);
    const name = String(tool["name"]);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) out.push(`tools.${i}.name: wrong`);
    if (names.has(name)) out.push("tools: Tool names must be unique.");
    names.add(name);
    const schema = tool["input_schema"];
    if (!isRecord(schema) || schema["type"] !== "object") out.push(`tools.${i}.input_schema.type: must be object`);
    if (isRecord(schema) && "$schema" in schema) out.push(`tools.${i}.input_schema: $schema is noise`);
  });
  return names;
}

function checkThinking(body: ApiBody, out: string[]): void {
  const { thinking, output_config } = body;
  if (thinking !== undefined && !(isRecord(thinking) && thinking["type"] === "adaptive"))
    out.push("thinking: only adaptive is known here");
  const effort = isRecord(output_config) ? output_config["effort"] : "low";
  if (!["low", "medium", "high"].includes(String(effort))) out.push("output_config.effort: wrong");
}

function unknownFields(block: Record<string, unknown>, known: readonly string[], at: string, out: string[]): void {
  for (const key of Object.keys(block))
    if (!known.includes(key)) out.push(`${at}.${key}: Extra inputs are not permitted`);
}

/** Visits every object, and counts those that fit. */
function count(value: unknown, fits: (block: Record<string, unknown>) => boolean): number {
  if (Array.isArray(value)) return value.reduce((sum: number, v: unknown) => sum + count(v, fits), 0);
  if (!isRecord(value)) return 0;
  const below = Object.entries(value).reduce((sum, [k, v]) => sum + (k === "input" ? 0 : count(v, fits)), 0);
  return below + (fits(value) ? 1 : 0);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
