import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import { breathe } from "../workspace/fingerprint.ts";

/**
 * Removes a tree that may hold folders without permissions: an overlay's work folder always does, a command's own result
 * may (SANDBOX H8). Links are removed, never followed. Missing is no error. `path` is absolute.
 */
export async function removeTree(path: string): Promise<void> {
  let seen = 0;
  await remove(toRaw(path));
  async function remove(at: RawPath): Promise<void> {
    const stat = lstatSync(rawBytes(at), { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (++seen % 500 === 0) await breathe();
    if (!stat.isDirectory()) return unlinkSync(rawBytes(at));
    if ((stat.mode & 0o700) !== 0o700) chmodSync(rawBytes(at), 0o700);
    for (const name of readdirSync(rawBytes(at), { encoding: "buffer" }))
      await remove(`${at}/${name.toString("latin1")}`);
    rmdirSync(rawBytes(at));
  }
}
