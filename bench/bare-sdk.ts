// The floor of `agent -p hi`: the same words to the same server with nothing but the SDK.
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic();
const stream = await client.messages.create({
  model: "claude-sonnet-5-5",
  max_tokens: 1000,
  stream: true,
  messages: [{ role: "user", content: "hi" }],
});
for await (const event of stream) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta") process.stdout.write(event.delta.text);
}
