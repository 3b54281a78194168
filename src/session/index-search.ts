import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { LogError } from "../events/log-error.ts";
import { listSessions, type SessionEntry } from "../events/sessions.ts";
import type { Clock } from "../util/deps.ts";
import { type IndexFile, isBusy, openIndexFile, removeIndexFile } from "./index-db.ts";
import { promptsFrom } from "./index-prompts.ts";
import type { Store } from "./store.ts";

type Places = Pick<Store, "state" | "sessions" | "content">;

/** Where the index lies. */
function indexFile(store: Pick<Store, "state">): string {
  return join(store.state, "index.sqlite");
}

/** A session that was searched for. `words`: a part of a prompt that fits. */
export interface Found extends SessionEntry {
  words?: string;
}

/**
 * The sessions, newest first, in which each word of the query occurs: in id, name, folder, title, or anything that the person wrote.
 * Case doesn't count. Over the index, which is brought up to date; without one over the logs themselves.
 */
export async function searchSessions(store: Places, query: string, entries: readonly SessionEntry[]): Promise<Found[]> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const prompts = await promptsOf(store, entries, words);
  return entries.flatMap((entry): Found[] => {
    const said = prompts.get(entry.id) ?? [];
    const shown = [entry.id, entry.name, entry.folder, entry.title].join("\n").toLowerCase();
    const lower = said.map((text) => text.toLowerCase());
    if (!words.every((word) => shown.includes(word) || lower.some((text) => text.includes(word)))) return [];
    const at = lower.findIndex((text) => words.some((word) => text.includes(word)));
    const part = said[at];
    return [{ ...entry, ...(part === undefined ? {} : { words: around(part, words) }) }];
  });
}

/** What the picker filters by beside what it shows: how the prompts of each session begin, by id. As far as the index has them within `ms`. */
export async function promptWords(
  store: Places,
  entries: readonly SessionEntry[],
  { clock, ms }: { clock: Clock; ms: number },
): Promise<ReadonlyMap<string, string>> {
  const all = await withIndex(store, async ({ db }) => {
    const until = clock.now() + ms;
    await refresh(db, store, entries, () => clock.now() > until);
    const rows = db
      .prepare("SELECT id, substr(group_concat(words, ' '), 1, 2000) AS words FROM prompt GROUP BY id")
      .all();
    return new Map(rows.map((row) => [String(row["id"]), String(row["words"])]));
  });
  return all ?? new Map();
}

/** Makes the index anew from all logs. Gives how many there are; undefined: no index can be had here. */
export async function reindex(store: Places): Promise<number | undefined> {
  if (!removeIndexFile(indexFile(store))) return undefined;
  const entries = listSessions(store.sessions);
  return withIndex(store, async ({ db }) => {
    await refresh(db, store, entries);
    return entries.length;
  });
}

/** Takes a session's words out of the index; where that can't be done now, the index goes as a whole. */
export async function forget(store: Places, id: string): Promise<void> {
  const done = await withIndex(store, ({ db }) => Promise.resolve(drop(db, id)));
  const file = indexFile(store);
  if (done === undefined && !removeIndexFile(file))
    throw new LogError("write", file, `Can't change ${file}: it may still hold words of session ${id}. Remove it.`);
}

/** The prompts in which a word occurs, of each session; all prompts where there is no index to ask. */
async function promptsOf(
  store: Places,
  entries: readonly SessionEntry[],
  words: readonly string[],
): Promise<Map<string, string[]>> {
  const found = await withIndex(store, async (index) => {
    await refresh(index.db, store, entries);
    return words.flatMap((word) => rowsWith(index, word));
  });
  const prompts = new Map<string, string[]>();
  for (const { id, text } of found ?? (await scanned(store, entries)))
    prompts.set(id, [...(prompts.get(id) ?? []), text]);
  return prompts;
}

function rowsWith({ db, fts }: IndexFile, word: string): { id: string; text: string }[] {
  // The trigrams know nothing of a shorter word, and whoever asks looks at the texts anyway.
  const rows =
    !fts || /^..?$/u.test(word)
      ? db.prepare("SELECT id, words FROM prompt").all()
      : db.prepare("SELECT id, words FROM prompt WHERE prompt MATCH ?").all(`"${word.replaceAll('"', '""')}"`);
  return rows.map((row) => ({ id: String(row["id"]), text: String(row["words"]) }));
}

async function scanned(store: Places, entries: readonly SessionEntry[]): Promise<{ id: string; text: string }[]> {
  const all: { id: string; text: string }[] = [];
  for (const { id } of entries) for (const text of (await promptsFrom(store, id)).words) all.push({ id, text });
  return all;
}

/** Reads what the logs have more than the index, newest sessions first; of logs that are gone nothing stays. */
async function refresh(
  db: DatabaseSync,
  store: Places,
  entries: readonly SessionEntry[],
  late = () => false,
): Promise<void> {
  const known = new Map(
    db
      .prepare("SELECT id, bytes FROM session")
      .all()
      .map((row) => [String(row["id"]), Number(row["bytes"])]),
  );
  const there = new Set(listSessions(store.sessions).map(({ id }) => id));
  for (const id of known.keys()) if (!there.has(id)) drop(db, id);
  for (const { id, size } of entries) {
    if (late()) return;
    const bytes = known.get(id) ?? 0;
    if (size === bytes) continue;
    if (size < bytes) drop(db, id);
    await readOn(db, store, id, size < bytes ? 0 : bytes);
  }
}

async function readOn(db: DatabaseSync, store: Places, id: string, from: number): Promise<void> {
  const { words, bytes } = await promptsFrom(store, id, from);
  const add = db.prepare("INSERT INTO prompt (id, words) VALUES (?, ?)");
  db.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have read the same meanwhile.
    const now = db.prepare("SELECT bytes FROM session WHERE id = ?").get(id)?.["bytes"] ?? 0;
    if (now === from) {
      for (const text of words) add.run(id, text);
      const put = "INSERT INTO session VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET bytes = excluded.bytes";
      db.prepare(put).run(id, bytes);
    }
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}

function drop(db: DatabaseSync, id: string): true {
  db.prepare("DELETE FROM prompt WHERE id = ?").run(id);
  db.prepare("DELETE FROM session WHERE id = ?").run(id);
  return true;
}

/** undefined when there is no index, or it could not be worked with (held by another process, damaged): it is done without then. */
async function withIndex<R>(store: Places, work: (index: IndexFile) => Promise<R>): Promise<R | undefined> {
  const file = indexFile(store);
  for (let attempt = 0; attempt < 2; attempt++) {
    const index = await openIndexFile(file);
    if (index === undefined) return undefined;
    try {
      return await work(index);
    } catch (error) {
      if (isBusy(error)) return undefined;
    } finally {
      index.db.close();
    }
    // Damaged where it was not looked at when it was opened.
    if (!removeIndexFile(file)) return undefined;
  }
  return undefined;
}

/** A piece of a text with the first word in it, on one line. */
function around(text: string, words: readonly string[]): string {
  const line = text.replaceAll(/\s+/g, " ");
  const lower = line.toLowerCase();
  const at = Math.max(
    0,
    ...words
      .map((word) => lower.indexOf(word))
      .filter((i) => i >= 0)
      .slice(0, 1),
  );
  const from = Math.max(0, at - 30);
  const piece = line.slice(from, from + 120).toWellFormed();
  return `${from > 0 ? "…" : ""}${piece}${from + 120 < line.length ? "…" : ""}`;
}
