import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadKey } from "../events/key.ts";
import { type LoadedLog, loadLog } from "../events/load.ts";
import { findSession } from "../events/sessions.ts";
import { openRecording } from "../session/recording.ts";
import type { Store } from "../session/store.ts";
import { sanitize } from "../util/visible.ts";
import { UsageError } from "./usage-error.ts";

/**
 * A session's log, read without opening it, so that a running session can be looked at too; or that of a recording, where `wanted` is a
 * path. Notices go to stderr. Throws a LogError for an id that fits none, a UsageError for a folder that holds no recording.
 */
export async function readLog(store: Store, wanted: string): Promise<LoadedLog & { start?: string }> {
  const loaded = wanted.includes("/") && existsSync(wanted) ? await recorded(wanted) : await own(store, wanted);
  for (const notice of loaded.notices) process.stderr.write(`agent: ${sanitize(notice)}\n`);
  return loaded;
}

function own(store: Store, wanted: string): Promise<LoadedLog> {
  const { id } = findSession(store.sessions, wanted);
  return loadLog({ sessionsDir: store.sessions, contentDir: store.content, sessionId: id, key: loadKey(store.key) });
}

async function recorded(dir: string): Promise<LoadedLog & { start?: string }> {
  const copy = mkdtempSync(join(tmpdir(), "understudy-record-"));
  try {
    const { log, start } = openedAt(dir, copy);
    return { ...(await loadLog(log)), ...(start === undefined ? {} : { start }) };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function openedAt(dir: string, copy: string): ReturnType<typeof openRecording> {
  try {
    return openRecording(dir, copy);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
