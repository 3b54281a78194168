import { createHash } from "node:crypto";
import type { Touch } from "../events/event.ts";
import { detectExact, encodeText, lackingLetters, type Encoding } from "./encoding.ts";
import { openFile, readWhole } from "./open-file.ts";
import type { Place } from "./paths.ts";
import type { ToolContext } from "./tool.ts";

/** Bytes of a file that Edit and Write take into memory. */
export const MOST_BYTES = 20 << 20;

export interface FileBytes {
  bytes: Buffer;
  hash: string;
  mode: number;
}
export interface TextFile extends FileBytes {
  text: string;
  encoding: Encoding;
}

/** SHA-256, hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A whole file with its hash. Text is a problem, for the model. */
export async function loadBytes(place: Place, ctx: ToolContext): Promise<FileBytes | string> {
  await using file = holder(await openFile(place, ctx));
  if (file.problem !== undefined) return file.problem;
  const bytes = await readWhole(file.open, MOST_BYTES);
  if (bytes === undefined)
    return `${place.shown} has ${file.open.size.toLocaleString("en")} bytes, more than the ${MOST_BYTES >> 20} MB that can be edited. Use Bash (sed, head, tail).`;
  return { bytes, hash: hashOf(bytes), mode: file.open.mode };
}

/** Lets `await using` close what may not have been opened. */
function holder<T extends AsyncDisposable>(opened: T | string) {
  return typeof opened === "string"
    ? { problem: opened, [Symbol.asyncDispose]: () => Promise.resolve() }
    : { problem: undefined, open: opened, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** A file's text in the encoding that brings back every byte of it. */
export async function asText(place: Place, file: FileBytes): Promise<TextFile | string> {
  const found = await detectExact(file.bytes);
  if (found === undefined)
    return `${place.shown} is binary (${file.bytes.length.toLocaleString("en")} bytes): use Bash.`;
  return { ...file, ...found };
}

/**
 * The bytes of a changed text: same mark, same encoding. `fresh` is what was not in the file before. Text is a problem: letters that the encoding lacks,
 * or, where the encoding is only guessed, letters that the file has not used so far.
 */
export async function toBytes(file: TextFile, text: string, fresh: string): Promise<Buffer | string> {
  const { encoding } = file;
  const unknown = encoding.sure ? [] : [...new Set(fresh)].filter((c) => c > "\x7f" && !file.text.includes(c));
  if (unknown.length > 0)
    return (
      `The file is no UTF-8; its encoding looks like ${encoding.name}, which is only a guess, so ${list(unknown)} ` +
      `can't be written safely. Use plain ASCII, or Bash (iconv) to convert the file first.`
    );
  const lacking = await lackingLetters(fresh, encoding);
  if (lacking.length > 0)
    return `The file is ${encoding.name}, which can't hold ${list(lacking)}. Use other letters, or Bash (iconv) to convert the file first.`;
  return Buffer.concat([file.bytes.subarray(0, encoding.bom), await encodeText(text, encoding)]);
}

function list(letters: readonly string[]): string {
  const shown = letters.slice(0, 10).map((c) => {
    const code = (c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return c.isWellFormed() ? `"${c}" (U+${code})` : `U+${code}`;
  });
  return shown.join(", ") + (letters.length > shown.length ? ", …" : "");
}

/** Why a file may not be changed yet: it was not read in this session, or is another one since. */
export function staleness(place: Place, hash: string, touched: Touch | undefined): string | undefined {
  if (touched === undefined)
    return `Read ${place.shown} first: it was not read in this session (what Bash printed does not count).`;
  if (touched.hash === hash) return undefined;
  return `${place.shown} changed since it was read (by the person, a command, an undo or a review). Read it again, then repeat this with its present text.`;
}
