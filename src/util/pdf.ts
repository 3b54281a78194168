import { inflateSync } from "node:zlib";

/** What can be told of a PDF without rendering it. */
export interface PdfFacts {
  /** It has its beginning and its end. */
  whole: boolean;
  encrypted: boolean;
  /** As its page tree states; undefined where that can't be found. */
  pages: number | undefined;
}

/** Most bytes that a packed part may unfold to: a small file must not fill the memory. */
const MOST_UNPACKED = 16 << 20;
/** So many packed parts are looked into. */
const MOST_PARTS = 2000;

/** True for a file that begins as a PDF, whatever its name says. */
export function isPdf(sample: Uint8Array): boolean {
  return Buffer.from(sample.buffer, sample.byteOffset, Math.min(sample.length, 1024)).includes("%PDF-");
}

/** Looks into a PDF's bytes; packed page trees are unpacked. Never throws. */
export function inspectPdf(bytes: Buffer): PdfFacts {
  const counts = [...countsIn(bytes.toString("latin1")), ...packed(bytes).flatMap(countsIn)];
  return {
    whole: isPdf(bytes) && bytes.subarray(-2048).includes("%%EOF"),
    encrypted: bytes.includes("/Encrypt"),
    pages: counts.length === 0 ? undefined : Math.max(...counts),
  };
}

/** The counts of every node of the page tree; the root has the highest. */
function countsIn(text: string): number[] {
  return [...text.matchAll(/\/Type\s*\/Pages(?![A-Za-z])/g)].flatMap(({ index }) => {
    const from = text.lastIndexOf(">>", index) + 2;
    const to = text.indexOf(">>", index);
    const count = /\/Count\s+(\d{1,7})\b/.exec(
      text.slice(Math.max(from, index - 20_000), to < 0 ? undefined : to),
    )?.[1];
    return count === undefined ? [] : [Number(count)];
  });
}

/** The texts of the object streams, where newer files keep their page tree. */
function packed(bytes: Buffer): string[] {
  const out: string[] = [];
  for (let at = bytes.indexOf("/ObjStm"); at >= 0 && out.length < MOST_PARTS; at = bytes.indexOf("/ObjStm", at + 1)) {
    const start = bytes.indexOf("stream", at);
    if (start < 0) break;
    // Behind the word comes a line end, which belongs to neither.
    const from = start + (bytes[start + 6] === 13 ? 8 : 7);
    const end = bytes.indexOf("endstream", from);
    out.push(unpacked(bytes.subarray(from, end < 0 ? undefined : end)));
  }
  return out;
}

function unpacked(bytes: Buffer): string {
  try {
    return inflateSync(bytes, { maxOutputLength: MOST_UNPACKED }).toString("latin1");
  } catch {
    // Packed in another way, or damaged: nothing to be told from it.
    return "";
  }
}
