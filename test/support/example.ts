import { join } from "node:path";
import { traceLines } from "../../src/cli/trace-text.ts";
import { textOf } from "../../src/events/block.ts";
import { loadKey } from "../../src/events/key.ts";
import { loadLog } from "../../src/events/load.ts";
import { openSession, type OpenOptions, type QueryResult, type Session, type SessionEvent } from "../../src/index.ts";
import { openStore } from "../../src/session/store.ts";
import { traceOf } from "../../src/session/trace.ts";
import { libraryOptions } from "./library.ts";
import { collect, type Place } from "./session.ts";

export interface Played {
  id: string;
  result: QueryResult;
  events: SessionEvent[];
}

/** Runs one message of a session of its own (or what `run` does with it), and closes the session. */
export async function played(
  at: Place,
  more: Partial<OpenOptions>,
  run: (session: Session) => ReturnType<Session["submit"]> = (session) => session.submit("go"),
): Promise<Played> {
  const session = await openSession(libraryOptions(at, more));
  try {
    return { id: session.id, ...(await collect(run(session))) };
  } finally {
    await session.close();
  }
}

/** The fold and all facts of a session's log, read as anybody may. */
export async function logOf(at: Place, sessionId: string) {
  const store = openStore({ config: at.config, state: join(at.state, "understudy") });
  const key = loadKey(store.key);
  return loadLog({ sessionsDir: store.sessions, contentDir: store.content, sessionId, key });
}

/** The whole trace of a session as `agent trace --stable` prints it; paths of the place are written FOLDER. */
export async function tableOf(at: Place, sessionId: string): Promise<string> {
  const { events } = await logOf(at, sessionId);
  return traceLines(traceOf(events), { stable: true }).join("\n").replaceAll(at.folder, "FOLDER");
}

/** What the model was told of each call, in order of the calls. */
export async function resultsOf(at: Place, sessionId: string): Promise<string[]> {
  const { state } = await logOf(at, sessionId);
  return [...state.calls.values()].map(
    ({ tool, result }) => `${tool} ${result?.status}: ${textOf(result?.content ?? [])}`,
  );
}
