import { realpathSync } from "node:fs";
import { listSessions } from "../events/sessions.ts";
import { openStore } from "../session/store.ts";
import { sanitize } from "../util/visible.ts";
import { programDirs } from "../session/environment.ts";

function counted(prompts: number | undefined): string {
  return `${String(prompts ?? "?").padStart(3)} ${prompts === 1 ? "message " : "messages"}`;
}

/** `agent sessions`: newest first; nothing but the list on stdout. */
export function printSessions(all: boolean): number {
  const store = openStore(programDirs(process.env));
  const sessions = listSessions(store.sessions, all ? undefined : realpathSync(process.cwd()));
  if (sessions.length === 0) {
    process.stderr.write(`agent: no sessions${all ? "" : " in this folder (--all lists those of every folder)"}\n`);
    return 0;
  }
  for (const s of sessions) {
    const when = s.lastAt.slice(0, 16).replace("T", " ");
    const waits =
      s.pending === undefined ? "" : `[${s.pending === 0 ? "git's state" : s.pending} pending: agent review ${s.id}]  `;
    const what = [s.name, s.title].filter((t) => t !== undefined && t !== "").join(": ");
    process.stdout.write(
      sanitize(`${s.id}  ${when}  ${counted(s.prompts)}  ${all ? `${s.folder}  ` : ""}${waits}${what}`).replaceAll(
        "\n",
        " ",
      ) + "\n",
    );
  }
  return 0;
}
