import { readWhole, type OpenFile } from "./open-file.ts";
import { brought, failed } from "./outcome.ts";
import type { Place } from "./paths.ts";
import { text, type ContentBlock } from "../events/block.ts";
import { fitPicture, type Fitted, MOST_PICTURE_FILE } from "../util/fit-picture.ts";
import type { PictureType } from "../util/picture.ts";
import { mb } from "./read-pdf.ts";
import { hashOf } from "./text-file.ts";
import type { Outcome, ToolContext } from "./tool.ts";

/**
 * A picture as an image block, made smaller where it is too large. What the API would refuse is an error here, because a refused block
 * stays in the history and fails every later request too.
 */
export async function readPicture(file: OpenFile, place: Place, type: PictureType, ctx: ToolContext): Promise<Outcome> {
  const shrink = `Shrink a copy with Bash (such as magick ${JSON.stringify(place.shown)} -resize 1500x1500 /tmp/small.png) and Read that.`;
  const bytes = await readWhole(file, MOST_PICTURE_FILE);
  if (bytes === undefined)
    return failed(
      `${place.shown} is a ${type} of ${mb(file.size)}; up to ${mb(MOST_PICTURE_FILE)} can be read. ${shrink}`,
    );
  const fitted = await fitPicture(bytes, type, ctx.signal);
  if (typeof fitted === "string") return failed(`${place.shown} ${fitted}. ${shrink}`);
  const { width, height } = fitted;
  return brought(pictureBlocks(fitted), {
    touched: [{ path: place.target, hash: hashOf(bytes), how: "read" }],
    details: { path: place.shown, type, width, height, bytes: fitted.bytes.length },
  });
}

/** The picture, and ahead of it what was done to it. */
export function pictureBlocks({ bytes, type, width, height, from }: Fitted): ContentBlock[] {
  const source = { type: "base64" as const, media_type: `image/${type}`, data: bytes.toString("base64") };
  const smaller = from && `[Made smaller: ${from.width} x ${from.height} pixels are ${width} x ${height} here.]`;
  return [...(smaller === undefined ? [] : [text(smaller)]), { type: "image", source }];
}
