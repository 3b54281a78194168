import type { ContentBlock } from "../events/block.ts";
import { mediaFacts, type MediaFacts } from "../events/media.ts";
import type { Part } from "../events/message-part.ts";
import type { PlacedMessage } from "../events/messages.ts";

/** A picture or document of a request. */
export interface Media {
  part: Part;
  block: Exclude<ContentBlock, { type: "text" }>;
  facts: MediaFacts;
  /** Which message of the request holds it. */
  message: number;
}

/** The pictures and documents of a request, oldest first. */
export function mediaOf(messages: readonly PlacedMessage[]): Media[] {
  return messages.flatMap(({ content }, message) =>
    content.flatMap(({ block, part, inner = [] }): Media[] => {
      const inside = block.type === "tool_result" ? block.content.map((b, i) => ({ b, at: inner[i] })) : [];
      return [{ b: block, at: part }, ...inside].flatMap(({ b, at }) =>
        at !== undefined && (b.type === "image" || b.type === "document")
          ? [{ part: at, block: b, facts: mediaFacts(b), message }]
          : [],
      );
    }),
  );
}
