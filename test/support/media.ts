import { crc32, deflateSync } from "node:zlib";
import type { DocumentBlock, ImageBlock } from "../../src/events/block.ts";

const chunk = (type: string, data: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), data])));
  return Buffer.concat([length, Buffer.from(type), data, sum]);
};

/** A whole picture that decodes: grey, lighter from the left to the right. */
export function greyPng(width: number, height: number): Buffer {
  const size = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const row = Buffer.from([0, ...Array.from({ length: width }, (_, x) => Math.floor((x * 255) / width))]);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size),
    chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A picture of this size that does not decode, made larger by `more` bytes that say nothing. */
export function png(width: number, height: number, more = 9): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", size),
    chunk("IDAT", Buffer.alloc(more)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A PDF that says to have so many pages, in a packed page tree if wanted, made larger by `more` bytes. */
export function pdf(pages: number, how: { packed?: boolean; encrypted?: boolean; more?: number } = {}): Buffer {
  const tree = `<< /Type /Pages /Kids [3 0 R] /Count ${pages} >>`;
  const streamed = deflateSync(Buffer.from(`2 0 ${tree}`));
  const body =
    how.packed === true
      ? [
          Buffer.from(`2 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Length ${streamed.length} >>\nstream\r\n`),
          streamed,
          Buffer.from("\nendstream\nendobj\n"),
        ]
      : [Buffer.from(`2 0 obj\n${tree}\nendobj\n`)];
  return Buffer.concat([
    Buffer.from("%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"),
    ...body,
    Buffer.alloc(how.more ?? 0, "% x"),
    Buffer.from(`\ntrailer << /Root 1 0 R${how.encrypted === true ? " /Encrypt 9 0 R" : ""} >>\n%%EOF\n`),
  ]);
}

/** An image block with these bytes. */
export function imageBlock(bytes: Buffer = png(3, 4), media_type = "image/png"): ImageBlock {
  return { type: "image", source: { type: "base64", media_type, data: bytes.toString("base64") } };
}

/** A document block with these bytes. */
export function documentBlock(bytes: Buffer = pdf(1), title?: string): DocumentBlock {
  const source = { type: "base64" as const, media_type: "application/pdf", data: bytes.toString("base64") };
  return { type: "document", source, ...(title === undefined ? {} : { title }) };
}
