import { createHash, type Hash } from "node:crypto";
import { text, type ContentBlock } from "../events/block.ts";
import type { Touch } from "../events/event.ts";
import { STRAY, type Encoding } from "./encoding.ts";
import { asItComes } from "../util/secrets/stream.ts";
import { readAt, type OpenFile } from "./open-file.ts";
import { footer, Page, type Range } from "./page.ts";
import type { Place } from "./paths.ts";
import { MOST_BYTES } from "./text-file.ts";
import type { ToolContext } from "./tool.ts";

const CHUNK = 256 << 10;
/** Bytes read behind the range to count the lines of a file that is too large to edit. */
const COUNT_BYTES = 256 << 20;

export interface Shown {
  content: ContentBlock[];
  touched: Touch[];
  details: { path: string; from: number; to: number; total: number };
}

/** The lines of a range, streamed: memory holds one chunk and what is shown. Text is a problem, for the model. */
export async function readText(
  file: OpenFile,
  place: Place,
  encoding: Encoding,
  range: Range,
  ctx: ToolContext,
): Promise<Shown | string> {
  const page = new Page(range, ctx.settings.read.maxChars, await endsByReturn(file, encoding));
  const hash = file.size <= MOST_BYTES ? createHash("sha256") : undefined;
  const whole = await stream(file, encoding, page, hash, ctx);
  if (page.total === 0) return said(place, file, `${place.shown} is empty (0 bytes).`, hash, page);
  if (page.lines.length === 0)
    return `${place.shown} has ${page.total.toLocaleString("en")} lines; offset ${range.from} is behind its end.`;
  const notes = footer(page, range, whole);
  const odd = encoding.name !== "utf-8";
  if (odd)
    notes.push(
      `Encoding: ${encoding.name}${encoding.sure ? "" : " (guessed)"}.${encoding.name === STRAY ? " Stray bytes show as \uFFFD." : ""}`,
    );
  const body = notes.length === 0 ? page.lines : [...page.lines, "", ...notes];
  return said(place, file, body.join("\n"), hash, page, range);
}

function said(place: Place, file: OpenFile, words: string, hash: Hash | undefined, page: Page, range?: Range): Shown {
  const partial = range !== undefined && (range.from > 1 || page.last < page.total);
  const touch = {
    path: place.target,
    how: "read" as const,
    ...(partial ? { partial, lines: linesOf(range, page) } : {}),
  };
  const touched = hash === undefined || file.size > MOST_BYTES ? [] : [{ ...touch, hash: hash.digest("hex") }];
  return {
    content: [text(words)],
    touched,
    details: { path: place.shown, from: range?.from ?? 0, to: range === undefined ? 0 : page.last, total: page.total },
  };
}

function linesOf({ from }: Range, { last, total }: Page): NonNullable<Touch["lines"]> {
  return { of: total, ranges: [[from, last]] };
}

/** Feeds the file to the page; false when it stopped before the end. */
async function stream(
  file: OpenFile,
  encoding: Encoding,
  page: Page,
  hash: Hash | undefined,
  { signal, secrets }: Pick<ToolContext, "signal" | "secrets">,
): Promise<boolean> {
  const decoder = await decoderOf(encoding);
  // Before lines are counted off and cut: half a key is none by its form, and a key's lines are known by their beginning.
  const mask = secrets?.stream() ?? asItComes;
  let at = 0;
  let behind = 0;
  for (;;) {
    signal.throwIfAborted();
    const chunk = await readAt(file.handle, at, CHUNK);
    hash?.update(chunk);
    page.push(mask.push(decoder.write(at === 0 ? chunk.subarray(encoding.bom) : chunk)));
    at += chunk.length;
    if (chunk.length < CHUNK) break;
    if (page.past && hash === undefined) behind += chunk.length;
    if (behind > COUNT_BYTES) return false;
  }
  page.push(mask.push(decoder.end()) + mask.end());
  page.finish();
  return true;
}

async function decoderOf(encoding: Encoding): Promise<{ write(bytes: Buffer): string; end(): string }> {
  if (encoding.name === "utf-8" || encoding.name === STRAY) {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const iconv = (await import("iconv-lite")).default;
  const decoder = iconv.getDecoder(encoding.name, { stripBOM: false });
  return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? "" };
}

/** True for a text that knows no `\n` but `\r`, as old Macs wrote them. */
async function endsByReturn(file: OpenFile, encoding: Encoding): Promise<boolean> {
  const sample = await readAt(file.handle, 0, CHUNK);
  return !/^utf-(16|32)/.test(encoding.name) && sample.includes(13) && !sample.includes(10);
}
