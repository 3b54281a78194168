import { z } from "zod";
import type { RawPath } from "../util/bytes.ts";
import type { Fingerprint } from "./change.ts";
import { fingerprintOf, treePrint } from "./fingerprint.ts";
import { parsed, writeWhole } from "./journal.ts";
import type { Disk } from "./land-disk.ts";
import { SavedFingerprint } from "./plan.ts";

const SavedList = z.array(z.tuple([z.string(), SavedFingerprint]));

/** Path below the folder → what lay there. */
export type TreeList = ReadonlyMap<RawPath, Fingerprint>;

/**
 * Remembers what lies in a folder that is copied out of the person's folder, or into it: the copies have other inodes and times,
 * and are the same all the same.
 */
export async function saveList(disk: Disk, state: Disk, folder: RawPath, file: RawPath): Promise<void> {
  const list: [RawPath, Fingerprint][] = [];
  await treePrint(disk, folder, (path, stat) => list.push([path, fingerprintOf(stat)]));
  writeWhole(state, file, JSON.stringify(list));
}

/** What `saveList` remembered; empty where nothing was. */
export function readList(disk: Disk, file: RawPath): TreeList {
  return new Map(disk.lstat(file) === undefined ? [] : parsed(disk, file, SavedList));
}
