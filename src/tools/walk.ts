import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { callbackify } from "node:util";
import type { FileSystemAdapter } from "fast-glob";
import type { ListEntry } from "../workspace/workspace.ts";
import { codeOf } from "./outcome.ts";

/** Files that a walk brings at most. */
const MOST_FILES = 200_000;

export interface Walk {
  /** Lists one folder, by absolute path. */
  list(folder: string): Promise<readonly ListEntry[]>;
  /** Leaves out an entry, a folder with all below it. */
  skip(path: string, isFolder: boolean): Promise<boolean>;
}

/** Regular files below a folder, as absolute paths; links are not followed, `.git` is left out. */
export async function walkFiles(
  start: string,
  walk: Walk,
  signal: AbortSignal,
): Promise<{ files: string[]; cut: boolean }> {
  const files: string[] = [];
  const fs = { readdir: readdirOf(walk) as unknown as FileSystemAdapter["readdir"] };
  const { default: fastGlob } = await import("fast-glob");
  const found = fastGlob.stream("**", { cwd: start, fs, dot: true, followSymbolicLinks: false, unique: false });
  for await (const file of found) {
    if (signal.aborted || files.length >= MOST_FILES) return { files, cut: true };
    files.push(join(start, String(file)));
  }
  return { files, cut: false };
}

interface Entry {
  name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** The one system call that the walk makes, answered from the view and without what is left out: nothing below that is ever looked at. */
function readdirOf(walk: Walk) {
  const entriesOf = async (folder: string): Promise<Entry[]> => {
    const entries: Entry[] = [];
    for (const { name, type } of await listed(folder, walk)) {
      const isFolder = type === "folder";
      if (name === ".git" || (await walk.skip(join(folder, name), isFolder))) continue;
      entries.push({
        name,
        isFile: () => type === "file",
        isDirectory: () => isFolder,
        isSymbolicLink: () => type === "link",
      });
    }
    return entries;
  };
  return callbackify((folder: string, _options: unknown) => entriesOf(folder));
}

/** A folder that can't be read, or is gone by now, is empty for a search. */
async function listed(folder: string, walk: Walk): Promise<readonly ListEntry[]> {
  try {
    return await walk.list(folder);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

/** Lists a folder of the plain file system, sorted by bytes. */
export async function listPlain(folder: string): Promise<ListEntry[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .map((e): ListEntry => {
      const other = e.isSymbolicLink() ? "link" : "special";
      return { name: e.name, type: e.isFile() ? "file" : e.isDirectory() ? "folder" : other };
    })
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}
