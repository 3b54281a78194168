import { z } from "zod";
import type { Touch } from "../events/event.ts";
import { putBack } from "./keys.ts";
import { done, failed, quiet } from "./outcome.ts";
import { changeNeeds, locateAllowed, type Place } from "./paths.ts";
import { blockedBy, OUTSIDE_WRITE, stageFile } from "./stage-file.ts";
import {
  asText,
  hashOf,
  loadBytes,
  MOST_BYTES,
  staleness,
  toBytes,
  type FileBytes,
  type TextFile,
} from "./text-file.ts";
import { defineTool, type Outcome, type ToolContext } from "./tool.ts";

const Input = z.strictObject({
  file_path: z.string(),
  content: z.string(),
});
type Input = z.infer<typeof Input>;

/**
 * Makes a file or replaces a whole one. An existing text file keeps its encoding and mark, and its line ends where all of them are CRLF and
 * `content` has none: a diff then shows what was meant. The result says so.
 */
export const writeTool = defineTool<Input>({
  name: "Write",
  description: `Writes a whole file; missing folders are made. Use it for new files and full rewrites, else Edit. An existing file must have been Read.
Example: {"file_path":"src/new.ts","content":"export const a = 1;\\n"}`,
  input: Input,
  rules: "change",
  stages: true,
  subject: (input) => input.file_path,
  paths: (input) => [input.file_path],
  needs: (input, ctx) => changeNeeds(input.file_path, ctx),
  parallel: () => false,
  run: (input, ctx) => quiet(() => write(input, ctx)),
});

async function write(input: Input, ctx: ToolContext): Promise<Outcome> {
  const place = await locateAllowed(input.file_path, "write", ctx);
  if (typeof place === "string") return failed(place);
  if (!place.inside) return failed(OUTSIDE_WRITE);
  if (input.content.length > MOST_BYTES)
    return failed(`content is longer than ${MOST_BYTES >> 20} MB. Make it with Bash.`);
  if (!input.content.isWellFormed())
    return failed("content holds half of a character pair, which no encoding can write.");
  if (input.file_path.endsWith("/")) return failed(`${input.file_path} names a folder: give a file's name.`);
  const blocked = place.exists ? undefined : await blockedBy(place, ctx);
  if (blocked !== undefined) return failed(blocked);
  if (place.exists) return overwrite(input, place, ctx);
  const real = putBack([input.content], { ...place, text: undefined }, ctx);
  return typeof real === "string" ? failed(real) : put(place, Buffer.from(input.content), undefined, "", ctx);
}

async function overwrite(input: Input, place: Place, ctx: ToolContext): Promise<Outcome> {
  const old = await loadBytes(place, ctx);
  if (typeof old === "string") return failed(old);
  const seen = ctx.state().touched.get(place.target);
  const stale = staleness(place, old.hash, seen);
  if (stale !== undefined) return failed(stale);
  if (seen?.partial === true)
    return failed(
      `Only a part of ${place.shown} was read in this session, and a whole new text could lose the rest. Read the other lines first, or change parts with Edit.`,
    );
  const text = await asText(place, old);
  const real = putBack([input.content], { ...place, text: typeof text === "string" ? undefined : text.text }, ctx);
  if (typeof real === "string") return failed(real);
  const fresh = await asBefore(text, old, real[0] ?? "");
  if (typeof fresh === "string") return failed(fresh);
  if (fresh.bytes.equals(old.bytes)) return done(`${place.shown} already has exactly this content. Nothing changed.`);
  return put(place, fresh.bytes, old, fresh.kept, ctx);
}

/** The new bytes in the old file's ways. A binary file has none. */
async function asBefore(
  file: TextFile | string,
  old: FileBytes,
  content: string,
): Promise<{ bytes: Buffer; kept: string } | string> {
  if (typeof file === "string" || old.bytes.length === 0) return { bytes: Buffer.from(content), kept: "" };
  const wide = /\r\n/.test(file.text) && !/(?<!\r)\n/.test(file.text) && !content.includes("\r");
  const text = wide ? content.replaceAll("\n", "\r\n") : content;
  const { name, bom } = file.encoding;
  const body = bom > 0 && text.startsWith("\uFEFF") ? text.slice(1) : text;
  const bytes = await toBytes(file, body, body);
  if (typeof bytes === "string") return bytes;
  const kept = [
    wide ? "CRLF line ends" : "",
    bom > 0 ? "byte order mark" : "",
    name === "utf-8" ? "" : `encoding ${name}`,
  ];
  return { bytes, kept: kept.filter((k) => k !== "").join(", ") };
}

async function put(
  place: Place,
  bytes: Buffer,
  old: FileBytes | undefined,
  kept: string,
  ctx: ToolContext,
): Promise<Outcome> {
  const changes = await stageFile(place, bytes, old, ctx);
  const touched: Touch[] = [{ path: place.target, hash: hashOf(bytes), how: "written" }];
  const verb = old === undefined ? "Made" : "Replaced";
  const words = `${verb} ${place.shown} (${bytes.length.toLocaleString("en")} bytes${kept === "" ? "" : `; kept: ${kept}`}).`;
  return done(words, {
    changes,
    touched,
    details: { path: place.shown, bytes: bytes.length, created: old === undefined },
  });
}
