import { inspectPdf } from "../util/pdf.ts";
import { inspectPicture, pictureType } from "../util/picture.ts";
import type { DocumentBlock, ImageBlock } from "./block.ts";

/** What counts of a picture or document in a request. */
export interface MediaFacts {
  /** Characters of its data. */
  bytes: number;
  /** The longer side in pixels; 0 for a document. */
  side: number;
  /** 0 for a picture; 1 for a document whose pages can't be counted. */
  pages: number;
  /** Why the API would refuse it, in half a sentence. */
  unfit?: string;
}

/** Characters of base64. */
export const MOST_PICTURE = 5 * 1024 * 1024;
export const MOST_SIDE = 8000;
export const MOST_PAGES = 100;
/** A request has 32 MB, and needs room for the rest. */
export const MOST_DOCUMENT = 28_000_000;

const known = new WeakMap<ImageBlock | DocumentBlock, MediaFacts>();

/** Looks into a picture or document, once. */
export function mediaFacts(block: ImageBlock | DocumentBlock): MediaFacts {
  const before = known.get(block);
  if (before !== undefined) return before;
  const facts = inspect(block);
  known.set(block, facts);
  return facts;
}

function inspect(block: ImageBlock | DocumentBlock): MediaFacts {
  const { data } = block.source;
  const none = { bytes: data.length, side: 0, pages: 0 };
  if (data.length === 0) return { ...none, unfit: "it is empty" };
  if (!isBase64(data)) return { ...none, unfit: "its data is no base64" };
  return block.type === "image" ? ofPicture(block) : ofDocument(block);
}

/** Looks for what must not be there: a pattern of all that may be would need a stack as deep as a picture is large. */
function isBase64(data: string): boolean {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const bare = padding === 0 ? data : data.slice(0, -padding);
  return data.length % 4 === 0 && bare !== "" && !/[^A-Za-z0-9+/]/.test(bare);
}

function ofPicture({ source }: ImageBlock): MediaFacts {
  const bytes = source.data.length;
  if (bytes > MOST_PICTURE)
    return { bytes, side: 1, pages: 0, unfit: `it has ${mb(bytes)}, and ${mb(MOST_PICTURE)} can be sent` };
  const decoded = Buffer.from(source.data, "base64");
  const type = pictureType(decoded);
  const pixels = type === undefined ? undefined : inspectPicture(decoded, type);
  const side = Math.max(pixels?.width ?? 1, pixels?.height ?? 1);
  const facts = { bytes, side, pages: 0 };
  if (type === undefined) return { ...facts, unfit: "it is no PNG, JPEG, GIF or WebP" };
  if (pixels === undefined) return { ...facts, unfit: "it is damaged or cut off" };
  if (source.media_type !== `image/${type}`)
    return { ...facts, unfit: `it says to be ${source.media_type}, and is image/${type}` };
  if (side > MOST_SIDE)
    return { ...facts, unfit: `it has ${pixels.width} x ${pixels.height} pixels, and ${MOST_SIDE} a side can be sent` };
  return facts;
}

function ofDocument({ source }: DocumentBlock): MediaFacts {
  const bytes = source.data.length;
  if (bytes > MOST_DOCUMENT)
    return { bytes, side: 0, pages: 1, unfit: `it has ${mb(bytes)}, and ${mb(MOST_DOCUMENT)} can be sent` };
  if (source.media_type !== "application/pdf")
    return { bytes, side: 0, pages: 1, unfit: `it says to be ${source.media_type}, and only PDF can be sent` };
  const { whole, encrypted, pages = 1 } = inspectPdf(Buffer.from(source.data, "base64"));
  const facts = { bytes, side: 0, pages };
  if (!whole) return { ...facts, unfit: "it is no PDF, or cut off" };
  if (encrypted) return { ...facts, unfit: "it is encrypted" };
  return pages > MOST_PAGES ? { ...facts, unfit: `it has ${pages} pages, and ${MOST_PAGES} can be sent` } : facts;
}

/** Sizes as they are sent: base64, a third larger than the file. */
function mb(length: number): string {
  return `${((length * 3) / 4 / (1 << 20)).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}

/** What stands in place of a picture or document that isn't sent. */
export function mediaNote({ type }: ImageBlock | DocumentBlock, why: string): string {
  return `(A ${type === "image" ? "picture" : "document"} was here and is not sent: ${why}.)`;
}
