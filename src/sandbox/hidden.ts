import { linkSync, lstatSync, mkdirSync } from "node:fs";
import { rawBytes, toRaw } from "../util/bytes.ts";
import { upperOf } from "../workspace/change.ts";
import { readOpaque } from "../workspace/opaque.ts";
import { parentsOf } from "../workspace/parents.ts";
import { SandboxError } from "./sandbox-error.ts";
import { whiteoutMaker } from "./whiteout.ts";

/**
 * A layer may say that entries are deleted without a mark for each, where its file system takes none (`opaque.json`). For a mount the
 * marks are made at `at`, a free path in memory, to lie right below that layer. Resolves with `at`, or undefined where none is needed.
 */
export async function marksBelow(
  layer: string,
  root: number,
  at: string,
  roots: readonly string[],
): Promise<string | undefined> {
  const upper = toRaw(upperOf(layer, root));
  const hidden = [...((await readOpaque(layer))[root] ?? [])].filter(
    (path) => lstatSync(rawBytes(`${upper}/${path}`), { throwIfNoEntry: false }) === undefined,
  );
  if (hidden.length === 0) return undefined;
  const mark = `${at}.mark`;
  const failed = (): never => {
    throw new SandboxError("what a rehearsal deleted can't be hidden from commands on this machine");
  };
  await (whiteoutMaker(roots)?.(mark) ?? Promise.reject(new Error("no mknod"))).catch(failed);
  for (const path of hidden) {
    for (const parent of ["", ...parentsOf(path)]) mkdirSync(rawBytes(`${toRaw(at)}/${parent}`), { recursive: true });
    linkSync(rawBytes(toRaw(mark)), rawBytes(`${toRaw(at)}/${path}`));
  }
  return at;
}
