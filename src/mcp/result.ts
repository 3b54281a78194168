import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { text, type ContentBlock } from "../events/block.ts";
import { asData } from "../tools/as-data.ts";
import { inspectPicture, pictureType } from "../util/picture.ts";

/** Of one result. */
const MOST_PICTURES = 10;
/** Bytes of a picture that is sent on; a larger one is a file. */
const MOST_PICTURE = 3 << 20;

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
  name: z.string().optional(),
  resource: z
    .looseObject({
      uri: z.string().optional(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
    })
    .optional(),
});
type Part = z.infer<typeof Part>;

/** What a server answers a call with, as loosely as it may come. */
export const CallAnswer = z.looseObject({
  content: z.array(z.unknown()).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().nullish(),
});
export type CallAnswer = z.infer<typeof CallAnswer>;

/** What a server sent, as a result: all text in one block, as data; pictures as such; what the model can't be shown in files of `dir`. */
export function resultOf({ content = [], structuredContent }: CallAnswer, dir: string): ContentBlock[] {
  const words: string[] = [];
  const pictures: ContentBlock[] = [];
  for (const given of content) {
    const read = Part.safeParse(given);
    if (!read.success) words.push("(a part of the answer that can't be read)");
    else take(read.data, { words, pictures }, dir);
  }
  if (words.length === 0 && pictures.length === 0 && structuredContent !== undefined)
    words.push(JSON.stringify(structuredContent));
  const all = words.join("\n");
  return [...(all === "" && pictures.length > 0 ? [] : [text(asData(all))]), ...pictures];
}

interface Taken {
  words: string[];
  pictures: ContentBlock[];
}

function take(part: Part, taken: Taken, dir: string): void {
  const { words } = taken;
  switch (part.type) {
    case "text":
      words.push(part.text ?? "");
      break;
    case "image":
    case "audio":
      bytes(part.data ?? "", part.mimeType, taken, dir);
      break;
    case "resource":
      words.push(`(${address(part.resource?.uri)})`);
      if (part.resource?.text !== undefined) words.push(part.resource.text);
      else bytes(part.resource?.blob ?? "", part.resource?.mimeType, taken, dir);
      break;
    case "resource_link":
      words.push(`(${part.name ?? "a resource"}: ${address(part.uri)})`);
      break;
    default:
      words.push(`(a part of the kind ${JSON.stringify(part.type.slice(0, 40))}, which can't be shown)`);
  }
}

function address(uri: string | undefined): string {
  return JSON.stringify((uri ?? "no address").slice(0, 2000));
}

function bytes(base64: string, mime: string | undefined, { words, pictures }: Taken, dir: string): void {
  const raw = Buffer.from(base64, "base64");
  const type = pictureType(raw);
  const whole = type !== undefined && inspectPicture(raw, type) !== undefined;
  if (whole && raw.length <= MOST_PICTURE && pictures.length < MOST_PICTURES) {
    pictures.push({
      type: "image",
      source: { type: "base64", media_type: `image/${type}`, data: raw.toString("base64") },
    });
    return;
  }
  const file = keep(
    raw,
    type ??
      mime
        ?.split("/")[1]
        ?.replaceAll(/[^a-z0-9]/g, "")
        .slice(0, 8) ??
      "bin",
    dir,
  );
  words.push(`(${(mime ?? "data").replaceAll(/[^\w./+-]/g, "").slice(0, 80)}, ${raw.length} bytes, kept in ${file})`);
}

function keep(raw: Buffer, ending: string, dir: string): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const name = `mcp-${createHash("sha256").update(raw).digest("hex").slice(0, 16)}.${ending}`;
  writeFileSync(join(dir, name), raw, { mode: 0o600 });
  return join(dir, name);
}
