import type { LogBody, LogBodyOf } from "../events/event.ts";
import type { Placed } from "../events/message-blocks.ts";
import { type Part, partKey } from "../events/message-part.ts";
import { placedMessages, type PlacedMessage } from "../events/messages.ts";
import type { SessionState } from "../events/state.ts";
import { shorter } from "./length.ts";
import { mediaOf } from "./media-of.ts";
import { type Place, reasonOf, refusalOf } from "./refusal.ts";

type Parts = LogBodyOf<"context.mended">["parts"];

/**
 * What makes a refused request one that may be taken, as facts: what it was refused for is a note from then on. Empty when that can't be
 * found, or was mended before already.
 * @param words what the service said
 */
export function mendsFor(state: SessionState, words: string, turn?: number): LogBody[] {
  const refusal = refusalOf(words);
  const reason = reasonOf(words);
  switch (refusal?.about) {
    case undefined:
      return [];
    case "thinking":
      return hasThinking(state)
        ? [
            {
              type: "context.mended",
              why: `The service refused earlier thinking (${reason}). It is left out from here on; asking again.`,
              parts: [],
              thinking: true,
            },
          ]
        : [];
    case "length":
      return shorter(state, refusal, turn);
    case "media":
      return notes(mediaParts(state, refusal.kind), reason);
    case "places": {
      const messages = placedMessages(state);
      return notes(
        refusal.places.flatMap((place) => targets(state, messages, place, words)),
        reason,
      );
    }
  }
}

function hasThinking(state: SessionState): boolean {
  return placedMessages(state).some(({ content }) =>
    content.some(({ block }) => block.type === "thinking" || block.type === "redacted_thinking"),
  );
}

interface Target {
  part: Part;
  what: string;
}

function notes(targets: readonly Target[], reason: string): LogBody[] {
  const seen = new Map(targets.map((t) => [partKey(t.part), t]));
  if (seen.size === 0) return [];
  const parts: Parts = [...seen.values()].map(({ part, what }) => ({
    ...part,
    note: `(${what.charAt(0).toUpperCase()}${what.slice(1)} was here and is not sent: the service refused it, ${reason}.)`,
  }));
  const names = [...new Set([...seen.values()].map((t) => t.what))];
  const it = parts.length === 1 ? "It is" : "They are";
  const why = `The service refused the request for ${names.slice(0, 3).join(", ")} (${reason}). ${it} left out from here on; asking again.`;
  return [{ type: "context.mended", why, parts }];
}

/** The newest pictures or documents are the ones that no request before held. */
function mediaParts(state: SessionState, kind: "image" | "document" | "both"): Target[] {
  const messages = placedMessages(state);
  const all = mediaOf(messages).filter((m) => kind === "both" || m.block.type === kind);
  const replied = messages.findLastIndex((m) => m.role === "assistant");
  // Of calls that were just answered, the results are behind the newest reply.
  const fresh = all.filter((m) => m.message > replied);
  const suspects = kind === "both" || fresh.length === 0 ? all.slice(0, kind === "both" ? -1 : undefined) : fresh;
  return suspects.map(({ part, block }) => ({ part, what: block.type === "image" ? "a picture" : "a document" }));
}

/** What a place points to, or where that is a note already, what is around it. */
function targets(state: SessionState, messages: readonly PlacedMessage[], place: Place, words: string): Target[] {
  const content = messages[place.message]?.content ?? [];
  const isMended = (part: Part): boolean => state.mended.has(partKey(part));
  if (place.block === undefined) {
    const named = content.filter(({ block }) => block.type === "tool_use" && mentions(words, block.id));
    return (named.length > 0 ? named : content).flatMap((placed) => targetOf(placed, isMended));
  }
  const placed = content[place.block];
  if (placed === undefined) return [];
  if (placed.block.type === "tool_result" && place.inner !== undefined) {
    const part = placed.inner?.[place.inner];
    const kind = placed.block.content[place.inner]?.type;
    if (part !== undefined && part.at !== undefined && !isMended(part))
      return [
        { part, what: kind === "image" ? "a picture" : kind === "document" ? "a document" : "a part of a result" },
      ];
  }
  if (placed.block.type === "other")
    return content.filter((p) => p.block.type === "other").flatMap((p) => targetOf(p, isMended));
  return targetOf(placed, isMended);
}

function mentions(words: string, id: string): boolean {
  return id.length > 1 && words.split(/[^A-Za-z0-9_-]+/).includes(id);
}

/** The block itself; mended already, the whole of what it is part of. */
function targetOf({ block, part }: Placed, isMended: (part: Part) => boolean): Target[] {
  if (part === undefined) return [];
  if (!isMended(part)) return [{ part, what: nameOf(block) }];
  const { at: _, ...whole } = part;
  return part.at === undefined || isMended(whole)
    ? []
    : [{ part: whole, what: "seq" in whole ? "a message" : "a result" }];
}

function nameOf(block: Placed["block"]): string {
  switch (block.type) {
    case "text":
      return "a text";
    case "image":
      return "a picture";
    case "document":
      return "a document";
    case "tool_use":
      return `a call of ${block.name}`;
    case "tool_result":
      return "a result";
    case "thinking":
    case "redacted_thinking":
      return "thinking";
    case "other":
      return "a block of an unknown kind";
  }
}
