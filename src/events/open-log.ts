import { constants, fchmodSync, lstatSync } from "node:fs";
import type { Clock } from "../util/deps.ts";
import { makeSecrets, type Secrets } from "../util/secrets/secrets.ts";
import { chainKey } from "./chain.ts";
import { contentStore } from "./content.ts";
import type { LogBody } from "./event.ts";
import { encodeHead, HEAD_SIZE, headOf } from "./head.ts";
import { loadLog, type LoadOptions, sessionFiles } from "./load.ts";
import { takeLock } from "./lock.ts";
import { type EventLog, FileLog, type LogParts } from "./log.ts";
import { errno, inWords, LogError } from "./log-error.ts";
import { type LogFs, systemFs, writeAll } from "./log-fs.ts";
import { privateFolder } from "./private.ts";
import { initialState } from "./reduce.ts";
import { PrefixDigest } from "./prefix.ts";
import { repairs } from "./repair.ts";

export interface OpenLogOptions extends LoadOptions {
  clock: Clock;
  /** A new log (its first event must be `session.opened`), else one that exists. */
  create: boolean;
  /** For tests. */
  fs?: LogFs;
  /** Default: what is known by its form. */
  secrets?: Secrets;
}

type Parts = Omit<LogParts, "lock" | "sessionId" | "fs" | "key" | "clock" | "store" | "secrets">;
const { O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Opens a session's log for writing: takes its lock, loads and repairs it, records what was repaired. Throws a LogError (and holds
 * nothing then) when another process has it, it can't be read, or can't be written.
 */
export async function openLog(options: OpenLogOptions): Promise<EventLog> {
  try {
    return await opened(options);
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== "write") throw error;
    const then = "Nothing runs without its log: make room, or set XDG_STATE_HOME to a folder that can be written to.";
    throw new LogError("write", error.file, `${error.message} ${then}`, error);
  }
}

async function opened(options: OpenLogOptions): Promise<EventLog> {
  const { sessionId, clock, fs = systemFs } = options;
  const key = chainKey(options.key);
  const files = sessionFiles(options.sessionsDir, sessionId);
  privateFolder(options.sessionsDir);
  const lock = await takeLock(files.lock, `Session ${sessionId}`, clock);
  try {
    const parts = options.create ? await create(options, fs) : await reopen(options, fs);
    const store = contentStore(options.contentDir, fs);
    const { secrets = makeSecrets({ key: options.key }) } = options;
    return await recordRepairs(
      new FileLog({ ...parts, sessionId, fs, key, clock, store, lock, secrets }),
      parts.repair,
    );
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function recordRepairs(log: EventLog, bodies: readonly LogBody[]): Promise<EventLog> {
  try {
    for (const body of bodies) await log.append(body);
    return log;
  } catch (error) {
    await log.close().catch(() => undefined);
    throw error;
  }
}

/** The head comes first: a log without one could have lost its end. */
async function create(options: OpenLogOptions, fs: LogFs): Promise<Parts & { repair: LogBody[] }> {
  const { sessionsDir, sessionId, key } = options;
  const { log: file, head } = sessionFiles(sessionsDir, sessionId);
  const state = initialState(sessionId);
  const headFd = openFor(fs, head, O_WRONLY | O_CREAT | O_EXCL);
  try {
    writeAll(fs, headFd, encodeHead(chainKey(key), sessionId, headOf(state, "")), 0);
    const fd = openFor(fs, file, O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
    await fs.syncFolder(sessionsDir);
    const empty = { events: [], notices: [], before: "", length: 0, digest: new PrefixDigest() };
    return { file, fd, headFd, state, ...empty, repair: [] };
  } catch (error) {
    fs.close(headFd);
    throw asLogError(file, error);
  }
}

async function reopen(options: OpenLogOptions, fs: LogFs): Promise<Parts & { repair: LogBody[] }> {
  const loaded = await loadLog(options);
  const { file, before, events, notices, complete, torn, digest } = loaded;
  const fd = openFor(fs, file, O_WRONLY | O_APPEND);
  try {
    fchmodSync(fd, 0o600);
    if (torn > 0) fs.truncate(fd, complete);
    const { head } = sessionFiles(options.sessionsDir, options.sessionId);
    asideUnlessFile(fs, head);
    const headFd = openFor(fs, head, O_RDWR | O_CREAT);
    fs.truncate(headFd, HEAD_SIZE);
    return {
      file,
      fd,
      headFd,
      state: loaded.state,
      events,
      notices,
      before,
      length: complete,
      digest,
      repair: repairs(loaded),
    };
  } catch (error) {
    fs.close(fd);
    throw asLogError(file, error);
  }
}

/** What lies in the head's place and is no file (a link, a pipe, a folder) was told as damage; it must not lock the session for good. */
function asideUnlessFile(fs: LogFs, head: string): void {
  const stat = lstatSync(head, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) fs.rename(head, `${head}.aside`);
}

function openFor(fs: LogFs, file: string, flags: number): number {
  try {
    return fs.open(file, flags | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw asLogError(file, error);
  }
}

function asLogError(file: string, error: unknown): LogError {
  if (error instanceof LogError) return error;
  if (errno(error) === "EEXIST") return new LogError("exists", file, `${file} exists already.`, error);
  return new LogError("write", file, `Can't write ${file}: ${inWords(error)}.`, error);
}
