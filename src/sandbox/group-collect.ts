import { lstatSync, mkdirSync, renameSync } from "node:fs";
import type { Root } from "../events/event.ts";
import { rawBytes, toRaw } from "../util/bytes.ts";
import { readRegularNow } from "../util/regular-file.ts";
import { type Change, type ChangeSet, upperOf } from "../workspace/change.ts";
import { breathe, fingerprintOf, hashOf, SMALL_FILE } from "../workspace/fingerprint.ts";
import { parentsOf } from "../workspace/parents.ts";
import { listedFolder } from "../workspace/regenerable.ts";
import { openTree } from "../workspace/tree.ts";
import { copyEntry, markDeleted } from "./group-copy.ts";
import type { Known } from "./group-known.ts";
import { GONE, layerPrint } from "./group-layer.ts";
import { holdsOwn, sourceOf } from "./group-mirror.ts";
import type { Programs } from "./programs.ts";
import { scan } from "./scan.ts";

/** A group's layers, mounted or not. */
export interface Layered {
  stepFolder: string;
  /** ctime of the marker made when it began. */
  since: string;
  known: Known;
  /** Its processes have ended, and nothing is mounted. */
  ended: boolean;
}

export interface CollectDeps {
  roots: readonly Root[];
  /** Kept layers as they are now, oldest first. */
  layers: readonly string[];
  programs: Programs;
  root: boolean;
  /** What became of a step by which changes were offered: undefined where nobody answered. */
  answered(operationId: string): boolean;
}

/** Regenerable output of a living group is copied up to this; more stays with it until it ends. */
const MANY = 5000;
const LARGE = 64 << 20;

/**
 * The group's own changes: what is in its layers but was not written there by the door or the watcher, and was not offered and
 * answered already. A living group must stand still meanwhile.
 */
export async function ownChanges(of: Layered, deps: CollectDeps, operationId = "look"): Promise<Change[]> {
  const { roots, layers, root, programs } = deps;
  const { tar = "tar" } = programs;
  const { stepFolder, since, known } = of;
  const set = await scan({ operationId, stepFolder, since, roots, layers, tar, root });
  const tree = await openTree(roots, layers);
  const own: Change[] = [];
  for (const change of set.changes) {
    const line = known.get(change.root, change.path);
    const settled = line !== undefined && line.print === printOf(of, change);
    if (settled && (line.offered === undefined || deps.answered(line.offered))) continue;
    // A folder that only came by what was taken away in it.
    const folder = change.op === "create" && change.after?.type === "folder" && change.tree === undefined;
    if (folder && line !== undefined && !holdsOwn(of.stepFolder, known, change.root, change.path)) continue;
    // What the group saw last of the person's own file decides, not when it began.
    const seen = line?.source !== undefined && line.source === sourceOf(await tree.find(change.root, change.path));
    own.push(seen ? withoutLate(change) : change);
  }
  return own;
}

function withoutLate(change: Change): Change {
  const copy = { ...change };
  delete copy.late;
  return copy;
}

function printOf({ stepFolder }: Layered, { op, root, path, tree }: Change): string {
  if (op === "delete") return GONE;
  const print = layerPrint(stepFolder, root, path) ?? GONE;
  return tree === undefined ? print : `${print} ${tree.files} ${tree.bytes}`;
}

/** What was collected, and what was left with the group. */
export interface Collected {
  set: ChangeSet;
  /** Changed by the group and by somebody else: of a living one they stay where they are. */
  clashes: readonly Change[];
  /** Regenerable output that is too much to be copied out of a living group. */
  left: readonly Change[];
  /** Why nothing is brought although something was changed. */
  lost?: string;
}

/**
 * Brings the group's own changes into a step of their own, as any change set: by copy, since nothing may be moved out of a mounted
 * layer (SANDBOX H1). Regenerable folders of a group that has ended are moved. A living group must stand still meanwhile.
 */
export async function collect(
  of: Layered,
  deps: CollectDeps,
  step: { operationId: string; stepFolder: string; since: string },
): Promise<Collected> {
  const own = await ownChanges(of, deps, step.operationId);
  const clashes = of.ended ? [] : own.filter((c) => c.late === true);
  const taken = own.filter((c) => !clashes.includes(c));
  const heavy = of.ended ? [] : tooMuch(taken);
  const chosen = taken.filter((c) => !heavy.includes(c));
  const changes: Change[] = [];
  for (const change of chosen) {
    await breathe();
    changes.push(change.after === undefined ? change : await bring(of, step.stepFolder, change, deps.programs));
  }
  // Only what is kept is ever mounted.
  const gone = changes.filter(
    (c) => c.op === "delete" && listedFolder(c.path, c.before?.type === "folder") !== undefined,
  );
  await markDeleted(step.stepFolder, gone, deps.programs);
  const { operationId } = step;
  of.known.put(...chosen.map((c) => ({ root: c.root, path: c.path, print: printOf(of, c), offered: operationId })));
  return { set: { ...step, changes }, clashes, left: heavy };
}

function tooMuch(changes: readonly Change[]): Change[] {
  const regenerable = changes.filter((c) => listedFolder(c.path, c.after?.type === "folder") !== undefined);
  const sum = { files: 0, bytes: 0 };
  for (const { tree, after } of regenerable) {
    sum.files += tree?.files ?? 1;
    sum.bytes += tree?.bytes ?? after?.size ?? 0;
  }
  return sum.files > MANY || sum.bytes > LARGE ? regenerable : [];
}

/** One entry, with the folders that it lies in; its fingerprint is that of the copy. */
async function bring(of: Layered, stepFolder: string, change: Change, programs: Programs): Promise<Change> {
  const { root, path, after } = change;
  if (after === undefined) return change;
  const [from, to] = [toRaw(upperOf(of.stepFolder, root)), toRaw(upperOf(stepFolder, root))];
  mkdirSync(rawBytes(to), { recursive: true });
  for (const parent of parentsOf(path)) {
    const mode = Number(lstatSync(rawBytes(`${from}/${parent}`)).mode) & 0o7777;
    mkdirSync(rawBytes(`${to}/${parent}`), { recursive: true, mode: mode | 0o700 });
  }
  const regenerable = listedFolder(path, after.type === "folder") !== undefined;
  if (of.ended && regenerable) renameSync(rawBytes(`${from}/${path}`), rawBytes(`${to}/${path}`));
  else await copyEntry(`${from}/${path}`, `${to}/${path}`, change.tree !== undefined, programs);
  const stat = lstatSync(rawBytes(`${to}/${path}`), { bigint: true });
  const print = { ...fingerprintOf(stat), mode: after.mode };
  const small = after.hash !== undefined && print.type === "file" && print.size <= SMALL_FILE;
  return {
    ...change,
    after: {
      ...print,
      ...(after.target === undefined ? {} : { target: after.target }),
      ...(small ? { hash: hashOf(readRegularNow(rawBytes(`${to}/${path}`))) } : {}),
    },
  };
}
