import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { rawBytes, showPath, type RawPath } from "../util/bytes.ts";
import { readRegular } from "../util/regular-file.ts";

/** Folders that objects are borrowed from, in all. git follows five steps. */
const MAX_FOLDERS = 200;
const MAX_LIST = 1 << 20;
/** Where git opens files, below an object folder. */
const FOLDERS = /^(?:info|pack|[0-9a-f]{2})$/;
const BELOW = /^(?:info\/commit-graphs|pack\/multi-pack-index\.d)$/;

/**
 * What keeps git from being asked about object folders, in words: something that is no ordinary file lies where git would open one, a named
 * pipe above all, and it would wait without end. Folders that objects are borrowed from are looked at too. undefined: nothing.
 */
export async function specialObject(folders: readonly RawPath[]): Promise<string | undefined> {
  const seen = new Set<RawPath>();
  const open = folders.map((folder) => ({ folder, shown: ".git/objects" }));
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    if (seen.has(next.folder)) continue;
    if (seen.add(next.folder).size > MAX_FOLDERS) return "objects are borrowed from too many folders";
    const found = await specialIn(next.folder, next.shown);
    if (found !== undefined) return found;
    const more = await borrowedFrom(next.folder);
    if (more === undefined) return `${next.shown}/info/alternates can't be read`;
    open.push(...more.map((folder) => ({ folder, shown: showPath(folder) })));
  }
  return undefined;
}

async function specialIn(folder: RawPath, shown: string, below = ""): Promise<string | undefined> {
  for (const entry of await entriesOf(folder + below)) {
    const name = `${below}/${entry.name.toString("latin1")}`.slice(1);
    if (below === "" && !FOLDERS.test(name)) continue;
    const type = await typeOf(entry, `${folder}/${name}`);
    if (type === "special") return `${shown}/${showPath(name)} is no ordinary file`;
    if (type !== "folder" || (below !== "" && !BELOW.test(name))) continue;
    const found = await specialIn(folder, shown, `/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function entriesOf(folder: RawPath): Promise<Dirent<Buffer>[]> {
  // What can't be listed git can't open either, or says so.
  return readdir(rawBytes(folder), { withFileTypes: true, encoding: "buffer" }).catch(() => []);
}

type Type = "file" | "folder" | "special" | "absent";

/** Links are followed, as git does. A deletion of a layer is a device that nobody can open: it can't be waited for. */
async function typeOf(entry: Dirent<Buffer>, path: RawPath): Promise<Type> {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  try {
    const found = await stat(rawBytes(path));
    if (found.isCharacterDevice() && found.rdev === 0) return "absent";
    if (found.isDirectory()) return "folder";
    if (!found.isFile()) return "special";
    const real = (await realpath(rawBytes(path), { encoding: "buffer" })).toString("latin1");
    return /^\/(?:proc|sys|dev)\//.test(real) ? "special" : "file";
  } catch {
    return "absent";
  }
}

/** Folders that `info/alternates` names; undefined where it can't be told which. */
async function borrowedFrom(folder: RawPath): Promise<RawPath[] | undefined> {
  let text: string;
  try {
    text = (await readRegular(rawBytes(`${folder}/info/alternates`), { follow: true, most: MAX_LIST })).toString(
      "latin1",
    );
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return ["ENOENT", "ENOTDIR", "ENXIO", "EACCES"].includes(code) ? [] : undefined;
  }
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.some((line) => line.startsWith('"'))) return undefined;
  return lines.map((line) => toRawPath(folder, line));
}

function toRawPath(folder: RawPath, line: string): RawPath {
  return isAbsolute(line) ? line : `${folder}/${line}`;
}
