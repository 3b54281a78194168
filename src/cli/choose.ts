import { listSessions, findSession } from "../events/sessions.ts";
import type { Store } from "../session/store.ts";
import type { RunOptions } from "./args.ts";
import { UsageError } from "./usage-error.ts";

/** Which session is meant: an id to go on with, a new one, or the person picks (E2). */
export type Choice = { kind: "new" } | { kind: "resume"; id: string } | { kind: "pick" };

/** @throws UsageError when there is nothing to go on with; LogError when the name fits no session or several. */
export function chooseSession(options: RunOptions, store: Store, folder: string): Choice {
  if (options.fork === true && options.resume === undefined && !options.continue)
    throw new UsageError("--fork needs --resume ID or --continue, the session to copy");
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
