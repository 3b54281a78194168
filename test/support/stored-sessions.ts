import { mkdirSync } from "node:fs";
import type { LogBody } from "../../src/events/event.ts";
import { loadKey } from "../../src/events/key.ts";
import { openLog } from "../../src/events/open-log.ts";
import { openStore, type Store } from "../../src/session/store.ts";
import { systemClock } from "../../src/util/system.ts";
import { OPENED, prompt } from "./event-log.ts";
import { place } from "./session.ts";

/** The program's own folders, empty. */
export function emptyStore(): Store {
  const { config, state } = place("store");
  mkdirSync(state, { recursive: true });
  return openStore({ config, state });
}

/** Adds a closed session with these prompts and facts; gives its id. */
export async function stored(
  store: Store,
  id: string,
  prompts: readonly string[],
  bodies: readonly LogBody[] = [],
  at: { folder?: string; clock?: typeof systemClock } = {},
): Promise<string> {
  const { folder = "/p", clock = systemClock } = at;
  const log = await openLog({ ...logAt(store, id), clock, create: true });
  await log.append({ ...OPENED, sessionId: id, folder, roots: [{ path: folder, kind: "folder" }] });
  for (const words of prompts) await log.append(prompt(words));
  for (const body of bodies) await log.append(body);
  await log.close();
  return id;
}

/** Where a session's log lies, for `openLog` and `loadLog`. */
export function logAt(store: Store, sessionId: string) {
  return { sessionsDir: store.sessions, contentDir: store.content, sessionId, key: loadKey(store.key) };
}
