import { checkBlock, idsOf, isRecord, SPACE_END, type Block } from "./api-blocks.ts";
import { mediaBreaches } from "./api-media.ts";

/**
 * The Messages API's rules on `messages`, checked strictly and on purpose without any code of the program: what a server answers 400 to,
 * in its own words where they are known, and what the program promises beyond (L4). Works on a parsed request body as well as on the
 * program's own messages.
 */
export interface ApiRuleOptions {
  /** It is a request: something is there, and a person or a result has the last word. Default true. */
  request?: boolean;
  /** The reply before was paused, so the model may have the last word. */
  paused?: boolean;
  /** Blocks of type `other` (unwrapped only by the model) are let through. For messages that haven't been through a model yet. */
  wrapped?: boolean;
}

const MOST_MESSAGES = 100_000;

/** Every breach, as `messages.i.content.j: what`; empty when the API would take it. */
export function apiBreaches(messages: unknown, options: ApiRuleOptions = {}): string[] {
  if (!Array.isArray(messages)) return ["messages: Input should be a valid list"];
  const out: string[] = [];
  const list: unknown[] = messages;
  const isRequest = options.request !== false;
  if (isRequest && list.length === 0) out.push("messages: at least one message is required");
  if (list.length > MOST_MESSAGES) out.push(`messages: List should have at most ${MOST_MESSAGES} items`);
  const seen = new Set<string>();
  list.forEach((message, i) => checkMessage(message, i, list, seen, options, out));
  if (isRequest && options.paused !== true && list.length > 0 && roleOf(list.at(-1)) !== "user")
    out.push("This model does not support assistant message prefill. The conversation must end with a user message.");
  out.push(...mediaBreaches(list), ...halves(list, "messages"));
  return out;
}

function checkMessage(
  message: unknown,
  i: number,
  list: unknown[],
  seen: Set<string>,
  options: ApiRuleOptions,
  out: string[],
): void {
  const at = `messages.${i}`;
  if (!isRecord(message)) return void out.push(`${at}: Input should be a valid dictionary`);
  for (const key of Object.keys(message))
    if (key !== "role" && key !== "content") out.push(`${at}.${key}: Extra inputs are not permitted`);
  const role = roleOf(message);
  if (role !== "user" && role !== "assistant")
    out.push(`${at}.role: Input should be 'user' or 'assistant', not ${String(role)}`);
  if (role !== (i % 2 === 0 ? "user" : "assistant"))
    out.push(`messages: roles must alternate between "user" and "assistant" from user on, but not at ${i}`);
  const content = message["content"];
  // Short form: one text.
  const blocks: unknown[] =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  if (blocks.length === 0)
    out.push(`${at}: all messages must have non-empty content except for the optional final assistant message`);
  blocks.forEach((block, j) => checkBlock(block, `${at}.content.${j}`, role, options.wrapped === true, out));
  if (role === "assistant") checkAssistant(blocks, i, list.length, seen, out);
  if (role === "assistant" && options.paused !== true) checkAnswered(blocks, i, list[i + 1], options, out);
  if (role === "user") checkResults(blocks, i, list[i - 1], out);
}

function checkAssistant(blocks: unknown[], i: number, length: number, seen: Set<string>, out: string[]): void {
  for (const id of [...idsOf(blocks, "tool_use", "id"), ...idsOf(blocks, "server_tool_use", "id")]) {
    if (seen.has(id)) out.push(`messages: \`tool_use\` ids must be unique (${id})`);
    seen.add(id);
  }
  const last = blocks.at(-1);
  if (!isRecord(last)) return;
  if (last["type"] === "thinking" || last["type"] === "redacted_thinking")
    out.push(`messages.${i}: The final block in an assistant message cannot be \`thinking\`.`);
  // The service refuses it in the last message alone; the program never sends it.
  if (last["type"] === "text" && SPACE_END.test(String(last["text"])))
    out.push(
      `messages.${i}${i === length - 1 ? ": final" : ":"} assistant content cannot end with trailing whitespace`,
    );
}

/** Every call has its result in the very next message. */
function checkAnswered(blocks: unknown[], i: number, next: unknown, options: ApiRuleOptions, out: string[]): void {
  if (next === undefined && options.request === false) return;
  const results = new Set(idsOf(contentOf(next, "user"), "tool_result", "tool_use_id"));
  const missing = idsOf(blocks, "tool_use", "id").filter((id) => !results.has(id));
  if (missing.length > 0)
    out.push(
      `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
}

/** Exactly the results of the calls before, first, in the calls' order. */
function checkResults(blocks: unknown[], i: number, before: unknown, out: string[]): void {
  const results = idsOf(blocks, "tool_result", "tool_use_id");
  const calls = idsOf(contentOf(before, "assistant"), "tool_use", "id");
  const seen = new Set<string>();
  blocks.forEach((block, j) => {
    if (!isRecord(block) || block["type"] !== "tool_result") return;
    const id = String(block["tool_use_id"]);
    if (!calls.includes(id))
      out.push(
        `messages.${i}.content.${j}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (seen.has(id))
      out.push(
        `messages.${i}.content.${j}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    seen.add(id);
  });
  // Beyond the service's rules: in the calls' order, before anything else.
  if (seen.size === calls.length && results.join("\n") !== calls.join("\n"))
    out.push(`messages.${i}: results ${results.join()} are not in the order of the calls ${calls.join()}`);
  const first = blocks.findIndex((b) => !isRecord(b) || b["type"] !== "tool_result");
  if (first >= 0 && first < results.length) out.push(`messages.${i}.content.${first}: tool results don't come first`);
}

function contentOf(message: unknown, role: string): unknown[] {
  return isRecord(message) && message["role"] === role && Array.isArray(message["content"]) ? message["content"] : [];
}

/** Where a text holds half a surrogate pair, which no JSON reader but JavaScript's takes. */
export function halves(value: unknown, at: string): string[] {
  if (typeof value === "string")
    return value.isWellFormed() ? [] : [`The request body is not valid JSON: no low surrogate in string: ${at}`];
  if (Array.isArray(value)) return value.flatMap((v, i) => halves(v, `${at}.${i}`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([k, v]) => [...halves(k, `a key of ${at}`), ...halves(v, `${at}.${k}`)]);
}

function roleOf(message: unknown): unknown {
  return isRecord(message) ? (message as Block)["role"] : undefined;
}
