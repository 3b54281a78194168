/**
 * The Messages API's rules on `messages`, checked strictly and on purpose without any code of the program: what a server answers 400 to,
 * and what the program promises beyond (L4). Works on a parsed request body as well as on the program's own messages.
 */
export interface ApiRuleOptions {
  /** It is a request: something is there, and a person or a result has the last word. Default true. */
  request?: boolean;
  /** Blocks of type `other` (unwrapped only by the model) are let through. For messages that haven't been through a model yet. */
  wrapped?: boolean;
}

type Block = Record<string, unknown>;
const SPACE = /^[\s\u0085\u001c-\u001f]*$/u;
const USER = new Set(["text", "image", "document", "tool_result", "search_result"]);
const ASSISTANT = new Set(["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"]);

/** Every breach, as `messages[i].content[j]: what`; empty when the API would take it. */
export function apiBreaches(messages: unknown, options: ApiRuleOptions = {}): string[] {
  if (!Array.isArray(messages)) return ["messages: no array"];
  const out: string[] = [];
  const list: unknown[] = messages;
  if (options.request !== false && list.length === 0) out.push("messages: empty");
  const seen = new Set<string>();
  list.forEach((message, i) => checkMessage(message, i, list, seen, options, out));
  if (options.request !== false && list.length > 0 && roleOf(list.at(-1)) !== "user")
    out.push("the last message is not the user's");
  loneSurrogates(list, "messages", out);
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
  const at = `messages[${i}]`;
  if (!isRecord(message)) return void out.push(`${at}: no object`);
  const extra = Object.keys(message).filter((k) => k !== "role" && k !== "content");
  if (extra.length > 0) out.push(`${at}: unknown field ${extra.join(", ")}`);
  const role = roleOf(message);
  if (role !== "user" && role !== "assistant") out.push(`${at}: role ${String(role)}`);
  if (role !== (i % 2 === 0 ? "user" : "assistant")) out.push(`${at}: roles don't alternate from user on`);
  const content = message["content"];
  // Short form: one text.
  const blocks: unknown[] =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  if (blocks.length === 0) out.push(`${at}: no content`);
  blocks.forEach((block, j) => checkBlock(block, `${at}.content[${j}]`, role, options, out));
  if (role === "assistant") checkAssistant(blocks, at, seen, out);
  if (role === "user") checkResults(blocks, at, list[i - 1], out);
}

function checkBlock(block: unknown, at: string, role: unknown, options: ApiRuleOptions, out: string[]): void {
  if (!isRecord(block) || typeof block["type"] !== "string") return void out.push(`${at}: no block`);
  const type = block["type"];
  const known = role === "user" ? USER.has(type) : ASSISTANT.has(type) || type.endsWith("_tool_result");
  if (!known && !(type === "other" && options.wrapped === true && role === "assistant")) {
    out.push(`${at}: a ${type} block in a message of the ${String(role)}`);
  }
  switch (type) {
    case "text":
      return checkText(block, at, out);
    case "thinking":
      if (typeof block["thinking"] !== "string" || typeof block["signature"] !== "string")
        out.push(`${at}: thinking without signature`);
      return only(block, ["type", "thinking", "signature"], at, out);
    case "redacted_thinking":
      if (typeof block["data"] !== "string") out.push(`${at}: redacted_thinking without data`);
      return only(block, ["type", "data"], at, out);
    case "tool_use":
      if (!isRecord(block["input"])) out.push(`${at}: input is no object`);
      if (!/^[A-Za-z0-9_-]{1,128}$/.test(String(block["name"])))
        out.push(`${at}: name ${JSON.stringify(block["name"])}`);
      return only(block, ["type", "id", "name", "input", "cache_control"], at, out);
    case "tool_result":
      return checkResult(block, at, out);
    case "image":
    case "document":
      return checkSource(block, at, out);
  }
}

