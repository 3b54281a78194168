import { readFile } from "node:fs/promises";
import { z } from "zod";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { writeWhole } from "./journal.ts";
import type { Disk } from "./land-disk.ts";

/**
 * Paths of a step's layer that hide what the layers below have there: folders (overlay's "opaque" mark is an xattr, which Node can't
 * read: whoever scans the upper layer writes this file into the step folder), and deleted entries where no whiteout could be made. An
 * array of raw paths for each root, in order of the roots. Missing file: there are none.
 */
export const OPAQUE_FILE = "opaque.json";

const Opaque = z.array(z.array(z.string()));

/** The text of the sidecar. */
export function opaqueJson(folders: readonly (readonly RawPath[])[]): string {
  return JSON.stringify(folders);
}

/** Opaque folders of a step by root. A file that can't be parsed is an error: guessing would show what a layer hides. */
export async function readOpaque(stepFolder: string): Promise<readonly ReadonlySet<RawPath>[]> {
  let text: string;
  try {
    text = await readFile(`${stepFolder}/${OPAQUE_FILE}`, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
  return Opaque.parse(JSON.parse(text)).map((list) => new Set(list));
}

/** Adds entries that a layer hides without a mark of its own. */
export async function hide(
  disk: Disk,
  stepFolder: string,
  hidden: readonly { root: number; path: RawPath }[],
): Promise<void> {
  if (hidden.length === 0) return;
  const known = await readOpaque(stepFolder);
  const roots = Math.max(known.length, ...hidden.map((h) => h.root + 1));
  const all = Array.from({ length: roots }, (_, root) => [
    ...new Set([...(known[root] ?? []), ...hidden.flatMap((h) => (h.root === root ? [h.path] : []))]),
  ]);
  writeWhole(disk, `${toRaw(stepFolder)}/${OPAQUE_FILE}`, opaqueJson(all));
}
