/** What a PNG needs to be decoded: no colour profiles or texts, which may unpack to any size. */
const NEEDED = new Set(["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]);

/** A PNG without all that is not its pixels, and how many bytes a pixel may take while it is decoded: 4, or 8. @throws RangeError where it is cut off. */
export function barePng(png: Buffer): { bytes: Buffer; perPixel: number } {
  const parts = [png.subarray(0, 8)];
  for (let at = 8; at < png.length;) {
    const end = at + 12 + png.readUInt32BE(at);
    if (NEEDED.has(png.toString("latin1", at + 4, at + 8))) parts.push(png.subarray(at, end));
    at = end;
  }
  const [depth, interlaced] = [png.readUInt8(24), png.readUInt8(28) !== 0];
  return { bytes: Buffer.concat(parts), perPixel: depth === 16 || interlaced ? 8 : 4 };
}
