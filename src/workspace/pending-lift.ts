import type { Layer } from "../events/layers.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import { type Change, type ChangeSet, upperOf } from "./change.ts";
import type { Disk } from "./land-disk.ts";
import { stepFolderOf, type StepsDeps } from "./steps.ts";

/** The mode that a folder of a layer has when nobody looks into it. */
export type ModeOf = (real: RawPath, mode: number) => number;

/** Runs work with every folder of some layers readable for us, as commands may have left them without; modes are put back. */
export async function withReadable<T>(
  deps: StepsDeps & { uid: number },
  layers: readonly Layer[],
  work: (modeOf: ModeOf) => Promise<T>,
): Promise<T> {
  if (deps.uid === 0) return work((_real, mode) => mode);
  const lifted = new Map<RawPath, number>();
  for (const { operationId } of layers) {
    const folder = stepFolderOf(deps, operationId);
    for (const root of deps.roots.keys()) lift(deps.disk, toRaw(upperOf(folder, root)), lifted);
  }
  try {
    return await work((real, mode) => lifted.get(real) ?? mode);
  } finally {
    for (const [path, mode] of [...lifted].toReversed()) deps.disk.chmod(path, mode);
  }
}

function lift(disk: Disk, folder: RawPath, lifted: Map<RawPath, number>): void {
  const stat = disk.lstat(folder);
  if (stat?.isDirectory() !== true) return;
  const mode = Number(stat.mode) & 0o7777;
  if ((mode & 0o500) !== 0o500) {
    disk.chmod(folder, mode | 0o700);
    lifted.set(folder, mode);
  }
  for (const name of disk.names(folder)) lift(disk, `${folder}/${name}`, lifted);
}

/**
 * Runs work with what a step and layers hold readable where their change sets made it unreadable; modes are put back. Of what is in
 * whole folders (regenerable output) nothing is known here.
 */
export async function withOpened<T>(
  { disk, uid }: { disk: Disk; uid: number },
  sets: readonly ChangeSet[],
  work: () => Promise<T>,
): Promise<T> {
  if (uid === 0) return work();
  const lifted: [RawPath, number][] = [];
  for (const set of sets) for (const change of set.changes) open(disk, set, change, lifted);
  try {
    return await work();
  } finally {
    // What landed is not there any more.
    for (const [path, mode] of lifted.toReversed()) if (disk.lstat(path) !== undefined) disk.chmod(path, mode);
  }
}

function open(disk: Disk, set: ChangeSet, { root, path, after }: Change, lifted: [RawPath, number][]): void {
  const bits = after?.type === "folder" ? 0o500 : after?.type === "file" ? 0o400 : 0;
  if (after === undefined || (after.mode & bits) === bits) return;
  const at = `${toRaw(upperOf(set.stepFolder, root))}/${path}`;
  const stat = disk.lstat(at);
  const mode = Number(stat?.mode ?? 0) & 0o7777;
  if (stat === undefined || stat.isDirectory() !== (after.type === "folder") || (mode & bits) === bits) return;
  disk.chmod(at, mode | bits);
  lifted.push([at, mode]);
}
