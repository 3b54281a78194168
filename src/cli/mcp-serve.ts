import type { Mode } from "../events/effect.ts";
import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import { listSessions, type SessionEntry } from "../events/sessions.ts";
import { denyAll } from "../permissions/asker.ts";
import { type Limits, serveTools } from "../print/serve/server.ts";
import { exported } from "../session/export.ts";
import type { Session } from "../session/session.ts";
import type { RunOptions } from "./args.ts";
import { protocolStdio } from "./protocol-stdio.ts";
import { stopOnSignals } from "./signals.ts";
import { UsageError } from "./usage-error.ts";
import { wire, type Wired } from "./wire.ts";

const NOBODY = "it was asked for by another program, and nobody is here to answer";

/** `agent mcp serve`: this agent as a tool server for others, on stdin and stdout (U4). Gives the exit code. */
export async function mcpServe(options: RunOptions, version: string): Promise<number> {
  if (options.bypass) throw new UsageError("--bypass is for a person at a terminal, not for another program");
  const { signal, code } = stopOnSignals();
  const { input, output, gone } = protocolStdio(process.stdin, process.stdout, process.stderr);
  const writer = output.getWriter();
  const encoder = new TextEncoder();
  const first = wire(options, version);
  await serveTools({
    version,
    most: options.mode ?? first.settings.mode,
    input,
    send: (text) => writer.write(encoder.encode(text)),
    gone: AbortSignal.any([signal, gone]),
    open: (mode, limits, resume) =>
      open(options, version, { mode, limits, ...(resume === undefined ? {} : { resume }) }),
    sessions: () => listSessions(first.store.sessions, first.folder),
    markdown: async (id) => {
      const { store } = first;
      const place = {
        sessionsDir: store.sessions,
        contentDir: store.content,
        sessionId: known(first, id).id,
        key: loadKey(store.key),
      };
      return [...exported(await loadLog(place), "md")].join("");
    },
  });
  return code() ?? 0;
}

/** A caller can only be stricter than who started the server. */
async function open(
  options: RunOptions,
  version: string,
  { mode, limits, resume }: { mode: Mode; limits: Limits; resume?: string },
): Promise<Session> {
  const wired = wire({ ...options, mode, ...stricter(options, limits) }, version);
  if (resume === undefined) wired.checkModel(wired.model);
  else known(wired, resume);
  return wired.open(denyAll(NOBODY), resume);
}

function stricter(options: RunOptions, limits: Limits): Limits {
  const least = (name: keyof Limits): Limits => {
    const both = [options[name], limits[name]].filter((n) => n !== undefined);
    return both.length === 0 ? {} : { [name]: Math.min(...both) };
  };
  return { ...least("maxTurns"), ...least("maxCost"), ...least("maxTime") };
}

/** @throws UsageError where the folder has no such session. */
function known({ store, folder }: Pick<Wired, "store" | "folder">, id: string): SessionEntry {
  const entry = listSessions(store.sessions, folder).find((one) => one.id === id);
  if (entry === undefined)
    throw new UsageError(`there is no session ${id} of this folder; the tool "sessions" lists them`);
  return entry;
}
