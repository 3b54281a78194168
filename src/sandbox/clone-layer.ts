import {
  type BigIntStats,
  chmodSync,
  linkSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
} from "node:fs";
import { rawBytes, type RawPath } from "../util/bytes.ts";
import { breathe } from "../workspace/fingerprint.ts";
import { joinRaw, splitRaw } from "../workspace/tree.ts";
import { type Clone, codeOf, type Known, minePrint } from "./clone.ts";
import type { EntryCopier } from "./entry.ts";
import { Lifted } from "./lift.ts";

/**
 * Moves what a command changed in a clone into a layer of the form that an overlay leaves: changed and new entries at
 * their own paths, a whiteout for each that is gone. So the scan, the door, kept layers and undo know one form alone.
 * The clone forgets what was moved. Nobody may write it any more. Resolves with deletions that no mark could be made for.
 */
export async function moveToLayer(clone: Clone, layer: RawPath, copier: EntryCopier): Promise<readonly RawPath[]> {
  const root = process.getuid?.() === 0;
  const lifted = new Lifted(!root);
  const folders = new Map<RawPath, BigIntStats>();
  const gone: RawPath[] = [];
  let seen = 0;
  mkdirSync(rawBytes(layer), { mode: 0o700 });
  try {
    await walk("", clone.known);
    return await marked();
  } finally {
    const mode = lstatSync(rawBytes(clone.at)).mode & 0o7777;
    lifted.restore();
    chmodSync(rawBytes(layer), lifted.modeOf(clone.at, mode));
    // The deepest first: a folder without permissions hides what lies in it.
    for (const [path, stat] of [...folders].toReversed())
      chmodSync(rawBytes(`${layer}/${path}`), Number(stat.mode) & 0o7777);
  }

  async function walk(folder: RawPath, known: Known): Promise<void> {
    const there = new Set<RawPath>();
    for (const name of namesIn(folder)) {
      if (++seen % 500 === 0) await breathe();
      there.add(name);
      const path = joinRaw(folder, name);
      const stat = lstatSync(rawBytes(clone.place(path)), { bigint: true });
      const old = known.children.get(name);
      if (old === undefined || old.folder !== stat.isDirectory() || (!old.folder && old.mine !== minePrint(stat))) {
        known.children.delete(name);
        take(path, stat);
      } else if (old.folder) {
        if (old.mine !== minePrint(stat)) {
          inLayer(path);
          old.source = "";
        }
        await walk(path, old);
      }
    }
    for (const name of known.children.keys()) {
      if (there.has(name)) continue;
      known.children.delete(name);
      gone.push(joinRaw(folder, name));
    }
  }

  function namesIn(folder: RawPath): RawPath[] {
    const at = clone.place(folder);
    lifted.lift(at, Number(lstatSync(rawBytes(at)).mode), 0o700);
    return readdirSync(rawBytes(at), { encoding: "buffer" }).map((name) => name.toString("latin1"));
  }

  function take(path: RawPath, stat: BigIntStats): void {
    inLayer(splitRaw(path)[0]);
    const [from, to] = [rawBytes(clone.place(path)), rawBytes(`${layer}/${path}`)];
    // A folder's own name for its parent changes with it, which needs the permission to write in it.
    const locked = stat.isDirectory() && !root && (stat.mode & 0o700n) !== 0o700n;
    if (locked) chmodSync(from, (Number(stat.mode) & 0o7777) | 0o700);
    renameSync(from, to);
    if (locked) chmodSync(to, Number(stat.mode) & 0o7777);
  }

  /** A folder that both have, in the layer with the owner that the command left it; its mode comes at the end. */
  function inLayer(path: RawPath): void {
    if (path === "" || folders.has(path)) return;
    inLayer(splitRaw(path)[0]);
    const from = clone.place(path);
    const stat = lstatSync(rawBytes(from), { bigint: true });
    stat.mode = BigInt(lifted.modeOf(from, Number(stat.mode)));
    const to = rawBytes(`${layer}/${path}`);
    mkdirSync(to, { mode: 0o700 });
    if (root) lchownSync(to, Number(stat.uid), Number(stat.gid));
    folders.set(path, stat);
  }

  /** One mark is made by a program, the others are further names of it. */
  async function marked(): Promise<readonly RawPath[]> {
    let first: RawPath | undefined;
    for (const [n, path] of gone.entries()) {
      if (n % 500 === 499) await breathe();
      inLayer(splitRaw(path)[0]);
      const at = `${layer}/${path}`;
      if (first !== undefined && linked(first, at)) continue;
      try {
        await copier.whiteout(at);
      } catch {
        for (const other of gone.slice(n)) inLayer(splitRaw(other)[0]);
        return gone.slice(n);
      }
      first = at;
    }
    return [];
  }
}

/** False where a file can have no more names (or hard links are refused). */
function linked(first: RawPath, at: RawPath): boolean {
  try {
    linkSync(rawBytes(first), rawBytes(at));
    return true;
  } catch (error) {
    if (["EMLINK", "EPERM", "EOPNOTSUPP", "ENOTSUP"].includes(codeOf(error))) return false;
    throw error;
  }
}
