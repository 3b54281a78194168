import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Root } from "../events/event.ts";
import { rawBytes, toRaw, type RawPath } from "../util/bytes.ts";
import { type Change, type ChangeSet, upperOf } from "../workspace/change.ts";
import { breathe, fingerprintOf } from "../workspace/fingerprint.ts";
import { OPAQUE_FILE } from "../workspace/opaque.ts";
import { EntryCopier, owned } from "./entry.ts";
import { Lifted } from "./lift.ts";
import type { Programs } from "./programs.ts";
import { removeTree } from "./remove.ts";
import { isWhiteout } from "./scan-print.ts";

/**
 * Upper layers in memory, for a state folder whose own file system takes none (a container's overlay): there for the time
 * of a command, then copied out. Marks for deletions can't be copied; the change set names them.
 */
const SHM = "/dev/shm";

function placeOf(uid: number): string {
  return join(SHM, `understudy-${uid}`);
}

/** A fresh folder in memory that only we can enter. Throws where somebody else took the name. */
export function memoryFolder(uid: number, operationId: string): Promise<string> {
  const place = placeOf(uid);
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const stat = lstatSync(place);
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o77) !== 0)
    throw new Error(`${place} belongs to somebody else`);
  return Promise.resolve(mkdtempSync(join(place, `${process.pid}-${operationId}-`)));
}

/** Removes what a dead process of ours left in memory. */
export async function sweepMemory(uid: number): Promise<void> {
  const place = placeOf(uid);
  if (statSync(place, { throwIfNoEntry: false })?.uid !== uid) return;
  for (const name of readdirSync(place)) {
    if (!existsSync(`/proc/${name.split("-")[0]}`)) await removeTree(join(place, name));
  }
}

/** Copies the layers to where a change set has them. The new content gets the fingerprints of the copies. */
export async function outOfMemory(set: ChangeSet, roots: readonly Root[], programs: Programs): Promise<ChangeSet> {
  for (const n of roots.keys()) {
    const upper = upperOf(set.stepFolder, n);
    const from = Buffer.from(readlinkSync(upper, { encoding: "buffer" })).toString("latin1");
    rmSync(upper);
    mkdirSync(upper);
    await copyLayer(from, toRaw(upper), programs);
  }
  // The marks themselves stay behind: a list of them would be true of the view and false of the next copy.
  rmSync(join(set.stepFolder, OPAQUE_FILE), { force: true });
  return { ...set, changes: set.changes.map((change) => printed(change, set.stepFolder)) };
}

function printed(change: Change, stepFolder: string): Change {
  if (change.after === undefined) return change;
  const stat = lstatSync(rawBytes(`${toRaw(upperOf(stepFolder, change.root))}/${change.path}`), { bigint: true });
  return { ...change, after: { ...change.after, ...fingerprintOf(stat) } };
}

async function copyLayer(from: RawPath, to: RawPath, programs: Programs): Promise<void> {
  const lifted = new Lifted(process.getuid?.() !== 0);
  const copier = new EntryCopier(programs, Buffer.from(to, "latin1").toString("utf8"));
  let seen = 0;
  await inside(from, to);

  async function inside(source: RawPath, target: RawPath): Promise<void> {
    for (const entry of readdirSync(rawBytes(source), { encoding: "buffer" })) {
      if (++seen % 200 === 0) await breathe();
      const name = entry.toString("latin1");
      await one(`${source}/${name}`, `${target}/${name}`);
    }
  }

  async function one(source: RawPath, target: RawPath): Promise<void> {
    const stat = lstatSync(rawBytes(source), { bigint: true });
    if (isWhiteout(stat) || stat.isSocket()) return;
    if (stat.isSymbolicLink()) copier.link(source, target);
    else if (stat.isDirectory()) {
      lifted.lift(source, Number(stat.mode), 0o700);
      copier.folder(target);
      await inside(source, target);
    } else if (stat.isFIFO()) await copier.fifo(target);
    else {
      lifted.lift(source, Number(stat.mode), 0o400);
      copier.file(source, target);
    }
    owned(target, stat);
  }
}
