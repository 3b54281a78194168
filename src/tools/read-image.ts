import { readWhole, type OpenFile } from "./open-file.ts";
import { brought, failed } from "./outcome.ts";
import type { Place } from "./paths.ts";
import { inspectPicture, type PictureType } from "../util/picture.ts";
import { mb } from "./read-pdf.ts";
import { hashOf } from "./text-file.ts";
import type { Outcome, ToolContext } from "./tool.ts";

/** The API takes 5 MB of base64 and 8,000 pixels a side. */
const MOST = 3.75 * (1 << 20);
const MOST_PIXELS = 8000;

/**
 * A picture as an image block. What the API would refuse is an error here, because a refused block stays in the history and fails every
 * later request too.
 */
export async function readPicture(file: OpenFile, place: Place, type: PictureType, ctx: ToolContext): Promise<Outcome> {
  const most = Math.min(MOST, ctx.settings.read.maxBytes);
  const shrink = `Shrink a copy with Bash (such as magick ${JSON.stringify(place.shown)} -resize 1500x1500 /tmp/small.png) and Read that.`;
  const bytes = await readWhole(file, most);
  if (bytes === undefined)
    return failed(`${place.shown} is a ${type} of ${mb(file.size)}; up to ${mb(most)} can be read. ${shrink}`);
  const seen = inspectPicture(bytes, type);
  if (seen === undefined) return failed(`${place.shown} begins as a ${type} but is damaged or cut off.`);
  const { width, height } = seen;
  if (Math.max(width, height) > MOST_PIXELS)
    return failed(`${place.shown} has ${width} x ${height} pixels; up to ${MOST_PIXELS} a side can be read. ${shrink}`);
  return brought(
    [{ type: "image", source: { type: "base64", media_type: `image/${type}`, data: bytes.toString("base64") } }],
    {
      touched: [{ path: place.target, hash: hashOf(bytes), how: "read" }],
      details: { path: place.shown, type, width, height, bytes: bytes.length },
    },
  );
}
