import type { LogBodyOf } from "../events/event.ts";
import { mediaNote } from "../events/media.ts";
import type { Placed } from "../events/message-blocks.ts";
import type { PlacedMessage } from "../events/messages.ts";
import { largest } from "./length.ts";
import { type Media, mediaOf } from "./media-of.ts";

/** Pictures and pages of documents in one request. */
const MOST_MEDIA = 100;
/** With more pictures than these, each must be smaller. */
const MANY = 20;
const MOST_SIDE_OF_MANY = 2000;
/** Bytes of a request, of which 32 MB are taken. */
const MOST_BYTES = 30_000_000;
/** When something has to go, so much goes that it is long before the next time: each time costs the cache (C1). */
const KEPT = 10;
const KEPT_BYTES = 12_000_000;

type Mended = LogBodyOf<"context.mended">;

/**
 * What of the conversation can't be sent: pictures and documents that the API refuses, those that are too many together, and whatever is
 * too large in all. Oldest first, in one go, as a fact; undefined where all fits.
 */
export function overfull(messages: readonly PlacedMessage[]): Mended | undefined {
  const unfit = messages.flatMap(({ content }) => content.flatMap((p) => p.unfit ?? []));
  const parts: Mended["parts"] = unfit.map(({ part, note }) => ({ ...part, note }));
  const media = mediaOf(messages);
  const gone = tooMany(media);
  for (const { part, block } of gone)
    parts.push({ ...part, note: mediaNote(block, "there were too many, the newest stay") });
  const rest = media.filter((m) => !gone.includes(m));
  parts.push(...tooLarge(messages, rest, bytesOf(gone)));
  if (parts.length === 0) return undefined;
  return { type: "context.mended", why: whyOf(unfit, gone.length, parts.length), parts };
}

/** The oldest, until the newest few are left: their number counts, and with many the size of each. */
function tooMany(media: readonly Media[]): Media[] {
  const weight = (list: readonly Media[]) => list.reduce((sum, m) => sum + Math.max(1, m.facts.pages), 0);
  if (weight(media) > MOST_MEDIA) {
    let kept = media.slice(-KEPT);
    while (kept.length > 1 && weight(kept) > MOST_MEDIA) kept = kept.slice(1);
    return media.filter((m) => !kept.includes(m));
  }
  const pictures = media.filter((m) => m.block.type === "image");
  const large = pictures.filter((m) => m.facts.side > MOST_SIDE_OF_MANY);
  if (pictures.length <= MANY || large.length === 0) return [];
  const newest = pictures.slice(-KEPT);
  return large.some((m) => newest.includes(m)) ? pictures.filter((m) => !newest.includes(m)) : large;
}

/** Oldest pictures and documents, then the largest texts, until the request is far below the limit. */
function tooLarge(messages: readonly PlacedMessage[], media: readonly Media[], gone: number): Mended["parts"] {
  let bytes = sizeOf(messages, media) - gone;
  if (bytes <= MOST_BYTES) return [];
  const parts: Mended["parts"] = [];
  for (const { part, block, facts } of media.slice(0, -1)) {
    if (bytes <= KEPT_BYTES) return parts;
    parts.push({ ...part, note: mediaNote(block, "the conversation was too large, the newest stay") });
    bytes -= facts.bytes;
  }
  return [...parts, ...largest(messages, bytes - KEPT_BYTES)];
}

function bytesOf(media: readonly Media[]): number {
  return media.reduce((sum, m) => sum + m.facts.bytes, 0);
}

/** Bytes on the wire: base64 as it is, texts exactly where a rough upper bound of them is not enough. */
function sizeOf(messages: readonly PlacedMessage[], media: readonly Media[]): number {
  const data = bytesOf(media);
  const texts = messages.reduce((sum, { content }) => sum + content.reduce((s, p) => s + lettersOf(p), 0), 0);
  if (data + 6 * texts <= MOST_BYTES) return data + texts;
  return Buffer.byteLength(JSON.stringify(messages.map(({ content }) => content.map((p) => p.block))));
}

function lettersOf({ block }: Placed): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "tool_result":
      return block.content.reduce((sum, b) => sum + (b.type === "text" ? b.text.length : 0), 0);
    case "image":
    case "document":
      return 0;
    case "thinking":
    case "redacted_thinking":
    case "tool_use":
    case "other":
      return JSON.stringify(block).length;
  }
}

function whyOf(unfit: NonNullable<Placed["unfit"]>, many: number, all: number): string {
  const first = unfit[0];
  const reason = first === undefined ? undefined : / is not sent: (.*)\.\)$/.exec(first.note)?.[1];
  const more = unfit.length > 1 ? ` and ${unfit.length - 1} more` : "";
  const said = [
    ...(first === undefined ? [] : [`a ${first.what}${more} (${reason ?? ""})`]),
    ...(many === 0 ? [] : [`${many} older pictures and documents (too many for one request)`]),
    ...(all > unfit.length + many ? [`${all - unfit.length - many} older parts (too large for one request)`] : []),
  ];
  return `The model is not sent ${said.join(", ")}; a note stands there instead.`;
}
