import { inflateSync } from "node:zlib";
import { isRecord, type Block } from "./api-blocks.ts";

const MOST_BASE64 = 5 * 1024 * 1024;
const MOST_SIDE = 8000;
/** In a request with more pictures than `MANY`. */
const MOST_SIDE_OF_MANY = 2000;
const MANY = 20;
/** Pictures and pages of documents together. */
const MOST_MEDIA = 100;
const PICTURES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

interface Seen {
  at: string;
  side: number;
  pages: number;
}

/** What the service refuses about the pictures and documents of a request: each one, and their number. */
export function mediaBreaches(messages: readonly unknown[]): string[] {
  const out: string[] = [];
  const seen = messages.flatMap((message, i) => mediaIn(message, `messages.${i}`, out));
  const pictures = seen.filter((s) => s.side > 0);
  const pages = seen.reduce((sum, s) => sum + s.pages, 0);
  const most = pictures.length > MANY ? MOST_SIDE_OF_MANY : MOST_SIDE;
  const many = pictures.length > MANY ? " for many-image requests" : "";
  for (const { at, side } of pictures)
    if (side > most)
      out.push(
        `${at}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${many}: ${most} pixels`,
      );
  if (pages > MOST_MEDIA) out.push(`A maximum of ${MOST_MEDIA} PDF pages may be provided.`);
  if (pictures.length + pages > MOST_MEDIA)
    out.push(`Too much media: ${pages} document pages + ${pictures.length} images > ${MOST_MEDIA}`);
  return out;
}

/** Blocks of a message or of a result; what a result holds counts as well. */
function mediaIn(holder: unknown, at: string, out: string[]): Seen[] {
  const content = isRecord(holder) ? holder["content"] : undefined;
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown, j): Seen[] => {
    if (!isRecord(block)) return [];
    const where = `${at}.content.${j}`;
    if (block["type"] === "tool_result") return mediaIn(block, `${where}.tool_result`, out);
    if (block["type"] === "image") return checkPicture(block, where, out);
    return block["type"] === "document" ? checkDocument(block, where, out) : [];
  });
}

function checkPicture(block: Block, at: string, out: string[]): Seen[] {
  const source = `${at}.image.source.base64`;
  const bytes = bytesOf(block, source, out);
  if (bytes === undefined) return [];
  const type = sourceOf(block)["media_type"];
  if (!PICTURES.includes(String(type)))
    out.push(`${source}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`);
  const length = String(sourceOf(block)["data"]).length;
  if (length > MOST_BASE64) out.push(`${source}: image exceeds 5 MB maximum: ${length} bytes > ${MOST_BASE64} bytes`);
  const real = realType(bytes);
  if (real === undefined) out.push("Could not process image");
  else if (real !== type)
    out.push(
      `${source}.data: The image was specified using the ${String(type)} media type, but the image appears to be a ${real} image`,
    );
  return [{ at, side: real === undefined ? 1 : sideOf(bytes, real), pages: 0 }];
}

function checkDocument(block: Block, at: string, out: string[]): Seen[] {
  const { title } = block;
  if (title !== undefined && (typeof title !== "string" || title.length === 0 || title.length > 500))
    out.push(`${at}.document.title: String should have 1 to 500 characters`);
  const bytes = bytesOf(block, `${at}.pdf.source.base64`, out);
  if (bytes === undefined) return [];
  if (sourceOf(block)["media_type"] !== "application/pdf")
    out.push(`${at}.document.source.base64.media_type: Input should be 'application/pdf'`);
  const text = bytes.toString("latin1");
  if (!text.startsWith("%PDF-") || !text.includes("%%EOF"))
    out.push(`${at}.pdf.source.base64.data: The PDF specified was not valid.`);
  if (text.includes("/Encrypt")) out.push(`${at}.pdf.source.base64.data: The PDF specified is password protected.`);
  return [{ at, side: 0, pages: pagesOf(bytes) }];
}

function sourceOf(block: Block): Block {
  return isRecord(block["source"]) ? block["source"] : {};
}

function bytesOf(block: Block, at: string, out: string[]): Buffer | undefined {
  const { type, data } = sourceOf(block);
  if (type !== "base64" || typeof data !== "string" || data === "") return void out.push(`${at}.data: Field required`);
  // Not one pattern for all of it: its stack would be as deep as a picture is large.
  const bare = data.replace(/={1,2}$/, "");
  if (data.length % 4 !== 0 || bare === "" || /[^A-Za-z0-9+/]/.test(bare))
    return void out.push(`${at}: invalid base64 data`);
  return Buffer.from(data, "base64");
}

function realType(b: Buffer): string | undefined {
  const head = b.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return b.includes("IEND") ? "image/png" : undefined;
  if (head.startsWith("\xff\xd8\xff")) return b.includes("\xff\xd9", 2, "latin1") ? "image/jpeg" : undefined;
  if (/^GIF8[79]a/.test(head)) return b.lastIndexOf(";") > 12 ? "image/gif" : undefined;
  return /^RIFF....WEBP/s.test(head) && b.readUInt32LE(4) + 8 <= b.length ? "image/webp" : undefined;
}

/** The longer side in pixels; 1 where it can't be told. */
function sideOf(b: Buffer, type: string): number {
  if (type === "image/png") return Math.max(b.readUInt32BE(16), b.readUInt32BE(20));
  if (type === "image/gif") return Math.max(b.readUInt16LE(6), b.readUInt16LE(8));
  if (type === "image/webp" && b.toString("latin1", 12, 16) === "VP8X")
    return 1 + Math.max(b.readUIntLE(24, 3), b.readUIntLE(27, 3));
  const frame = /\xff[\xc0-\xc3\xc5-\xc7\xc9-\xcb\xcd-\xcf]..(.)(..)(..)/s.exec(b.toString("latin1"));
  if (type !== "image/jpeg" || frame === null) return 1;
  return Math.max(...[frame[2], frame[3]].map((two) => Buffer.from(two ?? "", "latin1").readUInt16BE(0)));
}

/** Pages as the root of the page tree counts them; a page each where there is none to be found. */
function pagesOf(bytes: Buffer): number {
  const parts = [bytes.toString("latin1")];
  for (const { index } of parts[0]?.matchAll(/\/ObjStm[^]*?stream\r?\n/g) ?? []) {
    const from = bytes.indexOf("\n", bytes.indexOf("stream", index)) + 1;
    try {
      parts.push(inflateSync(bytes.subarray(from, bytes.indexOf("endstream", from))).toString("latin1"));
    } catch {
      continue;
    }
  }
  const counts = parts.flatMap((part) =>
    [...part.matchAll(/\/Type\s*\/Pages\b[^]{0,20000}?\/Count\s+(\d+)/g)].map((m) => Number(m[1])),
  );
  return Math.max(1, ...counts);
}
