import { constants, lstatSync, unlinkSync } from "node:fs";
import type { Clock } from "../util/deps.ts";
import { chainKey, seal } from "./chain.ts";
import { contentStore } from "./content.ts";
import type { LogBody, LogEvent } from "./event.ts";
import { encodeHead, headOf } from "./head.ts";
import { encodeLine } from "./line.ts";
import { type LoadOptions, sessionFiles } from "./load.ts";
import { takeLock } from "./lock.ts";
import { errno, inWords, LogError } from "./log-error.ts";
import { type LogFs, systemFs, writeAll } from "./log-fs.ts";
import { FORMAT } from "./migrate.ts";
import { PrefixDigest } from "./prefix.ts";
import { privateFolder } from "./private.ts";
import { fold, initialState } from "./reduce.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const CHUNK = 1 << 20;

export interface CopyOptions extends LoadOptions {
  clock: Clock;
  /** For tests. */
  fs?: LogFs;
}
/** A fact with its own time, ISO. */
export interface TimedFact {
  at: string;
  body: LogBody;
}

/**
 * Writes a whole log at once: facts that are known already, the first of them `session.opened`, with their own times and a chain of the
 * log's own. In time linear to them, durable when it resolves, and there as a whole or not at all.
 * @throws LogError when the id is taken or the disk says no; nothing is left then.
 */
export async function writeLog(options: CopyOptions, facts: Iterable<TimedFact>): Promise<void> {
  const { sessionsDir, sessionId, clock, fs = systemFs } = options;
  const files = sessionFiles(sessionsDir, sessionId);
  privateFolder(sessionsDir);
  const lock = await takeLock(files.lock, `Session ${sessionId}`, clock);
  const temp = `${files.log}.new`;
  try {
    if (lstatSync(files.log, { throwIfNoEntry: false }) !== undefined)
      throw Object.assign(new Error("it is there already"), { code: "EEXIST" });
    const written = await inFile(fs, temp, (fd) => writeFacts(options, fs, fd, facts));
    await inFile(fs, files.head, (fd) => Promise.resolve(writeAll(fs, fd, written, 0)));
    fs.rename(temp, files.log);
    await fs.syncFolder(sessionsDir);
  } catch (error) {
    for (const file of [temp, ...(exists(error) ? [] : [files.head])]) remove(file);
    if (error instanceof LogError) throw error;
    throw new LogError("write", files.log, `Can't write ${files.log}: ${inWords(error)}.`, error);
  } finally {
    lock.release();
  }
}

async function inFile<R>(fs: LogFs, file: string, work: (fd: number) => Promise<R>): Promise<R> {
  const fd = fs.open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    return await work(fd);
  } finally {
    fs.close(fd);
  }
}

/** Gives the head. */
async function writeFacts(
  { contentDir, sessionId, key: bytes }: CopyOptions,
  fs: LogFs,
  fd: number,
  facts: Iterable<TimedFact>,
): Promise<Buffer> {
  const key = chainKey(bytes);
  const store = contentStore(contentDir, fs);
  const digest = new PrefixDigest();
  const events: LogEvent[] = [];
  let before = "";
  let waiting = "";
  const flush = (): void => {
    const chunk = Buffer.from(waiting);
    writeAll(fs, fd, chunk, null);
    digest.add(chunk);
    waiting = "";
  };
  for (const { at, body } of facts) {
    const envelope = { v: FORMAT, seq: events.length + 1, at } as const;
    const { mac, line } = seal(key, before, await encodeLine(envelope, body, store));
    before = mac;
    events.push({ ...envelope, mac, ...body });
    waiting += line;
    if (waiting.length > CHUNK) flush();
  }
  flush();
  await fs.datasync(fd);
  return encodeHead(key, sessionId, headOf(fold(initialState(sessionId), events), before, digest.prefix()));
}

function exists(error: unknown): boolean {
  return errno(error) === "EEXIST";
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never made.
  }
}
