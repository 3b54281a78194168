import { type BigIntStats, closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import type { RawPath } from "../util/bytes.ts";
import { upperOf } from "../workspace/change.ts";
import { HeldFolder, partsOf, within } from "./group-path.ts";

/** An entry of a group's layer, as far as it matters whether it is still the same. */
export type Print = string;
export const GONE = "gone";
export const BLOCKED = "blocked";

/**
 * What lies in the layer at a path: "gone" for a mark of deletion, undefined for nothing, "blocked" below what is no folder there
 * (the group took the folder away or replaced it). Like all here it follows no link, though the group may run.
 */
export function layerPrint(stepFolder: string, root: number, path: RawPath): Print | undefined {
  const parts = partsOf(path);
  const name = parts.pop();
  return name === undefined ? undefined : inLayer(stepFolder, root, (top) => printBelow(top, parts, name));
}

function printBelow(held: HeldFolder, [next, ...rest]: readonly RawPath[], name: RawPath): Print | undefined {
  if (next === undefined) return printOf(held.lstat(name));
  const folder = held.folder(next);
  if (folder === undefined) return held.lstat(next) === undefined ? undefined : BLOCKED;
  try {
    return printBelow(folder, rest, name);
  } finally {
    folder.close();
  }
}

function printOf(stat: BigIntStats | undefined): Print | undefined {
  if (stat === undefined) return undefined;
  if (stat.isCharacterDevice() && stat.rdev === 0n) return GONE;
  if (stat.isDirectory()) return `folder ${stat.ino}`;
  return `${stat.mode} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

/** Names in a folder of the layer; none where it is no folder. */
export function layerNames(stepFolder: string, root: number, path: RawPath): RawPath[] {
  return inLayer(stepFolder, root, (top) => within(top, partsOf(path), (held) => held.names())) ?? [];
}

/** Bytes of an ordinary file of the layer. Throws where it is none (any more). */
export function layerBytes(stepFolder: string, root: number, path: RawPath): Buffer {
  const parts = partsOf(path);
  const name = parts.pop() ?? "";
  const bytes = inLayer(stepFolder, root, (top) => within(top, parts, (held) => plainBytes(held.entry(name))));
  if (bytes === undefined) throw new Error("no file");
  return bytes;
}

/** Bytes of an ordinary file; a pipe or link that took its place meanwhile throws. */
export function plainBytes(path: Buffer): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw new Error("no file");
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function inLayer<T>(stepFolder: string, root: number, work: (top: HeldFolder) => T): T | undefined {
  let top: HeldFolder;
  try {
    top = HeldFolder.at(upperOf(stepFolder, root));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return work(top);
  } finally {
    top.close();
  }
}
