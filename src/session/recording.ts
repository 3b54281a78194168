import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
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
  const sessionId = idOf(file);
  const sessions = join(to, "sessions");
  const content = join(to, "content");
  mkdirSync(sessions, { recursive: true, mode: 0o700 });
  privately(file, join(sessions, `${sessionId}.jsonl`));
  if (existsSync(join(dir, "head"))) privately(join(dir, "head"), join(sessions, `${sessionId}.head`));
  if (existsSync(join(dir, "content"))) copyContent(join(dir, "content"), content);
  const start = join(dir, "start");
  return {
    log: { sessionsDir: sessions, contentDir: content, sessionId, key: keyOf(join(dir, "key")) },
    ...(existsSync(start) ? { start } : {}),
  };
}

/** When everything in a recording's folder was changed last: a checkout keeps no times, and Glob lists by them. */
const EVEN = new Date("2026-01-05T08:00:00Z");

/** Copies a recording's `start/` to where its tools run, all of it with one time. */
export function copyStart(start: string, to: string): void {
  cpSync(start, to, { recursive: true, verbatimSymlinks: true });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) utimesSync(join(entry.parentPath, entry.name), EVEN, EVEN);
  }
}

function idOf(file: string): string {
  const line = readFileSync(file, "utf8").split("\n", 1)[0] ?? "";
  try {
    return First.parse(JSON.parse(line)).sessionId;
  } catch (error) {
    throw new Error(`${file} doesn't begin as a session's log`, { cause: error });
  }
}

function privately(from: string, to: string): void {
  if (!statSync(from).isFile()) throw new Error(`${from} is no ordinary file`);
  writeFileSync(to, readFileSync(from), { mode: 0o600 });
}

/** The store by hash, two levels deep. */
function copyContent(from: string, to: string): void {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const sub = join(to, basename(entry.parentPath));
    mkdirSync(sub, { recursive: true, mode: 0o700 });
    privately(join(entry.parentPath, entry.name), join(sub, entry.name));
  }
}

/** 64 hex digits. A log whose key nobody has verifies nowhere. */
function keyOf(file: string): Uint8Array {
  const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return /^[0-9a-f]{64}$/.test(text) ? new Uint8Array(Buffer.from(text, "hex")) : new Uint8Array(32);
}
