import { loadKey } from "../events/key.ts";
import { openLog } from "../events/open-log.ts";
import { listSessions } from "../events/sessions.ts";
import type { Clock } from "../util/deps.ts";
import { visible } from "../util/visible.ts";
import type { Store } from "./store.ts";

const MOST = 100;

/** A name that a session can't have, and why. */
export class NameError extends Error {
  override name = "NameError";
}

/**
 * The name as it is kept: on one line, without blanks around it.
 * @throws NameError when it is empty or too long, or when another session is found by it already, as its name or its id.
 */
export function sessionName(wanted: string, sessionsDir: string, own: string): string {
  const name = wanted.toWellFormed().replaceAll(/\s+/g, " ").trim();
  if (name === "") throw new NameError("a name needs a sign that can be seen");
  if (name.length > MOST) throw new NameError(`a name has at most ${MOST} signs, this one has ${name.length}`);
  if (visible(name, "") !== name) throw new NameError("a name can't hold control characters or signs that aren't seen");
  const other = listSessions(sessionsDir).find((s) => s.id !== own && (s.name === name || s.id === name));
  if (other !== undefined)
    throw new NameError(`${name} is session ${other.id} (in ${other.folder}); take another name, or rename that one`);
  return name;
}

/** Names a session that isn't open. Gives the name as it is kept. @throws LogError "locked" when it is open; NameError. */
export async function renameSession(
  sessionId: string,
  wanted: string,
  { store, clock }: { store: Store; clock: Clock },
): Promise<string> {
  const name = sessionName(wanted, store.sessions, sessionId);
  const place = { sessionsDir: store.sessions, contentDir: store.content, sessionId, key: loadKey(store.key) };
  const log = await openLog({ ...place, clock, create: false });
  try {
    await log.append({ type: "session.named", name });
  } finally {
    await log.close();
  }
  return name;
}
