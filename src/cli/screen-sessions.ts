import { resolve } from "node:path";
import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import { listSessions } from "../events/sessions.ts";
import { promptWords } from "../session/index-search.ts";
import type { Session } from "../session/session.ts";
import type { SessionRow } from "../ui/render/menu.ts";
import { systemClock } from "../util/system.ts";
import type { Wired } from "./wire.ts";

/** How long the picker waits for the index to be brought up to date; what is missing then is not filtered by. */
const INDEX_MS = 150;

/** Sessions of every folder, newest first; those of this one come before all others. */
export async function rowsOf({ store, folder }: Wired): Promise<SessionRow[]> {
  const all = listSessions(store.sessions);
  const list = [...all.filter((s) => s.folder === folder), ...all.filter((s) => s.folder !== folder)];
  const words = await promptWords(store, list, { clock: systemClock, ms: INDEX_MS });
  const now = systemClock.now();
  return list.map((s) => ({
    id: s.id,
    name: s.name,
    title: s.title,
    folder: s.folder,
    here: s.folder === folder,
    age: Math.max(0, now - Date.parse(s.lastAt)),
    prompts: s.prompts ?? 0,
    pending: s.pending,
    words: words.get(s.id) ?? "",
  }));
}

/** `/export`: reads the log as it is on the disk, into the folder where the person names no other place. */
export function exportIn({
  store,
  folder,
}: Wired): (session: Session, format?: string, file?: string) => Promise<string> {
  return async ({ id }, named, file) => {
    const { EXPORT_FORMATS, exported, formatOf, writeExport } = await import("../session/export.ts");
    const format = EXPORT_FORMATS.find((f) => f === named) ?? formatOf(file);
    const path = resolve(folder, file ?? `session-${id}.${format === "json" ? "jsonl" : format}`);
    const place = { sessionsDir: store.sessions, contentDir: store.content, sessionId: id, key: loadKey(store.key) };
    await writeExport(path, exported(await loadLog(place), format));
    return path;
  };
}
