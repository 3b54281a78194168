import { barePng } from "./bare-png.ts";
import { inWorker } from "./in-worker.ts";
import { inspectPicture, type Pixels, type PictureType } from "./picture.ts";

/**
 * What the API takes of one picture: bytes (5 MB of base64), and pixels a side; `sides`: how long the longest is made, tried one after the
 * other until it is few enough bytes. 2,000 is what a request of many pictures may hold.
 */
const MOST = { bytes: 3.75 * (1 << 20), side: 8000, sides: [2000, 1400, 1000] };
/**
 * What is decoded to be made smaller: 50 million pixels are a phone's largest photo. They take 200 MB, some times over while it is resized;
 * WebAssembly's memory has no limit of its own, so a PNG of 16 bits, or interlaced, may have half as many.
 */
const MOST_DECODED = { bytes: 50 << 20, pixels: 50_000_000, side: 30_000 };
/** Of the thread that does it: some seconds on a machine that has nothing else to do, and the person can stop it. */
const LIMITS = { ms: 120_000, heapMb: 512 };

/** Bytes of a file that may become a picture. */
export const MOST_PICTURE_FILE = MOST_DECODED.bytes;

/** A picture that can be sent. `from`: its size before it was made smaller. */
export interface Fitted extends Pixels {
  bytes: Buffer;
  type: PictureType;
  from?: Pixels;
}

/** What the worker is given and answers. */
export interface ShrinkWork {
  bytes: Uint8Array;
  type: PictureType;
  most: typeof MOST;
}
export type Shrunk = { bytes: Uint8Array; type: PictureType } & Pixels;

/**
 * A picture as the API takes it: as it is, or made smaller (at most 2,000 pixels a side, upright, the first picture of those that move)
 * where it is too large. Text: what is wrong with it, behind the words "it" or a name. Rejects for an aborted signal alone.
 */
export async function fitPicture(
  bytes: Buffer,
  type: PictureType,
  signal: AbortSignal,
  most = MOST,
): Promise<Fitted | string> {
  const pixels = inspectPicture(bytes, type);
  if (pixels === undefined) return `begins as a ${type} but is damaged or cut off`;
  const { width, height } = pixels;
  if (bytes.length <= most.bytes && Math.max(width, height) <= most.side) return { bytes, type, width, height };
  const size = `a ${type} of ${width} x ${height} pixels and ${mb(bytes.length)}`;
  const bare = type === "png" ? barePng(bytes) : { bytes, perPixel: 4 };
  const pixelsOfFour = (width * height * bare.perPixel) / 4;
  if (
    pixelsOfFour > MOST_DECODED.pixels ||
    Math.max(width, height) > MOST_DECODED.side ||
    bytes.length > MOST_DECODED.bytes
  )
    return `is ${size}; up to ${MOST_DECODED.pixels / 1e6} million pixels, ${MOST_DECODED.side.toLocaleString("en")} a side and ${mb(MOST_DECODED.bytes)} can be made smaller here`;
  const work: ShrinkWork = { bytes: bare.bytes, type, most };
  const shrunk = await oneByOne(() =>
    inWorker<Shrunk | "damaged">("picture-worker", import.meta.url, work, LIMITS, signal),
  );
  if (shrunk === undefined) return `is ${size}, too large to be sent, and could not be made smaller`;
  if (shrunk === "damaged") return `begins as a ${type} but is damaged or cut off`;
  return { ...shrunk, bytes: Buffer.from(shrunk.bytes), from: pixels };
}

let before: Promise<unknown> = Promise.resolve();
/** One worker at a time: each may take much memory. */
function oneByOne<T>(work: () => Promise<T>): Promise<T> {
  const mine = before.then(work);
  before = mine.catch(() => undefined);
  return mine;
}

function mb(bytes: number): string {
  return `${(bytes / (1 << 20)).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
