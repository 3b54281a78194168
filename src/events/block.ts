import { z } from "zod";

/**
 * Content blocks in the shape of the Messages API, so that a stored reply goes back as it came (L6).
 * A block of a type that we don't know is wrapped as `other` and unwrapped again in the request.
 */
export const TextBlock = z.object({ type: z.literal("text"), text: z.string() });
export const ThinkingBlock = z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
export const RedactedThinkingBlock = z.object({ type: z.literal("redacted_thinking"), data: z.string() });
/** `broken` holds the raw text of an input that was cut off or is no JSON object; `input` is then `{}`. */
export const ToolUseBlock = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  broken: z.string().optional(),
});
export const OtherBlock = z.object({ type: z.literal("other"), raw: z.unknown() });
/** In a person's message, of what they named and did not write (a file, a picture): the row that says so. Never sent. */
const attached = z.string().optional();
export const ImageBlock = z.object({
  type: z.literal("image"),
  attached,
  source: z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
});
export const DocumentBlock = z.object({
  type: z.literal("document"),
  attached,
  source: z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  title: z.string().optional(),
});

/** What a model's reply is made of. */
export const ReplyBlock = z.discriminatedUnion("type", [
  TextBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  OtherBlock,
]);
/** What a person's message or a tool's result is made of. */
export const ContentBlock = z.discriminatedUnion("type", [TextBlock.extend({ attached }), ImageBlock, DocumentBlock]);

export type TextBlock = z.infer<typeof TextBlock>;
export type ThinkingBlock = z.infer<typeof ThinkingBlock>;
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;
export type ImageBlock = z.infer<typeof ImageBlock>;
export type DocumentBlock = z.infer<typeof DocumentBlock>;
export type ReplyBlock = z.infer<typeof ReplyBlock>;
export type ContentBlock = z.infer<typeof ContentBlock>;

/** Shorthand for a text block. */
export function text(value: string): TextBlock {
  return { type: "text", text: value };
}

/** The text of a list of blocks, joined by line ends; other blocks are left out, and what is attached to a message. */
export function textOf(blocks: readonly { type: string; text?: string; attached?: string | undefined }[]): string {
  return blocks
    .flatMap((b) => (b.type === "text" && b.text !== undefined && b.attached === undefined ? [b.text] : []))
    .join("\n");
}

/** What is attached to a message, a row each. */
export function attachedTo(content: readonly ContentBlock[]): string[] {
  return content.flatMap(({ attached }) => (attached === undefined ? [] : [attached]));
}
