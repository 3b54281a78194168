type Body = Record<string, unknown>;
const TOP = new Set(
  "model messages tools stream stream_options max_tokens max_completion_tokens reasoning_effort".split(" "),
);

/** What a strict server of chat completions would refuse in a request, one line each. On purpose without any code of the program. */
export function chatBreaches(body: Body): string[] {
  const out = Object.keys(body).flatMap((key) => (TOP.has(key) ? [] : [`unknown field ${key}`]));
  if (typeof body["model"] !== "string" || body["model"] === "") out.push("model: none");
  if (body["stream"] !== true) out.push("stream: not true");
  const options = body["stream_options"];
  if (!isRecord(options) || options["include_usage"] !== true) out.push("stream_options.include_usage: not asked for");
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0) return [...out, "messages: none"];
  let open: string[] = [];
  messages.forEach((message: unknown, i) => {
    const at = `messages[${i}]`;
    if (!isRecord(message)) return void out.push(`${at}: no object`);
    if (message["role"] === "tool") {
      const id = String(message["tool_call_id"]);
      if (!open.includes(id)) out.push(`${at}: no open call ${id}`);
      open = open.filter((other) => other !== id);
      if (typeof message["content"] !== "string" || message["content"] === "") out.push(`${at}: no text`);
      return;
    }
    if (open.length > 0) out.push(`${at}: call ${open.join(", ")} has no result`);
    open = [];
    if (message["role"] === "assistant") open = assistant(message, at, out);
    else if (message["role"] === "system" ? i !== 0 : message["role"] !== "user") out.push(`${at}: role`);
    else content(message["content"], at, out);
  });
  if (open.length > 0) out.push("the last call has no result");
  tools(body["tools"], out);
  return out;
}

function assistant(message: Body, at: string, out: string[]): string[] {
  const calls = message["tool_calls"];
  const said = message["content"];
  if (calls === undefined && (typeof said !== "string" || said === "")) out.push(`${at}: says nothing`);
  if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0)) out.push(`${at}: tool_calls is empty`);
  if (said !== null && typeof said !== "string") out.push(`${at}: content`);
  const ids = (Array.isArray(calls) ? calls : []).map((call: unknown) => {
    const fn = isRecord(call) && call["type"] === "function" && isRecord(call["function"]) ? call["function"] : {};
    if (!/^[\w-]{1,64}$/.test(String(fn["name"]))) out.push(`${at}: name of a call`);
    try {
      if (!isRecord(JSON.parse(String(fn["arguments"])))) out.push(`${at}: arguments are no object`);
    } catch {
      out.push(`${at}: arguments are no JSON`);
    }
    return String(isRecord(call) ? call["id"] : "");
  });
  if (new Set(ids).size !== ids.length) out.push(`${at}: ids of calls twice`);
  return ids;
}

function content(value: unknown, at: string, out: string[]): void {
  if (typeof value === "string") return value === "" ? void out.push(`${at}: no text`) : undefined;
  if (!Array.isArray(value) || value.length === 0) return void out.push(`${at}: no content`);
  for (const part of value as unknown[]) {
    const type = isRecord(part) ? part["type"] : undefined;
    const body = isRecord(part) && typeof type === "string" ? part[type] : undefined;
    const good =
      type === "text"
        ? typeof body === "string" && body !== ""
        : type === "image_url"
          ? isRecord(body) && /^data:image\/\w+;base64,./.test(String(body["url"]))
          : type === "file" && isRecord(body) && /^data:application\/pdf;base64,./.test(String(body["file_data"]));
    if (!good) out.push(`${at}: a part of type ${String(type)}`);
  }
}

function tools(value: unknown, out: string[]): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length === 0) return void out.push("tools: empty");
  for (const tool of value as unknown[]) {
    const fn = isRecord(tool) && tool["type"] === "function" && isRecord(tool["function"]) ? tool["function"] : {};
    if (typeof fn["name"] !== "string" || !isRecord(fn["parameters"])) out.push("tools: no function");
  }
}

function isRecord(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
