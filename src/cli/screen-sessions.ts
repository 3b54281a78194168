import { resolve } from "node:path";
import { loadKey } from "../events/key.ts";
import { loadLog } from "../events/load.ts";
import { listSessions, type SessionEntry } from "../events/sessions.ts";
import { deleteSession } from "../session/delete.ts";
import { promptsFrom } from "../session/index-prompts.ts";
import { promptWords, searchSessions } from "../session/index-search.ts";
import { costOf, type Prices } from "../session/prices.ts";
import { renameSession } from "../session/rename.ts";
import type { Session } from "../session/session.ts";
import type { PickSource } from "../ui/prompt/pick-acts.ts";
import type { SessionRow } from "../ui/render/menu.ts";
import { systemClock } from "../util/system.ts";
import type { Wired } from "./wire.ts";

/** Sessions of every folder, newest first; those of this one come before all others. What takes longer to know: `sourceOf`. */
export function rowsOf({ store, folder, settings }: Wired): SessionRow[] {
  const all = listSessions(store.sessions);
  const list = [...all.filter((s) => s.folder === folder), ...all.filter((s) => s.folder !== folder)];
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
    branch: s.branch,
    usd: usdOf(s, settings.prices),
  }));
}

function usdOf({ usage = {} }: SessionEntry, prices: Prices): number | undefined {
  const costs = Object.entries(usage).map(([model, used]) => costOf(model, used, prices));
  return costs.includes(undefined) ? undefined : costs.reduce<number>((sum, usd) => sum + (usd ?? 0), 0);
}

/** Texts that a preview shows. */
const PREVIEW = 8;

/** What the picker learns and does behind the list. */
export function sourceOf({ store }: Wired): PickSource {
  return {
    async details() {
      const words = await promptWords(store, listSessions(store.sessions), { clock: systemClock, ms: Infinity });
      return new Map([...words].map(([id, text]) => [id, { words: text }]));
    },
    async search(text) {
      const found = await searchSessions(store, text, listSessions(store.sessions));
      return new Set(found.map(({ id }) => id));
    },
    preview: async (id) => (await promptsFrom(store, id)).words.slice(-PREVIEW).toReversed(),
    rename: (id, name) => renameSession(id, name, { store, clock: systemClock }),
    remove: async (id) => void (await deleteSession(id, { store, clock: systemClock, force: false })),
  };
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
