import { join } from "node:path";
import { textOf } from "../events/block.ts";
import { contentStore } from "../events/content.ts";
import { decodeLine, MAX_LINE } from "../events/line.ts";
import { readLines } from "../events/lines.ts";
import { openPrivate } from "../events/private.ts";
import type { Store } from "./store.ts";

/** Characters of a prompt that are searched. */
const MOST = 20_000;
const PROMPT = Buffer.from('"type":"prompt.submitted"');

/** What a log holds from a byte on: the person's words, and where its last complete line ends. */
export interface LogPrompts {
  words: string[];
  bytes: number;
}

/** Reads the prompts of a log, unchecked: for searching alone. Nothing of a log that can't be read. */
export async function promptsFrom(
  store: Pick<Store, "sessions" | "content">,
  id: string,
  from = 0,
): Promise<LogPrompts> {
  const found: LogPrompts = { words: [], bytes: from };
  try {
    const opened = openPrivate(join(store.sessions, `${id}.jsonl`));
    if (opened === undefined) return found;
    const content = contentStore(store.content);
    const onLine = (bytes: Buffer, length: number): void => {
      if (length >= MAX_LINE || !bytes.includes(PROMPT)) return;
      const line = decodeLine(bytes, content);
      if (!line.ok || line.body.type !== "prompt.submitted") return;
      const words = textOf(line.body.content).slice(0, MOST).toWellFormed().trim();
      if (words !== "") found.words.push(words);
    };
    const rest = await readLines(opened.fd, MAX_LINE, onLine, { bytes: from, lines: 0 });
    found.bytes = rest.complete;
  } catch {
    // Somebody else's file, a folder that went: it holds nothing for us.
  }
  return found;
}
