import { listSessions, findSession } from "../events/sessions.ts";
import { isAgentId } from "../events/agent-id.ts";
import type { Store } from "../session/store.ts";
import type { RunOptions } from "./args.ts";
import { UsageError } from "./usage-error.ts";

/** Which session is meant: an id to go on with, a new one, or the person picks (E2). */
export type Choice = { kind: "new" } | { kind: "resume"; id: string } | { kind: "pick" };

/** @throws UsageError when there is nothing to go on with; LogError when the name fits no session or several. */
export function chooseSession(options: RunOptions, store: Store, folder: string): Choice {
  if (options.fork === true && options.resume === undefined && !options.continue)
    throw new UsageError("--fork needs --resume ID or --continue, the session to copy");
  if (options.sessionId !== undefined) refuseId(options.sessionId, options, store);
  if (options.continue && options.resume !== undefined)
    throw new UsageError(
      "--continue takes the newest session of this folder, --resume the one named: give one of them",
    );
  if (options.continue) {
    const [newest] = listSessions(store.sessions, folder);
    if (newest === undefined)
      throw new UsageError(
        "there is no session to continue in this folder; `agent sessions --all` lists those of others",
      );
    return { kind: "resume", id: newest.id };
  }
  if (options.resume === undefined) {
    if (options.answers.length > 0) throw new UsageError("--answer needs --resume ID, the session that asked");
    return { kind: "new" };
  }
  if (options.resume === "") return { kind: "pick" };
  return { kind: "resume", id: findSession(store.sessions, options.resume).id };
}

/** An id is a file's name: nothing else may be meant by it. */
function refuseId(id: string, { resume, continue: newest, fork }: RunOptions, { sessions }: Store): void {
  if ((resume !== undefined || newest) && fork !== true)
    throw new UsageError("--session-id is for a new session; with --resume or --continue it goes with --fork");
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{7,63}$/.test(id) || isAgentId(id))
    throw new UsageError(
      `--session-id ${id}: it has to be 8 to 64 letters, digits, - and _, beginning with a letter or digit, not ending in -a and a number`,
    );
  if (listSessions(sessions).some((session) => session.id === id || session.name === id))
    throw new UsageError(`--session-id ${id}: there is a session of this id or name; --resume ${id} goes on with it`);
}
