import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import { breathe } from "../workspace/fingerprint.ts";

/** A path near the system's limit (4096 bytes) can't be used any more; a command can nest deeper than that. */
const LONG = 2500;

/**
 * Removes a tree that may hold folders without permissions: an overlay's work folder always does, a command's own result
 * may (SANDBOX H8). Links are removed, never followed. Missing is no error. `path` is absolute.
 */
export async function removeTree(path: string): Promise<void> {
  await removeRaw(toRaw(path));
}

/** The same for a name in any bytes. */
export async function removeRaw(top: RawPath): Promise<void> {
  let [seen, deep] = [0, 0];
  await remove(top);
  async function remove(at: RawPath): Promise<void> {
    const stat = lstatSync(rawBytes(at), { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (++seen % 500 === 0) await breathe();
    if (!stat.isDirectory()) return unlinkSync(rawBytes(at));
    if ((stat.mode & 0o700) !== 0o700) chmodSync(rawBytes(at), 0o700);
    if (at.length > top.length + LONG) {
      const near = `${top}.deep-${++deep}`;
      renameSync(rawBytes(at), rawBytes(near));
      return remove(near);
    }
    for (const name of readdirSync(rawBytes(at), { encoding: "buffer" }))
      await remove(`${at}/${name.toString("latin1")}`);
    rmdirSync(rawBytes(at));
  }
}
