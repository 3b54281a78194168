import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { RawPath } from "../util/bytes.ts";

/**
 * Folders of a step's layer that hide what lies below them (overlay's "opaque" mark is an xattr, which Node can't read):
 * whoever scans the upper layer writes this file into the step folder, an array of raw paths for each root, in order of
 * the roots. Missing file: none is opaque.
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
