import { closeSync, readSync } from "node:fs";
import { chainKey, type ChainKey, statedMac, verified } from "./chain.ts";
import { contentStore } from "./content.ts";
import type { LogEvent } from "./event.ts";
import { readHead } from "./head.ts";
import { decodeLine } from "./line.ts";
import { type LoadOptions, sessionFiles } from "./load.ts";
import { openPrivate } from "./private.ts";
import { fold, initialState } from "./reduce.ts";
import type { SessionState } from "./state.ts";

/**
 * What the end of a session's log says, for the eye alone: its last `bytes` bytes, each line by its chain, bound to this session by the
 * signed head. Of what stands before them the state knows nothing: its newest items are right, its mode, rules and calls are not the
 * session's. undefined where anything isn't as it should be: `loadLog` finds out what it is, and says so.
 */
export function readTail(options: LoadOptions, bytes: number): { state: SessionState; whole: boolean } | undefined {
  const { sessionsDir, sessionId } = options;
  const key = chainKey(options.key);
  const files = sessionFiles(sessionsDir, sessionId);
  try {
    const head = readHead(key, sessionId, files.head);
    if (head === undefined || head.folder === "") return undefined;
    const { lines, whole } = lastLines(files.log, bytes);
    const events = eventsOf(lines, whole, key, options.contentDir);
    // The head is written behind a sync: the last lines may be newer, but a line that it knows must be there.
    if (events?.some((event) => event.seq === head.seq && event.mac === head.mac) !== true) return undefined;
    const { folder, model } = head;
    return { state: fold({ ...initialState(sessionId), folder, model }, events), whole };
  } catch {
    // Whatever is wrong with it is told where it is read in whole.
    return undefined;
  }
}

/** The complete lines of the last bytes of a file; `whole`: these are all it has. */
function lastLines(file: string, bytes: number): { lines: Buffer[]; whole: boolean } {
  const opened = openPrivate(file);
  if (opened === undefined) return { lines: [], whole: true };
  const { fd, size } = opened;
  try {
    const from = Math.max(0, size - bytes);
    const chunk = Buffer.alloc(size - from);
    const read = chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, from));
    const lines: Buffer[] = [];
    // What stands before the first line end may be the rest of a line, what stands behind the last one is a line cut short.
    let start = from === 0 ? 0 : read.indexOf(10) + 1;
    for (let end = read.indexOf(10, start); end >= 0; end = read.indexOf(10, start)) {
      lines.push(read.subarray(start, end));
      start = end + 1;
    }
    return { lines, whole: from === 0 };
  } finally {
    closeSync(fd);
  }
}

/** Every line whose mac goes over the one before it; the first has none to go by, where the log begins before it. */
function eventsOf(
  [first, ...rest]: readonly Buffer[],
  whole: boolean,
  key: ChainKey,
  contentDir: string,
): LogEvent[] | undefined {
  if (first === undefined) return undefined;
  const store = contentStore(contentDir);
  let mac = whole ? "" : statedMac(first);
  const events: LogEvent[] = [];
  for (const line of whole ? [first, ...rest] : rest) {
    mac = mac === undefined ? undefined : verified(key, mac, line);
    const decoded = mac === undefined ? undefined : decodeLine(line, store);
    if (mac === undefined || decoded?.ok !== true || decoded.missing.length > 0) return undefined;
    events.push({ v: 1, seq: decoded.seq, at: decoded.at, mac, ...decoded.body });
  }
  return events;
}
