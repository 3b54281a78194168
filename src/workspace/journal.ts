import { createHash } from "node:crypto";
import { z } from "zod";
import { toRaw, type RawPath } from "../util/bytes.ts";
import type { Change } from "./change.ts";
import { removeAll } from "./land-copy.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import { endFile, endOf, type Pass, type PassEnd, SavedEnd, SavedPass } from "./plan.ts";

/** One step in a journal: a folder `<order>-<operationId>` with its passes and the slots that hold what they took away. */
export interface Entry {
  readonly operationId: string;
  readonly order: number;
  /** Raw absolute. */
  readonly folder: RawPath;
}

export type Settled = "done" | "back";

/** What is known of a step: its last pass, and how it ended if it did. */
export interface EntryState {
  entry: Entry;
  pass: Pass;
  end: PassEnd | undefined;
  /** All moves of the pass are done, or all are taken back; only its temporary names may be left. */
  settled: Settled | undefined;
}

/** Folder of a root below `<state>/folders`. */
export function folderHash(root: string): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 24);
}

/** Ids become names in the state folder. */
export function checkId(operationId: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(operationId)) throw new Error(`not an operation id: ${operationId}`);
  return operationId;
}

/** Makes a state folder and those above it up to `foldersDir`. */
export function makeFolders(disk: Disk, path: RawPath): void {
  if (disk.lstat(path) !== undefined) return;
  const parent = path.slice(0, path.lastIndexOf("/"));
  if (parent !== "") makeFolders(disk, parent);
  try {
    disk.mkdir(path, 0o700);
  } catch (error) {
    // Another process that starts at the same moment made it first.
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

/** A whole file or none: written beside, made durable, renamed. */
export function writeWhole(disk: Disk, path: RawPath, text: string): void {
  const beside = `${path}.new`;
  if (disk.lstat(beside) !== undefined) disk.unlink(beside);
  disk.write(beside, Buffer.from(text), 0o600);
  disk.sync(beside);
  disk.rename(beside, path);
  disk.sync(path.slice(0, path.lastIndexOf("/")));
}

export interface Journal {
  /** Raw absolute, `<state>/folders/<hash>/journal`. */
  readonly folder: RawPath;
  /** Oldest first. A step that was rolled back and landed again is there twice. */
  entries(): readonly Entry[];
  find(operationId: string): Entry | undefined;
  add(operationId: string): Entry;
  /** Counts an undo or redo that is about to be planned; each gets a greater number than those before it. */
  nextTurn(): number;
  /** The newest pass, or the one of that number. undefined: there is none, so that nothing was touched. */
  read(entry: Entry, number?: number): EntryState | undefined;
  /** Number of the newest pass; -1: there is none. This and the next two look at names alone. */
  newest(entry: Entry): number;
  settled(entry: Entry, pass: Pass): Settled | undefined;
  hasEnded(entry: Entry, pass: Pass): boolean;
  writePass(entry: Entry, pass: Pass): void;
  writeEnd(entry: Entry, pass: Pass, end: PassEnd): void;
  markSettled(entry: Entry, pass: Pass, how: Settled): void;
  /** What a step occupies for its undo; looked up once, since every landing asks for all. */
  bytesOf(entry: Entry): number;
  remove(entry: Entry): Promise<void>;
  /** Says, before its plan is written, that a step of the journal of root `home` may touch this root. */
  markOpen(operationId: string, home: string): void;
  /** The step has ended; this root's journal goes on pointing to it. */
  markEnded(operationId: string): void;
  /** Takes a mark of `markOpen` away without a trace. */
  dropOpen(operationId: string): void;
  /** Steps that have not ended, with the root in whose journal they are. */
  open(): readonly Pointer[];
  /** Steps of other roots' journals that touched this root. */
  pointers(): readonly Pointer[];
}

/** Where a step's plan lies. */
export interface Pointer {
  operationId: string;
  home: string;
}

const SavedPointer = z.object({ operationId: z.string(), home: z.string() });

/** Opens the journal of one root. Throws, naming the file, where one of its files can't be parsed. */
export function openJournal(disk: Disk, foldersDir: string, root: string): Journal {
  const folder = `${toRaw(foldersDir)}/${folderHash(root)}/journal`;
  makeFolders(disk, folder);
  const file = (entry: Entry, name: string, pass: { number: number }): RawPath =>
    `${entry.folder}/${name}-${pass.number}.json`;

  function entries(): readonly Entry[] {
    return disk.names(folder).flatMap((name) => {
      const [, order, operationId] = /^(\d{8})-(.+)$/.exec(name) ?? [];
      if (order === undefined || operationId === undefined) return [];
      return [{ operationId, order: Number(order), folder: `${folder}/${name}` }];
    });
  }

  function pointers(kind: string): readonly Pointer[] {
    const names = disk.names(folder).filter((name) => name.startsWith(kind) && name.endsWith(".json"));
    return names.map((name) => parsed(disk, `${folder}/${name}`, SavedPointer));
  }

  const newestOf = (entry: Entry): number => {
    const names = disk.lstat(entry.folder) === undefined ? [] : disk.names(entry.folder);
    return Math.max(-1, ...names.map((name) => Number(/^pass-(\d+)\.json$/.exec(name)?.[1] ?? -1)));
  };
  const has = (entry: Entry, name: string, pass: { number: number }): boolean =>
    disk.lstat(file(entry, name, pass)) !== undefined;
  const hasEnded = (entry: Entry, pass: { number: number }): boolean => has(entry, "end", pass);
  const settledOf = (entry: Entry, pass: { number: number }): Settled | undefined =>
    (["done", "back"] as const).find((how) => has(entry, how, pass));

  const passes = new ReadOnce(SavedPass);
  const ends = new ReadOnce(SavedEnd);
  const sizes = new Map<RawPath, number>();
  const listedIn = (entry: Entry, number: number): readonly Change[] => {
    const changes = journal.read(entry, number)?.end?.changes;
    if (changes === undefined) throw new Error(`pass ${number} of ${entry.folder} is gone, which lists its changes`);
    return changes;
  };
  const journal: Journal = {
    folder,
    entries,
    find: (operationId) => entries().findLast((entry) => entry.operationId === operationId),
    add: (operationId) => {
      const order = (entries().at(-1)?.order ?? 0) + 1;
      const path = `${folder}/${String(order).padStart(8, "0")}-${checkId(operationId)}`;
      makeFolders(disk, `${path}/slots`);
      return { operationId, order, folder: path };
    },
    nextTurn: () => {
      const last = disk.names(folder).findLast((name) => /^turn-\d{8}$/.test(name));
      const turn = Number(last?.slice(5) ?? 0) + 1;
      const path = `${folder}/turn-${String(turn).padStart(8, "0")}`;
      if (last === undefined) disk.write(path, new Uint8Array(), 0o600);
      else disk.rename(`${folder}/${last}`, path);
      return turn;
    },
    read: (entry, wanted) => {
      const newest = newestOf(entry);
      const number = wanted ?? newest;
      if (number < 0 || number > newest) return undefined;
      const at = { number };
      const saved = passes.read(disk, file(entry, "pass", at));
      const pass = saved.listed === undefined ? saved : { ...saved, changes: listedIn(entry, saved.listed) };
      const end = hasEnded(entry, at) ? endOf(pass, ends.read(disk, file(entry, "end", at))) : undefined;
      return { entry, pass, end, settled: settledOf(entry, at) };
    },
    newest: newestOf,
    settled: settledOf,
    hasEnded,
    writePass: (entry, pass) => {
      const saved = pass.listed === undefined ? pass : { ...pass, changes: [] };
      passes.write(disk, file(entry, "pass", pass), saved);
    },
    writeEnd: (entry, pass, end) => {
      ends.write(disk, file(entry, "end", pass), endFile(pass, end));
      sizes.set(entry.folder, end.bytes);
    },
    markSettled: (entry, pass, how) => writeWhole(disk, file(entry, how, pass), "{}"),
    bytesOf: (entry) => {
      const size = sizes.get(entry.folder) ?? journal.read(entry)?.end?.bytes ?? 0;
      sizes.set(entry.folder, size);
      return size;
    },
    remove: (entry) => removeAll(disk, entry.folder),
    markOpen: (operationId, home) =>
      writeWhole(disk, `${folder}/open-${checkId(operationId)}.json`, JSON.stringify({ operationId, home })),
    markEnded: (operationId) => {
      const path = `${folder}/open-${checkId(operationId)}.json`;
      if (disk.lstat(path) === undefined) return;
      const pointer = parsed(disk, path, SavedPointer);
      if (pointer.home === root) disk.unlink(path);
      else disk.rename(path, `${folder}/at-${operationId}.json`);
    },
    dropOpen: (operationId) => {
      const path = `${folder}/open-${checkId(operationId)}.json`;
      if (disk.lstat(path) !== undefined) disk.unlink(path);
    },
    open: () => pointers("open-"),
    pointers: () => pointers("at-"),
  };
  return journal;
}

/** How many files of a kind are kept parsed. */
const PARSED = 2;

/** Files that are written once and asked for many times in a row, parsed once: ten thousand changes take long. */
class ReadOnce<T> {
  readonly #schema: { parse(value: unknown): T };
  readonly #known = new Map<RawPath, { stamp: string; value: T }>();

  constructor(schema: { parse(value: unknown): T }) {
    this.#schema = schema;
  }

  read(disk: Disk, path: RawPath): T {
    const found = this.#known.get(path);
    if (found !== undefined && found.stamp === stampOf(disk, path)) return found.value;
    const stamp = stampOf(disk, path);
    return this.#keep(path, stamp, parsed(disk, path, this.#schema));
  }

  write(disk: Disk, path: RawPath, value: T): void {
    writeWhole(disk, path, JSON.stringify(value));
    this.#keep(path, stampOf(disk, path), value);
  }

  #keep(path: RawPath, stamp: string, value: T): T {
    this.#known.delete(path);
    this.#known.set(path, { stamp, value });
    const oldest = this.#known.keys().next().value;
    if (this.#known.size > PARSED && oldest !== undefined) this.#known.delete(oldest);
    return value;
  }
}

function stampOf(disk: Disk, path: RawPath): string {
  const stat = disk.lstat(path);
  return `${stat?.ino} ${stat?.ctimeNs} ${stat?.size}`;
}

/** A state file as it was saved. Throws, naming the file, where it can't be parsed. */
export function parsed<T>(disk: Disk, path: RawPath, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(disk.read(path).toString("utf8")));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the journal file ${path} can't be read: ${why}. Move it away to go on without this step's undo.`);
  }
}
