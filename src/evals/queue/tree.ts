import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { type Blobs, getBytes, getJson, Hash, hashOfBytes, putJson } from "./blobs.ts";

/** Relative, and nowhere out of the folder that it is laid out in. */
const Path = z
  .string()
  .refine(
    (path) => path.split("/").every((part) => part !== "" && part !== "." && part !== "..") && !path.includes("\0"),
  );
const Entry = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("folder"), path: Path, mode: z.number().int().min(0).max(0o777) }),
  z.strictObject({
    kind: z.literal("file"),
    path: Path,
    mode: z.number().int().min(0).max(0o777),
    /** Milliseconds; what builds by times finds the same. */
    mtime: z.number(),
    hash: Hash,
  }),
  z.strictObject({ kind: z.literal("link"), path: Path, to: z.string() }),
]);
type Entry = z.infer<typeof Entry>;

/** A file or folder with all below it. A path comes behind its folder, so nothing is ever written through a link. */
const Tree = z.strictObject({ v: z.literal(1), entries: z.array(Entry) }).refine(({ entries }) => {
  const folders = new Set(["."]);
  return entries.every(({ kind, path }) => {
    const placed = folders.has(dirname(path));
    if (kind === "folder") folders.add(path);
    return placed && !(kind !== "folder" && folders.has(path));
  });
}, "a path without its folder");

/** Where a file or folder of a run lies: `name` is the one entry at the top of the tree. */
export const Place = z.strictObject({ tree: Hash, name: Path.refine((name) => !name.includes("/")) });
export type Place = z.infer<typeof Place>;

/** Larger files have no business in a queue. */
const MAX_FILE = 64 * 1024 * 1024;

/** Sends a file or folder, as it lies there. Sockets and the like are left out. @throws Error naming a file that is too large. */
export async function sendPlace(path: string, blobs: Blobs): Promise<Place> {
  const entries: Entry[] = [];
  const files = new Map<string, string>();
  const take = (at: string, below: string): void => {
    const stat = lstatSync(at);
    const mode = stat.mode & 0o777;
    if (stat.isDirectory()) {
      entries.push({ kind: "folder", path: below, mode });
      for (const name of readdirSync(at).toSorted()) take(join(at, name), `${below}/${name}`);
    } else if (stat.isSymbolicLink()) entries.push({ kind: "link", path: below, to: readlinkSync(at) });
    else if (stat.isFile()) {
      if (stat.size > MAX_FILE)
        throw new Error(
          `${at} has ${Math.round(stat.size / 1024 / 1024)} MB; files above 64 MB don't go through a queue.`,
        );
      const hash = hashOfBytes(readFileSync(at));
      files.set(hash, at);
      entries.push({ kind: "file", path: below, mode, mtime: Math.round(stat.mtimeMs), hash });
    }
  };
  const name = basename(path);
  take(path, name);
  for (const hash of await blobs.lacking([...files.keys()])) {
    const bytes = readFileSync(files.get(hash) ?? "");
    await blobs.put(hashOfBytes(bytes), bytes);
  }
  return { tree: await putJson(blobs, { v: 1, entries }), name };
}

/** Lays a tree out below this folder, which is made, and gives the path of what was sent. @throws Error where something is missing or not what it was. */
export async function layPlace({ tree, name }: Place, below: string, blobs: Blobs): Promise<string> {
  const { entries } = await getJson(blobs, tree, Tree);
  if (entries[0]?.path !== name || entries.some(({ path }) => path !== name && !path.startsWith(`${name}/`)))
    throw new Error(`The queue has another tree than ${name} under ${tree.slice(0, 12)}.`);
  mkdirSync(below, { recursive: true, mode: 0o700 });
  for (const entry of entries) {
    const at = join(below, entry.path);
    if (entry.kind === "folder") mkdirSync(at, { mode: 0o700 });
    else if (entry.kind === "link") symlinkSync(entry.to, at);
    else {
      writeFileSync(at, await getBytes(blobs, entry.hash), { flag: "wx", mode: 0o600 });
      chmodSync(at, entry.mode);
      utimesSync(at, entry.mtime / 1000, entry.mtime / 1000);
    }
  }
  // A folder that nobody may write into is made so once it is full.
  for (const entry of entries.toReversed()) if (entry.kind === "folder") chmodSync(join(below, entry.path), entry.mode);
  return join(below, name);
}
