// Makes one picture smaller, in a thread of its own; see `fit-picture.ts`. The decoders run as WebAssembly: bytes that break them break
// nothing else.
import { parentPort, workerData } from "node:worker_threads";
import photon, { type PhotonImage } from "@silvia-odwyer/photon-node";
import type { ShrinkWork, Shrunk } from "./fit-picture.ts";
import { turnOf, type Turn } from "./upright.ts";

const QUALITY = 85;

parentPort?.postMessage(shrink(workerData as ShrinkWork));

function shrink({ bytes, type, most }: ShrinkWork): Shrunk | "damaged" {
  const whole = decoded(bytes);
  if (whole === undefined) return "damaged";
  const turn = type === "jpeg" ? turnOf(Buffer.from(bytes)) : 0;
  let picture = whole;
  for (const side of most.sides) {
    picture = fitted(picture, side);
    const upright = turned(picture, turn);
    // What was exact (a screenshot) stays exact if it may.
    const exact = type === "jpeg" ? undefined : upright.get_bytes();
    const isExact = exact !== undefined && exact.length <= most.bytes;
    const out = isExact ? exact : upright.get_bytes_jpeg(QUALITY);
    const size = { width: upright.get_width(), height: upright.get_height() };
    if (out.length <= most.bytes) return { bytes: out, type: isExact ? "png" : "jpeg", ...size };
  }
  return "damaged";
}

function decoded(bytes: Uint8Array): PhotonImage | undefined {
  try {
    return photon.PhotonImage.new_from_byteslice(bytes);
  } catch {
    return undefined;
  }
}

function fitted(picture: PhotonImage, side: number): PhotonImage {
  const [width, height] = [picture.get_width(), picture.get_height()];
  const by = Math.min(1, side / Math.max(width, height));
  if (by === 1) return picture;
  const to = (length: number): number => Math.max(1, Math.round(length * by));
  const small = photon.resize(picture, to(width), to(height), photon.SamplingFilter.Lanczos3);
  picture.free();
  return small;
}

/** Pixel by pixel: the library's own turn leaves dark edges. */
function turned(picture: PhotonImage, turn: Turn): PhotonImage {
  if (turn === 0) return picture;
  const [width, height] = [picture.get_width(), picture.get_height()];
  const from = new Uint32Array(picture.get_raw_pixels().buffer);
  const to = new Uint32Array(from.length);
  const wide = turn === 180 ? width : height;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [left, top] =
        turn === 90 ? [height - 1 - y, x] : turn === 180 ? [width - 1 - x, height - 1 - y] : [y, width - 1 - x];
      to[top * wide + left] = from[y * width + x] ?? 0;
    }
  }
  return new photon.PhotonImage(new Uint8Array(to.buffer), wide, to.length / wide);
}
