import { describe, expect, it } from "vitest";
import { reasonOf, refusalOf } from "../../../src/context/refusal.ts";

const at = (...places: object[]) => ({ about: "places", places });

describe("refusalOf", () => {
  it.each<[string, unknown]>([
    [
      "messages.58.content.2.image.source.base64: image exceeds 5 MB maximum: 6500712 bytes > 5242880 bytes",
      at({ message: 58, block: 2 }),
    ],
    [
      "messages.168.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum",
      at({ message: 168, block: 0, inner: 1 }),
    ],
    ["messages.0.content.1.content.0: the image is too large", at({ message: 0, block: 1, inner: 0 })],
    [
      "messages.19.content.27.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
      at({ message: 19, block: 27 }),
    ],
    [
      "messages.4.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.",
      at({ message: 4, block: 0 }),
    ],
    [
      "messages.8: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
      at({ message: 8 }),
    ],
    ["messages.3.content.1.text: Input should be a valid string", at({ message: 3, block: 1 })],
    ["messages[3].content[1]: bad", at({ message: 3, block: 1 })],
    ["messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.", { about: "thinking" }],
    ["messages.1.content.0: Invalid `signature` in `thinking` block", { about: "thinking" }],
    ["messages.1.content.0.thinking.signature: Field required", { about: "thinking" }],
    [
      "messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
      { about: "thinking" },
    ],
    ["messages.1: The final block in an assistant message cannot be `thinking`.", { about: "thinking" }],
    ["prompt is too long: 210000 tokens > 200000 maximum", { about: "length", tokens: 210_000, most: 200_000 }],
    [
      "input length and `max_tokens` exceed context limit: 150000 + 64000 > 200000, decrease input length",
      { about: "length", tokens: 214_000, most: 200_000 },
    ],
    ["Request exceeds the maximum size", { about: "length" }],
    ["Could not process image", { about: "media", kind: "image" }],
    ["Could not process PDF", { about: "media", kind: "document" }],
    ["A maximum of 100 PDF pages may be provided.", { about: "media", kind: "document" }],
    ["Too much media: 0 document pages + 101 images > 100", { about: "media", kind: "both" }],
    ["Your credit balance is too low to access the API.", undefined],
    ["max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens", undefined],
    ["tools.3.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", undefined],
    ["thinking.enabled.budget_tokens: Input should be greater than or equal to 1024", undefined],
    ["adaptive thinking is not supported on this model", undefined],
  ])("L4: %s", (words, refusal) => {
    expect(refusalOf(words)).toEqual(refusal);
    expect(refusalOf(`api.example.com refused the request: ${words}`)).toEqual(refusal);
  });

  it("L4: the reason is what stands behind the place, in one short line", () => {
    expect(reasonOf("x refused: messages.58.content.2.image.source.base64: image exceeds 5 MB\nmaximum.")).toBe(
      "image exceeds 5 MB maximum",
    );
    expect(reasonOf("messages: text content blocks must be non-empty")).toBe("text content blocks must be non-empty");
    expect(reasonOf("Could not process image")).toBe("Could not process image");
    expect(reasonOf("x".repeat(500))).toHaveLength(160);
  });
});
