export type PictureType = "png" | "jpeg" | "gif" | "webp";

/** What a file is by its first bytes, whatever its name says; undefined for no picture that the API takes. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  const b = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16));
  if (b.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))) return "png";
  if (b.subarray(0, 3).equals(Buffer.of(0xff, 0xd8, 0xff))) return "jpeg";
  if (/^GIF8[79]a/.test(b.toString("latin1"))) return "gif";
  return b.toString("latin1", 0, 4) === "RIFF" && b.toString("latin1", 8, 12) === "WEBP" ? "webp" : undefined;
}

export interface Pixels {
  width: number;
  height: number;
}

/** Width and height, or undefined for a picture that is damaged: cut off, without size, without its end. */
export function inspectPicture(bytes: Buffer, type: PictureType): Pixels | undefined {
  try {
    const pixels = { png, jpeg, gif, webp }[type](bytes);
    return pixels !== undefined && pixels.width > 0 && pixels.height > 0 ? pixels : undefined;
  } catch (error) {
    // A read behind the end of the buffer.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function png(b: Buffer): Pixels | undefined {
  if (b.toString("latin1", 12, 16) !== "IHDR") return undefined;
  for (let at = 8; at + 12 <= b.length; at += 12 + b.readUInt32BE(at)) {
    if (b.toString("latin1", at + 4, at + 8) === "IEND")
      return { width: b.readUInt32BE(16), height: b.readUInt32BE(20) };
  }
  return undefined;
}

function gif(b: Buffer): Pixels | undefined {
  return b.lastIndexOf(0x3b) > 13 ? { width: b.readUInt16LE(6), height: b.readUInt16LE(8) } : undefined;
}

function jpeg(b: Buffer): Pixels | undefined {
  if (b.lastIndexOf(Buffer.of(0xff, 0xd9)) < 4) return undefined;
  for (let at = 2; at < b.length;) {
    if (b[at] !== 0xff) return undefined;
    const marker = b.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: b.readUInt16BE(at + 7), height: b.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + b.readUInt16BE(at + 2);
  }
  return undefined;
}

function webp(b: Buffer): Pixels | undefined {
  if (b.readUInt32LE(4) + 8 > b.length) return undefined;
  const kind = b.toString("latin1", 12, 16);
  if (kind === "VP8X") return { width: 1 + b.readUIntLE(24, 3), height: 1 + b.readUIntLE(27, 3) };
  if (kind === "VP8 ") return { width: b.readUInt16LE(26) & 0x3fff, height: b.readUInt16LE(28) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = b.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
}
