import { randomBytes } from "node:crypto";
import photon from "@silvia-odwyer/photon-node";
import { describe, expect, it } from "vitest";
import { barePng } from "../../../src/util/bare-png.ts";
import { fitPicture } from "../../../src/util/fit-picture.ts";
import { turnOf } from "../../../src/util/upright.ts";
import { greyPng } from "../../support/media.ts";

const never = new AbortController().signal;
const few = { bytes: 25_000, side: 8000, sides: [200, 140, 100] };

/** A JPEG of noise, which can't be packed well; its upper half is dark. */
function photo(width: number, height: number): Buffer {
  const noise = randomBytes(width * height * 4).map((byte, at) =>
    at < width * height * 2 ? byte >> 2 : 192 + (byte >> 2),
  );
  return Buffer.from(new photon.PhotonImage(noise, width, height).get_bytes_jpeg(95));
}

/** With an Exif part that says how the camera was held; `II` or `MM`: which byte comes first. */
function held(jpeg: Buffer, orientation: number, order: "II" | "MM"): Buffer {
  const little = order === "II";
  const short = (n: number) => (little ? [n & 255, n >> 8] : [n >> 8, n & 255]);
  const long = (n: number) => (little ? [...short(n), 0, 0] : [0, 0, ...short(n)]);
  const tiff = [...Buffer.from(order), ...short(42), ...long(8), ...short(2)];
  const width = [...short(0x0100), ...short(3), ...long(1), ...short(9), 0, 0];
  const turn = [...short(0x0112), ...short(3), ...long(1), ...short(orientation), 0, 0];
  const part = [...Buffer.from("Exif\0\0"), ...tiff, ...width, ...turn, ...long(0)];
  const length = part.length + 2;
  return Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xe1, length >> 8, length & 255, ...part]),
    jpeg.subarray(2),
  ]);
}

describe("fitPicture", () => {
  it("T5: what may be sent stays byte for byte", async () => {
    const bytes = greyPng(8000, 2);
    expect(await fitPicture(bytes, "png", never)).toEqual({ bytes, type: "png", width: 8000, height: 2 });
  });
  it.each([
    [6, 140, 200, ["ne", "se"]],
    [8, 140, 200, ["nw", "sw"]],
    [3, 200, 140, ["sw", "se"]],
    [1, 200, 140, ["nw", "ne"]],
  ])(
    "T5: a photo of too many bytes is smaller, still a JPEG, and as it was held (%i)",
    async (way, width, height, dark) => {
      const fitted = await fitPicture(held(photo(300, 210), way, "MM"), "jpeg", never, few);
      expect(fitted).toMatchObject({ type: "jpeg", width, height, from: { width: 300, height: 210 } });
      const small = typeof fitted === "string" ? Buffer.alloc(0) : fitted.bytes;
      expect(small.length).toBeLessThanOrEqual(few.bytes);
      const pixels = photon.PhotonImage.new_from_byteslice(small).get_raw_pixels();
      const at = (x: number, y: number) => (pixels[(y * width + x) * 4] ?? 255) < 110;
      const [left, right, top, bottom] = [width >> 2, (width * 3) >> 2, height >> 2, (height * 3) >> 2];
      const quarters = { nw: at(left, top), ne: at(right, top), sw: at(left, bottom), se: at(right, bottom) };
      expect(Object.keys(quarters).filter((name) => quarters[name as keyof typeof quarters])).toEqual(dark);
    },
  );
  it("T5: an exact picture that packs badly becomes a JPEG", async () => {
    const noise = new photon.PhotonImage(randomBytes(200 * 150 * 4), 200, 150);
    const fitted = await fitPicture(Buffer.from(noise.get_bytes()), "png", never, few);
    expect(fitted).toMatchObject({ type: "jpeg", from: { width: 200, height: 150 } });
  });
  it("T5: cut in its pixels, or too many of them, it is told", async () => {
    const whole = greyPng(9000, 50);
    const broken = Buffer.concat([whole.subarray(0, 60), Buffer.alloc(whole.length - 72), whole.subarray(-12)]);
    expect(await fitPicture(broken, "png", never)).toMatch(/damaged/);
    expect(await fitPicture(greyPng(30_001, 1), "png", never)).toMatch(/30001 x 1 pixels .* 30,000 a side/);
    const header = greyPng(8001, 1);
    header.writeUInt32BE(50_000, 20);
    expect(await fitPicture(header, "png", never)).toMatch(
      /8001 x 50000 pixels .* up to 50 million pixels, 30,000 a side and 50 MB/,
    );
  });
  it("T5: profiles and texts of a PNG are not decoded; 16 bits and interlaced pixels count twice", async () => {
    const plain = greyPng(9000, 2);
    const profile = Buffer.concat([Buffer.from([0, 0, 0, 3]), Buffer.from("iCCPabc"), Buffer.alloc(4)]);
    const dressed = Buffer.concat([plain.subarray(0, 33), profile, plain.subarray(33)]);
    expect(barePng(dressed)).toEqual({ bytes: plain, perPixel: 4 });
    expect(await fitPicture(dressed, "png", never)).toMatchObject({ type: "png", width: 2000 });
    const deep = greyPng(8001, 1);
    deep.writeUInt32BE(3200, 20);
    deep.writeUInt8(16, 24);
    expect(await fitPicture(deep, "png", never)).toMatch(/8001 x 3200 pixels .* can be made smaller/);
  });
  it("an aborted signal ends it", async () => {
    await expect(fitPicture(greyPng(9000, 1), "png", AbortSignal.abort())).rejects.toThrow("abort");
  });
});

describe("turnOf", () => {
  const jpeg = photo(8, 8);
  it.each([
    [3, 180],
    [6, 90],
    [8, 270],
    [1, 0],
    [5, 0],
    [77, 0],
  ])("orientation %i turns by %i", (orientation, turn) => {
    expect(turnOf(held(jpeg, orientation, "II"))).toBe(turn);
    expect(turnOf(held(jpeg, orientation, "MM"))).toBe(turn);
  });
  it("none, cut or senseless is no turn", () => {
    expect(turnOf(jpeg)).toBe(0);
    const whole = held(jpeg, 6, "II");
    for (let length = 0; length < 44; length++) expect(turnOf(whole.subarray(0, length))).toBe(0);
    expect(turnOf(Buffer.concat([whole.subarray(0, 16), Buffer.alloc(100, 0xff)]))).toBe(0);
  });
});
