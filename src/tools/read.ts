import { z } from "zod";
import { detectEncoding } from "./encoding.ts";
import { openFile, readAt, type OpenFile } from "./open-file.ts";
import { brought, codeOf, failed, quiet, stopped } from "./outcome.ts";
import { locateAllowed, pathNeeds, type Place } from "./paths.ts";
import type { Range } from "./page.ts";
import { readFolder } from "./read-folder.ts";
import { readPicture } from "./read-image.ts";
import { readNotebook } from "./read-notebook.ts";
import { readPdf } from "./read-pdf.ts";
import { readText } from "./read-text.ts";
import { isPdf } from "../util/pdf.ts";
import { pictureType } from "../util/picture.ts";
import { missing } from "./stage-file.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  file_path: z.string(),
  offset: z.int().min(0).optional().describe("First line, from 1"),
  limit: z.int().min(1).optional().describe("Number of lines"),
});
type Input = z.infer<typeof Input>;

/** So many bytes decide what a file is. */
const SAMPLE = 1 << 20;

/** Shows a file: text with line numbers, pictures, PDF, notebooks; lists a folder (T5). */
export const readTool = defineTool<Input>({
  name: "Read",
  description: `Reads a file or lists a folder. Use it before you change a file. Text comes as line number, tab, line; images and PDFs as such; notebooks as cells. Long files come in parts: the last line says the next offset. In long files Grep first, then Read around what you found.
Example: {"file_path":"src/a.ts","offset":200,"limit":80}`,
  input: Input,
  rules: "read",
  subject: (input) => input.file_path,
  paths: (input) => [input.file_path],
  needs: (input, ctx) => pathNeeds(input.file_path, "read", ctx),
  parallel: () => true,
  run: (input, ctx) => quiet(() => read(input, ctx)),
});

async function read(input: Input, ctx: ToolContext): Promise<Outcome> {
  const place = await locateAllowed(input.file_path, "read", ctx);
  if (typeof place === "string") return failed(place);
  if (!place.exists) return failed(await missing(place, ctx));
  const range = {
    from: Math.max(1, input.offset ?? 1),
    limit: Math.min(input.limit ?? Infinity, ctx.settings.read.maxLines),
  };
  if (place.type === "folder") return readFolder(place, range, ctx);
  const file = await openFile(place, ctx);
  if (typeof file === "string") return failed(file);
  try {
    return await readFile(file, place, range, ctx);
  } catch (error) {
    if (ctx.signal.aborted) return stopped();
    const code = codeOf(error);
    if (code === undefined) throw error;
    return failed(`${place.shown} can't be read (${code}).`);
  } finally {
    await file[Symbol.asyncDispose]();
  }
}

async function readFile(file: OpenFile, place: Place, range: Range, ctx: ToolContext): Promise<Outcome> {
  const sample = await readAt(file.handle, 0, Math.min(SAMPLE, file.size === 0 ? SAMPLE : file.size));
  const picture = pictureType(sample);
  if (picture !== undefined) return readPicture(file, place, picture, ctx);
  if (isPdf(sample)) return readPdf(file, place, ctx);
  const encoding = await detectEncoding(sample, file.size > sample.length);
  if (encoding === undefined) {
    const size = file.size.toLocaleString("en");
    return failed(
      `${place.shown} is binary (${size} bytes, begins ${hex(sample)}): not shown. Use Bash (file, xxd, strings) to look into it.`,
    );
  }
  if (/\.ipynb$/i.test(place.shown)) {
    const notebook = await readNotebook(file, place, range, ctx);
    if (notebook !== undefined) return notebook;
  }
  const shown = await readText(file, place, encoding, range, ctx);
  return typeof shown === "string"
    ? failed(shown)
    : brought(shown.content, { touched: shown.touched, details: shown.details });
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 8))
    .toString("hex")
    .replace(/(..)(?=.)/g, "$1 ");
}
