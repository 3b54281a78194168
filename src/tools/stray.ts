/** Length of the UTF-8 sequence at `at`, 0 when the byte starts none that is valid. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (let n = 1; n < length; n++) if (((bytes[at + n] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  const bad =
    (first === 0xe0 && second < 0xa0) ||
    (first === 0xed && second > 0x9f) ||
    (first === 0xf0 && second < 0x90) ||
    (first === 0xf4 && second > 0x8f);
  return bad ? 0 : length;
}

/** UTF-8 in which a byte that belongs to no letter becomes U+DC80 to U+DCFF, so that `encodeStray` brings it back. */
export function decodeStray(bytes: Buffer): string {
  let out = "";
  let from = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    out += bytes.toString("utf8", from, at) + String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    from = ++at;
  }
  return out + bytes.toString("utf8", from);
}

export function encodeStray(text: string): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (const match of text.matchAll(/[\uDC80-\uDCFF]/gu)) {
    parts.push(Buffer.from(text.slice(from, match.index), "utf8"), Buffer.of(match[0].charCodeAt(0) & 0xff));
    from = match.index + 1;
  }
  parts.push(Buffer.from(text.slice(from), "utf8"));
  return Buffer.concat(parts);
}

/** Far more letters of UTF-8 than bytes that fit none: a text with an accident in it, and no other encoding. */
export function isMostlyUtf8(bytes: Uint8Array): boolean {
  let letters = 0;
  let stray = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    if (length > 1) letters++;
    if (length === 0) stray++;
    at += Math.max(1, length);
  }
  return letters >= 3 * stray;
}
