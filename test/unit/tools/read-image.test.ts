import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ImageBlock } from "../../../src/events/block.ts";
import { inspectPicture, pictureType } from "../../../src/util/picture.ts";
import { greyPng, png } from "../../support/media.ts";
import { toolBench, type Called } from "../../support/tool-context.ts";

const jpeg = Buffer.from("ffd8ffe000040000ffc0000b080003000401011100ffda0002aaffd9", "hex");
const gif = Buffer.concat([Buffer.from("GIF89a"), Buffer.from([5, 0, 6, 0, 0, 0, 0]), Buffer.from("2c3b", "hex")]);
const webp = Buffer.concat([
  Buffer.from("RIFF"),
  Buffer.from([22, 0, 0, 0]),
  Buffer.from("WEBPVP8X"),
  Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 7, 0, 0]),
]);

async function read(bytes: Uint8Array, name = "a.png"): Promise<Called> {
  const bench = toolBench();
  writeFileSync(join(bench.folder, name), bytes);
  return bench.call("Read", { file_path: name });
}

/** The picture that a call brought. */
function pictureOf({ outcome }: Called) {
  const { source } = outcome.content.findLast((block) => block.type === "image") as ImageBlock;
  const bytes = Buffer.from(source.data, "base64");
  const type = pictureType(bytes);
  expect(source.media_type).toBe(`image/${type}`);
  return { type, bytes: bytes.length, ...inspectPicture(bytes, type ?? "png") };
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
  it("T5: too many pixels are made fewer, and the model is told", async () => {
    const called = await read(greyPng(9000, 30));
    expect(called.outcome.status).toBe("ok");
    expect(called.text).toMatch("[Made smaller: 9000 x 30 pixels are 2000 x 7 here.]");
    expect(pictureOf(called)).toMatchObject({ type: "png", width: 2000, height: 7 });
    expect(pictureOf(called).bytes).toBeLessThan(100_000);
  });
  it("T5: what can't be made smaller is told, with what to do", async () => {
    expect((await read(png(9000, 4))).text).toMatch(/begins as a png but is damaged.*Shrink a copy with Bash/);
    expect((await read(png(60_000, 60_000))).text).toMatch(/60000 x 60000 pixels .*up to 50 million pixels/);
    expect((await read(png(0, 4))).text).toMatch(/damaged/);
  });
  it("T5: text, HTML and binaries named .png are no images", async () => {
    expect((await read(Buffer.from("<html></html>\n"))).text).toBe("1\t<html></html>");
    expect((await read(Buffer.from([1, 0, 2, 0]))).text).toMatch(/is binary/);
  });
});
