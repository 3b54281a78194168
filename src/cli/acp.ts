import { realpathSync } from "node:fs";
import { serveAcp, type Opened, type OpenPlace } from "../acp/serve.ts";
import { listSessions } from "../events/sessions.ts";
import type { Asker } from "../permissions/asker.ts";
import { deleteSession } from "../session/delete.ts";
import { programDirs } from "../session/environment.ts";
import { openStore, type Store } from "../session/store.ts";
import { systemClock } from "../util/system.ts";
import type { RunOptions } from "./args.ts";
import { protocolStdio } from "./protocol-stdio.ts";
import { stopOnSignals } from "./signals.ts";
import { UsageError } from "./usage-error.ts";
import { wire } from "./wire.ts";

/** `agent acp`: serves an editor on stdin and stdout until it is gone (U5). Gives the exit code. */
export async function acp(options: RunOptions, version: string): Promise<number> {
  if (options.bypass) throw new UsageError("--bypass is for a person at a terminal, not for an editor");
  const { signal, code } = stopOnSignals();
  const { ndJsonStream } = await import("@agentclientprotocol/sdk");
  const { input, output, gone, broken } = protocolStdio(process.stdin, process.stdout, process.stderr);
  const store = openStore(programDirs(process.env));
  await serveAcp({
    version,
    clock: systemClock,
    stream: ndJsonStream(output, input),
    open: (place, asker) => open(options, version, store, place, asker),
    sessions: (folder) => listSessions(store.sessions, folder === undefined ? undefined : real(folder)),
    remove: async (id) => void (await deleteSession(known(store, id), { store, clock: systemClock, force: false })),
    signal: AbortSignal.any([signal, gone]),
  });
  return code() ?? (broken() ? 1 : 0);
}

async function open(
  options: RunOptions,
  version: string,
  store: Store,
  { folder, addDirs, servers, resume }: OpenPlace,
  asker: Asker,
): Promise<Opened> {
  const all = { ...options, addDirs: [...options.addDirs, ...addDirs] };
  const wired = wire(all, version, real(folder), programDirs(process.env), { given: servers, watched: true });
  if (resume !== undefined) known(store, resume, wired.folder);
  else wired.checkModel(wired.model);
  return { session: await wired.open(asker, resume), contextWindow: (model) => wired.contextWindow(model) };
}

/** The id of a session that there is; one of another folder's is not gone on with unasked. @throws UsageError. */
function known(store: Store, id: string, folder?: string): string {
  const entry = listSessions(store.sessions).find((one) => one.id === id);
  if (entry === undefined) throw new UsageError(`there is no session ${id}`);
  if (folder !== undefined && entry.folder !== folder)
    throw new UsageError(`session ${id} belongs to ${entry.folder}: open that folder, or go on with it in a terminal`);
  return id;
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new UsageError(`${folder}: there is no such folder`, { cause: error });
  }
}
