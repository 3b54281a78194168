import type { BigIntStats } from "node:fs";
import { z } from "zod";
import type { Root } from "../events/event.ts";
import type { Clock } from "../util/deps.ts";
import { toRaw, type RawPath } from "../util/bytes.ts";
import type { ChangeSet } from "./change.ts";
import { breathe } from "./fingerprint.ts";
import { indexKey, isGitIndex } from "./git-unit.ts";
import { checkId, folderHash, makeFolders, writeWhole } from "./journal.ts";
import { removeAll } from "./land-copy.ts";
import { codeOf, type Disk } from "./land-disk.ts";
import { SavedSet } from "./plan.ts";

/** What was there when a step began: what changed afterwards, somebody else changed. */
export interface Since {
  /** ctime of the marker; undefined where each change's own fingerprint decides (Write, Edit, Delete). */
  marker: bigint | undefined;
  /** By root, where its file system is not the state folder's, whose marker says nothing about it: path → ctime and inode. */
  snapshots: ReadonlyMap<number, ReadonlyMap<RawPath, string>>;
  /** `<root>/<path>` of each git index → what it said. */
  indexKeys: ReadonlyMap<string, string>;
  readIndex(path: RawPath): string | undefined;
}

const SinceFile = z.object({
  marker: z.string().nullable(),
  indexKeys: z.record(z.string(), z.string()),
  apart: z.array(z.number()),
});
const Snapshot = z.array(z.tuple([z.string(), z.string()]));

export interface StepsDeps {
  disk: Disk;
  roots: readonly Root[];
  foldersDir: string;
  clock: Clock;
}

/** Whether an entry was changed after the step began; `of`: what it is (or was seen as) now. */
export function lateIn(
  since: Since,
  root: number,
  path: RawPath,
  of: BigIntStats | { ctime: string; ino: string },
): boolean {
  const [ctime, ino] = "ctimeNs" in of ? [of.ctimeNs, String(of.ino)] : [BigInt(of.ctime), of.ino];
  const snapshot = since.snapshots.get(root);
  if (snapshot !== undefined) return snapshot.get(path) !== `${ctime} ${ino}`;
  return since.marker !== undefined && ctime >= since.marker;
}

/** Folder of a step. */
export function stepFolderOf(deps: Pick<StepsDeps, "roots" | "foldersDir">, operationId: string): string {
  const first = deps.roots[0];
  if (first === undefined) throw new Error("a workspace needs a root");
  return `${deps.foldersDir}/${folderHash(first.path)}/steps/${checkId(operationId)}`;
}

/** An empty step folder; one that an earlier attempt left is removed. */
export async function emptyStep(deps: StepsDeps, operationId: string): Promise<string> {
  const stepFolder = stepFolderOf(deps, operationId);
  await removeAll(deps.disk, toRaw(stepFolder));
  makeFolders(deps.disk, toRaw(stepFolder));
  return stepFolder;
}

/** A step whose changes carry fingerprints of their own. */
export async function plainStep(deps: StepsDeps, operationId: string): Promise<string> {
  const stepFolder = await emptyStep(deps, operationId);
  writeSince(deps.disk, stepFolder, { marker: null, indexKeys: {}, apart: [] });
  return stepFolder;
}

/**
 * A step for a command. Its marker's ctime is later than that of anything that was changed before this call. Roots on another
 * file system than the state folder get a snapshot instead, since nothing may be written beside or into them.
 */
export async function commandStep(
  deps: StepsDeps,
  operationId: string,
): Promise<{ stepFolder: string; since: string }> {
  const { disk, roots } = deps;
  const stepFolder = await emptyStep(deps, operationId);
  const raw = toRaw(stepFolder);
  const device = disk.lstat(raw)?.dev;
  const apart = roots.flatMap((root, n) => (disk.lstat(toRaw(root.path))?.dev === device ? [] : [n]));
  for (const n of apart) await takeSnapshot(disk, roots, n, `${raw}/snapshot-${n}.json`);
  const indexKeys: Record<string, string> = {};
  roots.forEach((root, n) => {
    for (const path of indexesOf(disk, root)) {
      const key = readIndex(disk, `${toRaw(root.path)}/${path}`);
      if (key !== undefined) indexKeys[`${n}/${path}`] = key;
    }
  });
  const marker = await freshMarker(deps, `${raw}/marker`);
  writeSince(disk, stepFolder, { marker: String(marker), indexKeys, apart });
  return { stepFolder, since: String(marker) };
}

