import {
  closeSync,
  constants,
  cpSync,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { LoadOptions } from "../events/load.ts";

/** A session's log that lies in a folder of its own: `log.jsonl`, and beside it what there is of `head`, `content/`, `key`, `start/`. */
export interface Recording {
  log: LoadOptions;
  /** The folder as it was when the session began. */
  start?: string;
}

const First = z.looseObject({
  type: z.literal("session.opened"),
  sessionId: z.string().regex(/^[A-Za-z0-9][\w-]{0,100}$/),
});

/**
 * Copies a recording's log into `to`, a folder of ours, and tells where: files from a checkout or another machine have modes and owners
 * that no log is read with. Without a `key` beside it the log is foreign, as that of any other machine.
 * @throws Error with one readable line for what is no recording.
 */
export function openRecording(dir: string, to: string): Recording {
  const file = join(dir, "log.jsonl");
  if (!existsSync(file)) throw new Error(`${dir} holds no recording: there is no ${file}`);
  const log = ownFile(file);
  const sessionId = idOf(file, log);
  const sessions = join(to, "sessions");
  const content = join(to, "content");
  mkdirSync(sessions, { recursive: true, mode: 0o700 });
  writeFileSync(join(sessions, `${sessionId}.jsonl`), log, { mode: 0o600 });
  if (present(join(dir, "head")))
    writeFileSync(join(sessions, `${sessionId}.head`), ownFile(join(dir, "head")), { mode: 0o600 });
  if (ownFolder(join(dir, "content"))) copyContent(join(dir, "content"), content);
  const start = join(dir, "start");
  return {
    log: { sessionsDir: sessions, contentDir: content, sessionId, key: keyOf(join(dir, "key")) },
    ...(ownFolder(start) ? { start } : {}),
  };
}

/** When everything in a recording's folder was changed last: a checkout keeps no times, and Glob lists by them. */
const EVEN = new Date("2026-01-05T08:00:00Z");

/** Copies a recording's `start/` to where its tools run, all of it with one time. Its links are copied as links, and stay as they are. */
export function copyStart(start: string, to: string): void {
  cpSync(start, to, { recursive: true, verbatimSymlinks: true });
  for (const entry of entriesBelow(to)) utimesSync(join(entry.parentPath, entry.name), EVEN, EVEN);
}

/** All files and folders below `dir`, links left out: a recording comes from others, and the recursion of readdir goes through them. */
function* entriesBelow(dir: string): Generator<Dirent> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    if (entry.isDirectory()) yield* entriesBelow(join(dir, entry.name));
    yield entry;
  }
}

function idOf(file: string, log: Buffer): string {
  const end = log.indexOf("\n");
  const line = log.toString("utf8", 0, end < 0 ? log.length : end);
  try {
    return First.parse(JSON.parse(line)).sessionId;
  } catch (error) {
    throw new Error(`${file} doesn't begin as a session's log`, { cause: error });
  }
}

function present(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** True for a folder of the recording's own, false where there is none. A link would lead the tools of a check out of their copy. */
function ownFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (!stat.isDirectory()) throw new Error(`${path} is no folder of the recording's own${linkWords(stat)}`);
  return true;
}

/** What a file of the recording's own holds. Neither a link is followed nor a pipe or a device waited for. */
function ownFile(path: string): Buffer {
  const stat = lstatSync(path);
  if (!stat.isFile()) throw new Error(`${path} is no ordinary file${linkWords(stat)}`);
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error(`${path} is no ordinary file`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function linkWords(stat: { isSymbolicLink(): boolean }): string {
  return stat.isSymbolicLink() ? ": it is a symbolic link, and none is followed out of a recording" : "";
}

/** The store by hash, two levels deep. */
function copyContent(from: string, to: string): void {
  for (const entry of entriesBelow(from)) {
    if (!entry.isFile()) continue;
    const sub = join(to, basename(entry.parentPath));
    mkdirSync(sub, { recursive: true, mode: 0o700 });
    writeFileSync(join(sub, entry.name), ownFile(join(entry.parentPath, entry.name)), { mode: 0o600 });
  }
}

/** 64 hex digits. A log whose key nobody has verifies nowhere. */
function keyOf(file: string): Uint8Array {
  const text = present(file) ? ownFile(file).toString("utf8").trim() : "";
  return /^[0-9a-f]{64}$/.test(text) ? new Uint8Array(Buffer.from(text, "hex")) : new Uint8Array(32);
}
