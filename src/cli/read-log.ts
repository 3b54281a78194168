import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import { findSession } from "../events/sessions.ts";
import type { Store } from "../session/store.ts";
import { sanitize } from "../util/visible.ts";

/** A session's log, read without opening it, so that a running session can be looked at too. Notices go to stderr. Throws a LogError for an id that fits none. */
export async function readLog(store: Store, wanted: string): ReturnType<typeof loadLog> {
  const { id } = findSession(store.sessions, wanted);
  const loaded = await loadLog({
    sessionsDir: store.sessions,
    contentDir: store.content,
    sessionId: id,
    key: loadKey(store.key),
  });
  for (const notice of loaded.notices) process.stderr.write(`agent: ${sanitize(notice)}\n`);
  return loaded;
}
