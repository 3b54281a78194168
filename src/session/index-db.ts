import { closeSync, constants, openSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/** The number in the file, by whether this SQLite can search texts itself; with another one it is made anew. */
const VERSION = { fts: 1, plain: 2 };
const BUSY_MS = 300;
const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;

export interface IndexFile {
  db: DatabaseSync;
  /** `prompt MATCH` works: FTS5 with trigrams. The SQLite of Node 22.13 lacks it. */
  fts: boolean;
}

/**
 * The file behind the session index: only what the logs hold as well, so it may be lost, and is made anew when it is damaged or of
 * another version (E2). undefined where there is none to be had: a Node without node:sqlite, a folder that can't be written to.
 */
export async function openIndexFile(file: string): Promise<IndexFile | undefined> {
  const Database = await loadSqlite();
  if (Database === undefined) return undefined;
  const db = opened(Database, file) ?? opened(Database, file, true);
  return db === "busy" ? undefined : db;
}

/** Another process works with it, or nobody may write to it: it is as it should be, only not for us now. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && /locked|busy|readonly/i.test(error.message);
}

/** Takes the file away: it is made anew from the logs when it is next wanted. False where it can't be taken away. */
export function removeIndexFile(file: string): boolean {
  try {
    for (const end of ["", "-journal", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true, recursive: true });
    return true;
  } catch {
    return false;
  }
}

function opened(Database: typeof DatabaseSync, file: string, anew = false): IndexFile | "busy" | undefined {
  let db: DatabaseSync | undefined;
  try {
    if (anew && !removeIndexFile(file)) return undefined;
    // Made here, for its mode; SQLite gives its side files the same.
    closeSync(openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
    db = new Database(file, { timeout: BUSY_MS });
    // Nothing in it is lost for good, so nobody waits for the disk; what is deleted is not to be found in its free pages.
    db.exec("PRAGMA synchronous = OFF; PRAGMA secure_delete = ON");
    const fts = db
      .prepare("PRAGMA compile_options")
      .all()
      .some((row) => row["compile_options"] === "ENABLE_FTS5");
    checkSchema(db, fts);
    return { db, fts };
  } catch (error) {
    db?.close();
    return isBusy(error) ? "busy" : undefined;
  }
}

/** Makes the tables in an empty file. Throws where others are in it, or they can't be read. */
function checkSchema(db: DatabaseSync, fts: boolean): void {
  const wanted = fts ? VERSION.fts : VERSION.plain;
  const version = db.prepare("PRAGMA user_version").get()?.["user_version"];
  const empty = db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.["n"] === 0;
  const prompt = fts
    ? "CREATE VIRTUAL TABLE prompt USING fts5 (id UNINDEXED, words, tokenize = 'trigram')"
    : "CREATE TABLE prompt (id TEXT NOT NULL, words TEXT NOT NULL) STRICT";
  if (version === 0 && empty)
    db.exec(
      `BEGIN IMMEDIATE; CREATE TABLE session (id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT; ${prompt}; PRAGMA user_version = ${wanted}; COMMIT`,
    );
  else if (version !== wanted) throw new Error(`version ${String(version)}`);
  db.prepare("SELECT count(*) FROM session").get();
  db.prepare("SELECT id FROM prompt LIMIT 1").get();
}

/** Loaded only when an index is wanted. Before Node 24 it comes with a warning about itself, which is nothing to the person. */
async function loadSqlite(): Promise<typeof DatabaseSync | undefined> {
  const own: unknown = Reflect.get(process, "emitWarning");
  process.emitWarning = (...args: unknown[]) => {
    if (!/SQLite/.test(String(args[0])) && typeof own === "function") Reflect.apply(own, process, args);
  };
  try {
    return (await import("node:sqlite")).DatabaseSync;
  } catch {
    return undefined;
  } finally {
    Reflect.set(process, "emitWarning", own);
  }
}
