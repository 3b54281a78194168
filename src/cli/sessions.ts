import { realpathSync } from "node:fs";
import { listSessions } from "../events/sessions.ts";
import { programDirs } from "../session/environment.ts";
import { reindex, searchSessions, type Found } from "../session/index-search.ts";
import { openStore, type Store } from "../session/store.ts";
import { jsonLine } from "../util/json-line.ts";
import { sanitize } from "../util/visible.ts";
import type { ListOptions } from "./args-sessions.ts";

/** `agent sessions [QUERY]`: newest first; nothing but the list on stdout. A search looks at the sessions of every folder. */
export async function printSessions({ query, all, json, reindex: anew }: ListOptions): Promise<number> {
  const store = openStore(programDirs(process.env));
  if (anew) await makeIndex(store);
  if (anew && query === "" && !all) return 0;
  const everywhere = all || query !== "";
  const entries = listSessions(store.sessions, everywhere ? undefined : currentFolder());
  const sessions: readonly Found[] = query === "" ? entries : await searchSessions(store, query, entries);
  for (const s of sessions) process.stdout.write(`${json ? jsonLine(s) : lineOf(s, everywhere)}\n`);
  if (sessions.length === 0) {
    const where = query === "" ? (all ? "" : " in this folder (--all lists those of every folder)") : ` with ${query}`;
    process.stderr.write(`agent: no sessions${sanitize(where)}\n`);
  }
  return 0;
}

async function makeIndex(store: Store): Promise<void> {
  const count = await reindex(store);
  const words =
    count === undefined
      ? "no index can be made here; searches look at the logs themselves"
      : `index of ${count} ${count === 1 ? "session" : "sessions"} made anew`;
  process.stderr.write(`agent: ${words}\n`);
}

/** One that is gone has no real path, but still a name. */
function currentFolder(): string {
  return realpathSync(process.cwd());
}

function lineOf(s: Found, folder: boolean): string {
  const when = s.lastAt.slice(0, 16).replace("T", " ");
  const waits =
    s.pending === undefined ? "" : `[${s.pending === 0 ? "git's state" : s.pending} pending: agent review ${s.id}]  `;
  const what = [s.name, s.title].filter((t) => t !== undefined && t !== "").join(": ");
  const words = s.words === undefined || what.includes(s.words) ? "" : `  (${s.words})`;
  const line = `${s.id}  ${when}  ${counted(s.prompts)}  ${folder ? `${s.folder}  ` : ""}${waits}${what}${words}`;
  return sanitize(line).replaceAll("\n", " ");
}

function counted(prompts: number | undefined): string {
  return `${String(prompts ?? "?").padStart(3)} ${prompts === 1 ? "message " : "messages"}`;
}
