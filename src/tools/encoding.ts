import { isUtf8 } from "node:buffer";
import { decodeStray, encodeStray, isMostlyUtf8 } from "./stray.ts";

/**
 * How a file's bytes are text. `sure`: said by a byte order mark, by being UTF-8, or by a detector that is confident; what is only guessed
 * shows the text, but new letters are not written in it.
 */
export interface Encoding {
  /** A name that iconv-lite knows, or `utf-8` with stray bytes kept apart (`utf-8 with stray bytes`). */
  name: string;
  /** Bytes of the byte order mark. */
  bom: number;
  sure: boolean;
}
export const STRAY = "utf-8 with stray bytes";
export const UTF8: Encoding = { name: "utf-8", bom: 0, sure: true };

const MARKS: readonly [readonly number[], string][] = [
  [[0xff, 0xfe, 0, 0], "utf-32le"],
  [[0, 0, 0xfe, 0xff], "utf-32be"],
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
/** Below this a detector's word is a guess. */
const CONFIDENT = 0.2;
const MULTI_BYTE = /^(cp932|shift|euc|gb|big5|cp949|johab|uhc)/i;

/**
 * What encoding the text has, or undefined for what is no text. `more`: the sample is not the whole file, so a letter cut at its end is no fault.
 */
export async function detectEncoding(sample: Uint8Array, more = false): Promise<Encoding | undefined> {
  for (const [mark, name] of MARKS) {
    if (mark.every((byte, n) => sample[n] === byte)) return { name, bom: mark.length, sure: true };
  }
  if (sample.includes(0)) return guessWide(sample);
  if (isUtf8(more ? withoutCutLetter(sample) : sample)) return looksBinary(sample) ? undefined : UTF8;
  if (looksBinary(sample)) return undefined;
  if (isMostlyUtf8(sample)) return { name: STRAY, bom: 0, sure: true };
  return guessLegacy(sample);
}

/** UTF-16 without a mark: every second byte of mostly Latin text is 0. */
function guessWide(sample: Uint8Array): Encoding | undefined {
  const zeros = [0, 0];
  for (let n = 0; n < sample.length; n++) if (sample[n] === 0) zeros[n % 2] = (zeros[n % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const [enough, few] = [sample.length * 0.2, sample.length * 0.005];
  const little = odd > enough && even <= few;
  if (sample.length < 4 || !(little || (even > enough && odd <= few))) return undefined;
  const letters = sample.filter((_, n) => n % 2 === (little ? 0 : 1));
  return looksBinary(letters) ? undefined : { name: little ? "utf-16le" : "utf-16be", bom: 0, sure: true };
}

function looksBinary(sample: Uint8Array): boolean {
  let odd = 0;
  for (const byte of sample) {
    // The bell stands in what terminals were sent, as the escape does: that is text.
    if (byte < 0x20 && !(byte >= 7 && byte <= 13) && byte !== 0x1b) odd++;
    else if (byte === 0x7f) odd++;
  }
  return odd > sample.length / 20;
}

function withoutCutLetter(sample: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, sample.length); back++) {
    const byte = sample[sample.length - back] ?? 0;
    if (byte >= 0xc0) return sample.subarray(0, sample.length - back);
    if (byte < 0x80) break;
  }
  return sample;
}

async function guessLegacy(sample: Uint8Array): Promise<Encoding> {
  const { detect } = await import("jschardet");
  const { encodingExists } = (await import("iconv-lite")).default;
  const { encoding, confidence } = detect(sample);
  const known = encoding !== null && encodingExists(encoding) && !/utf|ascii/i.test(encoding);
  if (known && confidence >= CONFIDENT) return { name: encoding.toLowerCase(), bom: 0, sure: true };
  const name = known && MULTI_BYTE.test(encoding) && confidence >= 0.1 ? encoding.toLowerCase() : "windows-1252";
  return { name, bom: 0, sure: false };
}

/** The text without its mark. */
export async function decodeText(bytes: Uint8Array, encoding: Encoding): Promise<string> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + encoding.bom, bytes.byteLength - encoding.bom);
  if (encoding.name === "utf-8") return body.toString("utf8");
  if (encoding.name === STRAY) return decodeStray(body);
  if (encoding.name === "latin1") return body.toString("latin1");
  const iconv = (await import("iconv-lite")).default;
  return iconv.decode(body, encoding.name, { stripBOM: false });
}

/** The bytes without a mark; letters that the encoding lacks become something else, which `lackingLetters` finds beforehand. */
export async function encodeText(text: string, encoding: Encoding): Promise<Buffer> {
  if (encoding.name === "utf-8") return Buffer.from(text, "utf8");
  if (encoding.name === STRAY) return encodeStray(text);
  if (encoding.name === "latin1") return Buffer.from(text, "latin1");
  const iconv = (await import("iconv-lite")).default;
  return iconv.encode(text, encoding.name, { addBOM: false });
}

/** The encoding in which these bytes survive being decoded and encoded; ISO-8859-1 where the detected one loses some. */
export async function detectExact(bytes: Uint8Array): Promise<{ encoding: Encoding; text: string } | undefined> {
  const found = await detectEncoding(bytes);
  if (found === undefined) return undefined;
  const text = await decodeText(bytes, found);
  if (found === UTF8) return { encoding: found, text };
  if ((await encodeText(text, found)).equals(bytes.subarray(found.bom))) return { encoding: found, text };
  if (found.name === "utf-8") return exactStray(bytes, found.bom);
  if (found.name.startsWith("utf")) return undefined;
  const encoding = { name: "latin1", bom: 0, sure: false };
  return { encoding, text: await decodeText(bytes, encoding) };
}

async function exactStray(bytes: Uint8Array, bom: number): Promise<{ encoding: Encoding; text: string }> {
  const encoding = { name: STRAY, bom, sure: true };
  return { encoding, text: await decodeText(bytes, encoding) };
}

/** Letters of `text` that can't be written in this encoding, each once. Half pairs never can. */
export async function lackingLetters(text: string, encoding: Encoding): Promise<string[]> {
  const lacking = new Set<string>();
  for (const letter of new Set(text)) {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 0x80) continue;
    if (!letter.isWellFormed() || !(await survives(letter, encoding))) lacking.add(letter);
  }
  return [...lacking];
}

async function survives(letter: string, encoding: Encoding): Promise<boolean> {
  if (encoding.name.startsWith("utf")) return true;
  return (await decodeText(await encodeText(letter, encoding), { ...encoding, bom: 0 })) === letter;
}
