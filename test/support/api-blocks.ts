/** Something that was read from a request. */
export type Block = Record<string, unknown>;

// White space as any server may see it: JavaScript's, and the separators that others count too.
const SPACE = /^[\s\u0085\u001c-\u001f]*$/u;
export const SPACE_END = /[\s\u0085\u001c-\u001f]$/u;
const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Kinds of blocks by the fields that each may have, as the SDK's types list them. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control", "citations"],
  image: ["source", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  search_result: ["source", "title", "content", "citations", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "cache_control", "caller"],
};
const USER = ["text", "image", "document", "tool_result", "search_result", "container_upload"];
const ASSISTANT = ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"];
const IN_RESULT = ["text", "image", "document", "search_result"];

/** What the service refuses about one block of a message of this role. `wrapped`: `other` is let through. */
export function checkBlock(block: unknown, at: string, role: unknown, wrapped: boolean, out: string[]): void {
  if (!isRecord(block) || typeof block["type"] !== "string")
    return void out.push(`${at}: Input should be a valid dictionary with a type`);
  const type = block["type"];
  if (type === "other" && wrapped && role === "assistant") return;
  // What a server made itself goes back as it came, whatever kind it is.
  const known = role === "user" ? USER.includes(type) : ASSISTANT.includes(type) || /_(tool_)?result$/.test(type);
  if (!known || (role === "assistant" && type === "tool_result"))
    return void out.push(
      `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${(role === "user" ? USER : ASSISTANT).map((t) => `'${t}'`).join(", ")}`,
    );
  onlyFields(block, at, out);
  cacheMark(block, at, out);
  if (type === "text") checkText(block, at, out);
  if (type === "thinking") wants(block, `${at}.thinking`, ["thinking", "signature"], out);
  if (type === "redacted_thinking") wants(block, `${at}.redacted_thinking`, ["data"], out);
  if (type === "tool_use") checkCall(block, at, out);
  if (type === "tool_result") checkResult(block, at, out);
}

function onlyFields(block: Block, at: string, out: string[]): void {
  const type = String(block["type"]);
  const fields = FIELDS[type];
  if (fields === undefined) return;
  for (const key of Object.keys(block))
    if (key !== "type" && !fields.includes(key)) out.push(`${at}.${type}.${key}: Extra inputs are not permitted`);
}

/** Strings that have to be there. A thought may be empty: one that is not shown still has its signature. */
function wants(block: Block, at: string, fields: readonly string[], out: string[]): void {
  for (const field of fields) {
    const value = block[field];
    if (typeof value !== "string") out.push(`${at}.${field}: Field required`);
    else if (value === "" && field !== "thinking") out.push(`${at}.${field}: Invalid, it is empty`);
  }
}

function checkText(block: Block, at: string, out: string[]): void {
  const { text } = block;
  if (typeof text !== "string") return void out.push(`${at}.text.text: Input should be a valid string`);
  if (text === "") out.push(`messages: text content blocks must be non-empty (${at})`);
  else if (SPACE.test(text)) out.push(`messages: text content blocks must contain non-whitespace text (${at})`);
}

function checkCall(block: Block, at: string, out: string[]): void {
  if (!ID.test(String(block["id"])))
    out.push(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$' (${JSON.stringify(block["id"])})`);
  if (!NAME.test(String(block["name"])))
    out.push(
      `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$' (${JSON.stringify(block["name"])})`,
    );
  if (!isRecord(block["input"])) out.push(`${at}.tool_use.input: Input should be a valid dictionary`);
}

function checkResult(block: Block, at: string, out: string[]): void {
  const { content } = block;
  if (!ID.test(String(block["tool_use_id"])))
    out.push(`${at}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if ("is_error" in block && typeof block["is_error"] !== "boolean")
    out.push(`${at}.tool_result.is_error: Input should be a valid boolean`);
  if (typeof content === "string") return checkText({ text: content }, `${at}.tool_result.content`, out);
  // The service takes a result without content; the program always says something.
  if (!Array.isArray(content) || content.length === 0) return void out.push(`${at}.tool_result.content: it is empty`);
  content.forEach((inner: unknown, k) => {
    const where = `${at}.tool_result.content.${k}`;
    const type = isRecord(inner) ? inner["type"] : undefined;
    if (!isRecord(inner) || !IN_RESULT.includes(String(type)))
      return void out.push(
        `${where}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags`,
      );
    onlyFields(inner, where, out);
    if (block["is_error"] === true && type !== "text")
      out.push(`${at}.tool_result: all content must be type "text" if "is_error" is true`);
    if (type === "text") checkText(inner, where, out);
  });
}

/** Where a breakpoint may stand, and in which shape. */
export function cacheMark(block: Block, at: string, out: string[]): void {
  const mark = block["cache_control"];
  if (mark === undefined || mark === null) return;
  const ttl = isRecord(mark) ? (mark["ttl"] ?? "5m") : undefined;
  if (!isRecord(mark) || mark["type"] !== "ephemeral" || (ttl !== "5m" && ttl !== "1h"))
    out.push(`${at}.cache_control: Input should be an ephemeral breakpoint of 5m or 1h`);
  if (isRecord(mark) && Object.keys(mark).some((key) => key !== "type" && key !== "ttl"))
    out.push(`${at}.cache_control: Extra inputs are not permitted`);
  if (block["type"] === "text" && SPACE.test(String(block["text"])))
    out.push(`${at}: cache_control cannot be set for empty text blocks`);
}

/** A field of every block of a kind, in order. */
export function idsOf(blocks: unknown[], type: string, field: string): string[] {
  return blocks.flatMap((b) => (isRecord(b) && b["type"] === type ? [String(b[field])] : []));
}

export function isBlank(text: string): boolean {
  return SPACE.test(text);
}

export function isRecord(value: unknown): value is Block {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
