// The floor of every row: reads files for a model, in print or with a composer of one line, and nothing else. `floor.mjs http|sdk version|help|print|screen …`.
const [how, what, prompt] = process.argv.slice(2);
const TOOLS = [
  {
    name: "read",
    description: "Reads a file.",
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  },
];
const base = { model: "bench", max_tokens: 1000, stream: true, tools: TOOLS };

if (what === "version") console.log("1.0.0");
else if (what === "help") console.log("usage: floor\n".repeat(40));
else if (what === "print") await talk(prompt, (text) => process.stdout.write(text));
else await screen();

/** One line: what is typed is echoed, Enter sends it, the reply is written above. */
async function screen() {
  process.stdout.write("Floor\r\n› ");
  process.stdin.setRawMode(true);
  process.on("SIGTERM", () => process.exit(0));
  let typed = "";
  for await (const data of process.stdin) {
    for (const key of data.toString()) {
      if (key === "\r") void send(typed);
      else process.stdout.write(key);
      typed = key === "\r" ? "" : typed + key;
    }
  }
}

async function send(said) {
  process.stdout.write("\r\n");
  await talk(said, (text) => process.stdout.write(text.replaceAll("\n", "\r\n")));
  process.stdout.write("\r\n› ");
}

async function talk(said, show) {
  const stream = how === "sdk" ? await sdk() : await http();
  const messages = [{ role: "user", content: said }];
  for (;;) {
    const blocks = [];
    for await (const event of stream({ ...base, messages })) take(event, blocks, show);
    messages.push({
      role: "assistant",
      content: blocks.map(({ json, ...block }) => (json === undefined ? block : { ...block, input: JSON.parse(json) })),
    });
    const calls = messages.at(-1).content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return;
    const { readFile } = await import("node:fs/promises");
    const content = await Promise.all(
      calls.map(async ({ id, input }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: await readFile(input.path, "utf8"),
      })),
    );
    messages.push({ role: "user", content });
  }
}

function take(event, blocks, show) {
  if (event.type === "content_block_start") {
    const block = event.content_block;
    blocks[event.index] = block.type === "tool_use" ? { ...block, json: "" } : block;
  } else if (event.type === "content_block_delta") {
    const block = blocks[event.index];
    if (event.delta.type === "text_delta") {
      block.text += event.delta.text;
      show(event.delta.text);
    } else block.json += event.delta.partial_json;
  }
}

async function sdk() {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const client = new Anthropic();
  return async function* (body) {
    yield* await client.messages.create(body);
  };
}

async function http() {
  const { request, Agent } = await import("node:http");
  const agent = new Agent({ keepAlive: true });
  return async function* (body) {
    const text = JSON.stringify(body);
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      "anthropic-version": "2023-06-01",
    };
    const response = await new Promise((resolve, reject) => {
      request(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, { method: "POST", agent, headers }, resolve)
        .on("error", reject)
        .end(text);
    });
    let rest = "";
    for await (const part of response.setEncoding("utf8")) {
      const lines = (rest + part).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.startsWith("data: ")) yield JSON.parse(line.slice(6));
    }
  };
}
