import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import { findSession } from "../events/sessions.ts";
import type { SessionState } from "../events/state.ts";
import type { Store } from "../session/store.ts";
import { sanitize } from "../util/visible.ts";

/** The fold of a session's log, read without opening it. Notices go to stderr. Throws a LogError for an id that fits none. */
export async function stateOf(store: Store, wanted: string): Promise<SessionState> {
  const { id } = findSession(store.sessions, wanted);
  const loaded = await loadLog({
    sessionsDir: store.sessions,
    contentDir: store.content,
    sessionId: id,
    key: loadKey(store.key),
  });
  for (const notice of loaded.notices) process.stderr.write(`agent: ${sanitize(notice)}\n`);
  return loaded.state;
}
