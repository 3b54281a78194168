import { readRegular } from "../util/regular-file.ts";
import type { Secrets } from "../util/secrets/secrets.ts";
import { cutLine, type FileHits, type LineHit } from "./search.ts";

/** Larger files hold no private key that a search should look for. */
const MOST_BYTES = 16 << 20;
/** A line alone of letters that a private key's block is made of, beside what a block may be quoted in. */
const LONE = /^[\s"'`#*>+-]*([A-Za-z0-9+/]{4,}={0,2})(?:\\n)?[\s"'`,;+)]*$/;

/**
 * Hits within a private key's block, masked: a line alone doesn't tell that it is a key's, its file does. Files are read only where a
 * hit could be such a line.
 */
export async function withoutBlocks(hits: FileHits, real: string, secrets: Secrets | undefined): Promise<FileHits> {
  if (secrets === undefined || !hits.lines.some(couldBeKey)) return hits;
  const text = await readRegular(real, { most: MOST_BYTES }).then(
    (bytes) => Buffer.from(bytes).toString("utf8"),
    () => "",
  );
  const lines = text.split("\n");
  const masked = secrets.mask(text).split("\n");
  const shown = (hit: LineHit): LineHit => {
    const line = masked[hit.n - 1];
    return line === undefined || line === lines[hit.n - 1]
      ? hit
      : { ...hit, text: cutLine(line.replace(/\r$/, ""), 0, 0) };
  };
  return { ...hits, lines: hits.lines.map(shown) };
}

function couldBeKey({ text }: LineHit): boolean {
  const letters = LONE.exec(text)?.[1] ?? "";
  return letters.length > 0 && letters.length % 4 === 0 && (letters.length >= 16 || /[A-Z0-9=]/.test(letters));
}