function checkText(block: Block, at: string, out: string[]): void {
  const text = block["text"];
  if (typeof text !== "string" || SPACE.test(text)) out.push(`${at}: blank text`);
  only(block, ["type", "text", "cache_control", "citations"], at, out);
}

function checkSource(block: Block, at: string, out: string[]): void {
  const source = block["source"];
  if (!isRecord(source) || source["type"] !== "base64" || typeof source["data"] !== "string" || source["data"] === "") {
    out.push(`${at}: no source`);
  }
  only(block, ["type", "source", "title", "cache_control"], at, out);
}

function checkResult(block: Block, at: string, out: string[]): void {
  only(block, ["type", "tool_use_id", "content", "is_error", "cache_control"], at, out);
  const content = block["content"];
  if (typeof content === "string") return SPACE.test(content) ? void out.push(`${at}: blank result`) : undefined;
  if (!Array.isArray(content) || content.length === 0) return void out.push(`${at}: a result without content`);
  content.forEach((inner: unknown, k) => {
    const type = isRecord(inner) ? inner["type"] : undefined;
    if (type !== "text" && type !== "image" && type !== "document")
      out.push(`${at}.content[${k}]: a ${String(type)} block in a result`);
    if (block["is_error"] === true && type !== "text") out.push(`${at}.content[${k}]: only text in an error`);
    if (isRecord(inner) && type === "text") checkText(inner, `${at}.content[${k}]`, out);
  });
}

function checkAssistant(blocks: unknown[], at: string, seen: Set<string>, out: string[]): void {
  for (const id of idsOf(blocks, "tool_use", "id")) {
    if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) out.push(`${at}: tool_use id ${JSON.stringify(id)}`);
    if (seen.has(id)) out.push(`${at}: tool_use id ${id} twice`);
    seen.add(id);
  }
  const last = blocks.at(-1);
  if (!isRecord(last)) return;
  if (last["type"] === "thinking" || last["type"] === "redacted_thinking") out.push(`${at}: ends in thinking`);
  if (last["type"] === "text" && /[\s\u0085\u001c-\u001f]$/u.test(String(last["text"])))
    out.push(`${at}: ends in white space`);
}

/** Exactly the results of the calls before, first, in the calls' order. */
function checkResults(blocks: unknown[], at: string, before: unknown, out: string[]): void {
  const results = idsOf(blocks, "tool_result", "tool_use_id");
  const content =
    isRecord(before) && before["role"] === "assistant" && Array.isArray(before["content"]) ? before["content"] : [];
  const calls = idsOf(content, "tool_use", "id");
  if (results.join("\n") !== calls.join("\n"))
    out.push(`${at}: results [${results.join()}] for calls [${calls.join()}]`);
  const first = blocks.findIndex((b) => !isRecord(b) || b["type"] !== "tool_result");
  if (first >= 0 && first < results.length) out.push(`${at}: tool results don't come first`);
}

function idsOf(blocks: unknown[], type: string, field: string): string[] {
  return blocks.flatMap((b) => (isRecord(b) && b["type"] === type ? [String(b[field])] : []));
}

function only(block: Block, fields: readonly string[], at: string, out: string[]): void {
  const extra = Object.keys(block).filter((k) => !fields.includes(k));
  if (extra.length > 0) out.push(`${at}: unknown field ${extra.join(", ")}`);
}

function loneSurrogates(value: unknown, at: string, out: string[]): void {
  if (typeof value === "string") {
    if (!value.isWellFormed()) out.push(`${at}: a lone surrogate`);
  } else if (Array.isArray(value)) {
    value.forEach((v, i) => loneSurrogates(v, `${at}[${i}]`, out));
  } else if (isRecord(value)) {
    for (const [k, v] of Object.entries(value)) {
      if (!k.isWellFormed()) out.push(`${at}: a key with a lone surrogate`);
      loneSurrogates(v, `${at}.${k}`, out);
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function roleOf(message: unknown): unknown {
  return isRecord(message) ? message["role"] : undefined;
}
