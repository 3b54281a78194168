import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inspectPicture, pictureType } from "../../../src/util/picture.ts";
import { png } from "../../support/media.ts";
import { settings, toolBench, type Called } from "../../support/tool-context.ts";

const jpeg = Buffer.from("ffd8ffe000040000ffc0000b080003000401011100ffda0002aaffd9", "hex");
const gif = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([5, 0, 6, 0, 0, 0, 0]), Buffer.from("2c3b", "hex")]);
const webp = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from([22, 0, 0, 0]),
  Buffer.from("WEBPVP8X"),
  Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 7, 0, 0]),
]);

async function read(bytes: Uint8Array, name = "a.png", maxBytes = 10 << 20): Promise<Called> {
  const bench = toolBench({ settings: { read: { ...settings.read, maxBytes } } });
  writeFileSync(join(bench.folder, name), bytes);
  return bench.call("Read", { file_path: name });
}

describe("Read: pictures", () => {
  it.each([
    ["png", png(3, 4), { width: 3, height: 4 }],
    ["jpeg", jpeg, { width: 4, height: 3 }],
    ["gif", gif, { width: 5, height: 6 }],
    ["webp", webp, { width: 7, height: 8 }],
  ] as const)("T5: %s is known by its bytes and sent as an image", async (type, bytes, pixels) => {
    expect(pictureType(bytes)).toBe(type);
    expect(inspectPicture(bytes, type)).toEqual(pixels);
    const called = await read(bytes, "without-ending");
    const source = { type: "base64", media_type: `image/${type}`, data: bytes.toString("base64") };
    expect(called.outcome.content).toEqual([{ type: "image", source }]);
  });
  it.each([[png(3, 4)], [jpeg], [gif], [webp]])(
    "T5: cut off it is an error, never a block that the API refuses",
    async (bytes) => {
      for (const length of [bytes.length - 2, bytes.length - 1, 13]) {
        const called = await read(bytes.subarray(0, length));
        expect(called.outcome.status).toBe("error");
      }
    },
  );
  it("T5: too many bytes or pixels are told, with what to do", async () => {
    expect((await read(png(3, 4), "a.png", 10)).text).toMatch(/is a png of .*up to .*Shrink a copy with Bash/);
    expect((await read(png(9000, 4))).text).toMatch(/9000 x 4 pixels; up to 8000/);
    expect((await read(png(0, 4))).text).toMatch(/damaged/);
  });
  it("T5: text, HTML and binaries named .png are no images", async () => {
    expect((await read(Buffer.from("<html></html>\n"))).text).toBe("1\t<html></html>");
    expect((await read(Buffer.from([1, 0, 2, 0]))).text).toMatch(/is binary/);
  });
});
