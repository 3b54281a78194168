import { createHash } from "node:crypto";
import { z } from "zod";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { removeAll } from "./land-copy.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import { type Pass, type PassEnd, SavedEnd, SavedPass } from "./plan.ts";

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
  /** The newest pass, or the one of that number. undefined: there is none, so that nothing was touched. */
  read(entry: Entry, number?: number): EntryState | undefined;
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

  const sizes = new Map<RawPath, number>();
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
    read: (entry, wanted) => {
      const names = disk.lstat(entry.folder) === undefined ? [] : disk.names(entry.folder);
      const newest = Math.max(-1, ...names.map((name) => Number(/^pass-(\d+)\.json$/.exec(name)?.[1] ?? -1)));
      const number = wanted ?? newest;
      if (number < 0 || number > newest) return undefined;
      const at = { number };
      const pass = parsed(disk, file(entry, "pass", at), SavedPass);
      const ended = names.includes(`end-${number}.json`);
      const end = ended ? parsed(disk, file(entry, "end", at), SavedEnd) : undefined;
      const settled = (["done", "back"] as const).find((how) => names.includes(`${how}-${number}.json`));
      return { entry, pass, end, settled };
    },
    writePass: (entry, pass) => writeWhole(disk, file(entry, "pass", pass), JSON.stringify(pass)),
    writeEnd: (entry, pass, end) => {
      writeWhole(disk, file(entry, "end", pass), JSON.stringify(end));
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

/** A state file as it was saved. Throws, naming the file, where it can't be parsed. */
export function parsed<T>(disk: Disk, path: RawPath, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(disk.read(path).toString("utf8")));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the journal file ${path} can't be read: ${why}. Move it away to go on without this step's undo.`);
  }
}
