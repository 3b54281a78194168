/** How a camera was held: degrees to turn its picture clockwise. Mirrored ones, which no camera makes, stay as they are. */
export type Turn = 0 | 90 | 180 | 270;

const TURNS: Readonly<Record<number, Turn>> = { 3: 180, 6: 90, 8: 270 };

/** By the orientation tag (0x0112) of a JPEG's Exif part (Exif 2.3, 4.6.4); 0 where there is none, or it can't be read. */
export function turnOf(jpeg: Buffer): Turn {
  try {
    for (let at = 2; jpeg[at] === 0xff && jpeg[at + 1] !== 0xda; at += 2 + jpeg.readUInt16BE(at + 2)) {
      const isExif = jpeg[at + 1] === 0xe1 && jpeg.toString("latin1", at + 4, at + 10) === "Exif\0\0";
      if (isExif) return TURNS[orientation(jpeg.subarray(at + 10))] ?? 0;
    }
  } catch (error) {
    // A length that leads behind the end.
    if (!(error instanceof RangeError)) throw error;
  }
  return 0;
}

function orientation(tiff: Buffer): number {
  const little = tiff.toString("latin1", 0, 2) === "II";
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < short(first); entry++) {
    const at = first + 2 + entry * 12;
    if (short(at) === 0x0112) return short(at + 8);
  }
  return 1;
}