/** Waits out the tick of the file system's clock in which a change of before could share the marker's time. */
async function freshMarker({ disk, clock }: StepsDeps, path: RawPath): Promise<bigint> {
  disk.write(path, new Uint8Array(), 0o600);
  const first = disk.lstat(path)?.ctimeNs ?? 0n;
  for (let tries = 0; tries < 200; tries++) {
    disk.chmod(path, 0o600);
    const now = disk.lstat(path)?.ctimeNs ?? 0n;
    if (now > first) return now;
    if (tries > 2) await clock.sleep(1);
  }
  return first;
}

function indexesOf(disk: Disk, root: Root): RawPath[] {
  const trees = `${toRaw(root.path)}/worktrees`;
  if (root.kind !== "git") return [".git/index"];
  const linked = disk.lstat(trees)?.isDirectory() === true ? disk.names(trees) : [];
  return ["index", ...linked.map((name) => `worktrees/${name}/index`)].filter((path) => isGitIndex(root, path));
}

function readIndex(disk: Disk, path: RawPath): string | undefined {
  try {
    return disk.lstat(path)?.isFile() === true ? indexKey(disk.read(path)) : undefined;
  } catch (error) {
    if (["EACCES", "ENOENT"].includes(codeOf(error))) return undefined;
    throw error;
  }
}

async function takeSnapshot(disk: Disk, roots: readonly Root[], root: number, file: RawPath): Promise<void> {
  const entries: [string, string][] = [];
  await walk("");
  disk.write(file, Buffer.from(JSON.stringify(entries)), 0o600);

  async function walk(below: RawPath): Promise<void> {
    const folder = [toRaw(roots[root]?.path ?? ""), below].filter((part) => part !== "").join("/");
    for (const name of namesOf(disk, folder)) {
      const stat = disk.lstat(`${folder}/${name}`);
      if (stat === undefined) continue;
      const path = below === "" ? name : `${below}/${name}`;
      entries.push([path, `${stat.ctimeNs} ${stat.ino}`]);
      if (entries.length % 500 === 0) await breathe();
      if (stat.isDirectory()) await walk(path);
    }
  }
}

/** A folder that can't be read, or went away while we looked, has nothing to remember: what is found there later is late. */
function namesOf(disk: Disk, folder: RawPath): RawPath[] {
  try {
    return disk.names(folder);
  } catch (error) {
    if (["EACCES", "ENOENT", "ENOTDIR"].includes(codeOf(error))) return [];
    throw error;
  }
}

function writeSince(disk: Disk, stepFolder: string, since: z.infer<typeof SinceFile>): void {
  disk.write(`${toRaw(stepFolder)}/since.json`, Buffer.from(JSON.stringify(since)), 0o600);
}

/** What a step's folder says of its begin. A folder without that (made by no `newStep`) goes by the set's own marker. */
export function readSince(disk: Disk, set: ChangeSet): Since {
  const raw = toRaw(set.stepFolder);
  const read = (path: RawPath): string | undefined => readIndex(disk, path);
  if (disk.lstat(`${raw}/since.json`) === undefined) {
    return { marker: BigInt(set.since), snapshots: new Map(), indexKeys: new Map(), readIndex: read };
  }
  const saved = SinceFile.parse(JSON.parse(disk.read(`${raw}/since.json`).toString("utf8")));
  const snapshots = saved.apart.map((n) => {
    const text = disk.read(`${raw}/snapshot-${n}.json`).toString("utf8");
    return [n, new Map(Snapshot.parse(JSON.parse(text)))] as const;
  });
  return {
    marker: saved.marker === null ? undefined : BigInt(saved.marker),
    snapshots: new Map(snapshots),
    indexKeys: new Map(Object.entries(saved.indexKeys)),
    readIndex: read,
  };
}

/** True for a step of Write, Edit and Delete, whose layer holds plain files alone. */
export function isPlain(since: Since): boolean {
  return since.marker === undefined;
}

/** Saves a change set so that a later process can land it: whole or not at all. */
export function saveProposal(disk: Disk, set: ChangeSet): void {
  writeWhole(disk, `${toRaw(set.stepFolder)}/proposal.json`, JSON.stringify(set));
}

/** A saved change set; undefined where none was saved. Throws for one that can't be parsed. */
export function readProposal(disk: Disk, stepFolder: string): ChangeSet | undefined {
  const path = `${toRaw(stepFolder)}/proposal.json`;
  if (disk.lstat(path) === undefined) return undefined;
  return SavedSet.parse(JSON.parse(disk.read(path).toString("utf8")));
}
